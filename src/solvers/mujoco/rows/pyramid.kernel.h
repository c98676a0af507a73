// Contacts with friction in MuJoCo's pyramid: of sliding (condim 3), and of spinning and rolling, too (condim 4 and 6).
//
// A contact is one vector x = J a - a_ref of a normal part x_n and tangential parts x_i, the rows of the pyramid are
// x_n +- mu_i x_i, one-sided, with one D for all of them. So a contact stores three rows instead of four, or six
// instead of ten, and its part of the Hessian is J^T C J with
//
//       | sum w     mu_1 (w1+ - w1-)    mu_2 (w2+ - w2-)   ... |
//   C = |           mu_1^2 (w1+ + w1-)  0                  ... |     w: D where the row pushes, otherwise 0
//       | symmetric                     mu_2^2 (w2+ + w2-) ... |
//
// Parts of x: normal, two tangents; and the turns about these three, of which a contact of condim 4 has the first.
#pragma once

#include "solvers/mujoco/rows/contact_jacobian.kernel.h"
#include "solvers/mujoco/rows/one_sided.kernel.h"
#include "solvers/mujoco/rows/row_root.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace pyramid {

template <class F, bool kTurns>
using Types = rows::RowTypes<F, kTurns ? 6 : 3>;
template <class F, bool kTurns>
using Vector = typename Types<F, kTurns>::Vector;
template <class F, bool kTurns>
using Block = typename Types<F, kTurns>::Block;

// Tangential parts.
template <bool kTurns>
inline constexpr int kParts = kTurns ? 5 : 2;

// Part i of a vector or a block; 0 is the normal one.
template <class F>
CAROM_HD F& part(Vec3T<F>& x, int i) {
  return x[i];
}
template <class F>
CAROM_HD const F& part(const Vec3T<F>& x, int i) {
  return x[i];
}
template <class F>
CAROM_HD F& part(SpatialVectorT<F>& x, int i) {
  return i < 3 ? x.linear[i] : x.angular[i - 3];
}
template <class F>
CAROM_HD const F& part(const SpatialVectorT<F>& x, int i) {
  return i < 3 ? x.linear[i] : x.angular[i - 3];
}
template <class F>
CAROM_HD const Vec3T<F>& part(const Mat33T<F>& J, int i) {
  return J[i];
}
template <class F>
CAROM_HD Vec3T<F>& part(Mat33T<F>& J, int i) {
  return J[i];
}
template <class F>
CAROM_HD const Vec3T<F>& part(const rows::TurningBlock<F>& J, int i) {
  return i < 3 ? J.slide[i] : J.turn[i - 3];
}
template <class F>
CAROM_HD Vec3T<F>& part(rows::TurningBlock<F>& J, int i) {
  return i < 3 ? J.slide[i] : J.turn[i - 3];
}

// The law of one contact.
template <class F, bool kTurns>
struct Law;
template <class F>
struct Law<F, false> {
  F D, mu;
  F root_D;
  CAROM_HD F stiffness(int) const { return D; }
  CAROM_HD F friction(int) const { return mu; }
};
template <class F>
struct Law<F, true> {
  F D, mu, spin, roll;
  F root_D;
  F D_roll, root_D_roll;  // 0 where rolling is free
  CAROM_HD F stiffness(int i) const { return i < 3 ? D : D_roll; }
  CAROM_HD F friction(int i) const { return i < 2 ? mu : i == 2 ? spin : roll; }
};

// Both edges of every tangential part.
template <class F, bool kTurns>
struct Edges {
  F plus[kParts<kTurns>], minus[kParts<kTurns>];
  CAROM_HD Edges(const Vector<F, kTurns>& x, const Law<F, kTurns>& law) {
    CAROM_UNROLL
    for (int i = 0; i < kParts<kTurns>; ++i) {
      plus[i] = fma(law.friction(i), part(x, i + 1), part(x, 0));
      minus[i] = fma(-law.friction(i), part(x, i + 1), part(x, 0));
    }
  }
};

// C: its corner, and of each tangential part what couples it with the normal one and its own entry.
template <class F, bool kTurns>
struct Weight {
  F normal{}, coupling[kParts<kTurns>]{}, own[kParts<kTurns>]{};
};

template <class F, bool kTurns>
CAROM_HD F cost(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Edges<F, kTurns> edge(x, law);
  const auto half = [](F sum, F plus, F minus) CAROM_HD_LAMBDA {
    sum = fma(one_sided::pushed(plus), one_sided::pushed(plus), sum);
    return fma(one_sided::pushed(minus), one_sided::pushed(minus), sum);
  };
  F sum{};
  CAROM_UNROLL
  for (int i = 0; i < (kTurns ? 3 : 2); ++i) sum = half(sum, edge.plus[i], edge.minus[i]);
  sum = sum * law.D * F(0.5);
  if constexpr (kTurns)
    sum = fma(half(half(F(0), edge.plus[3], edge.minus[3]), edge.plus[4], edge.minus[4]), law.D_roll * F(0.5), sum);
  return sum;
}
template <class F, bool kTurns>
CAROM_HD Vector<F, kTurns> force(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Edges<F, kTurns> edge(x, law);
  Vector<F, kTurns> f;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    const F plus = -law.stiffness(i) * one_sided::pushed(edge.plus[i]);
    const F minus = -law.stiffness(i) * one_sided::pushed(edge.minus[i]);
    part(f, 0) = i == 0 ? plus + minus : part(f, 0) + (plus + minus);
    part(f, i + 1) = law.friction(i) * (plus - minus);
  }
  return f;
}
template <class F, bool kTurns>
CAROM_HD Weight<F, kTurns> weight(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Edges<F, kTurns> edge(x, law);
  Weight<F, kTurns> w;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    const F plus = one_sided::weight(law.stiffness(i), edge.plus[i]), mu = law.friction(i);
    const F minus = one_sided::weight(law.stiffness(i), edge.minus[i]);
    w.normal = i == 0 ? plus + minus : w.normal + (plus + minus);
    w.coupling[i] = mu * (plus - minus);
    w.own[i] = mu * mu * (plus + minus);
  }
  return w;
}
template <class F, bool kTurns>
CAROM_HD SlopeT<F> slope(const Law<F, kTurns>& law, const Vector<F, kTurns>& x, const Vector<F, kTurns>& y, F alpha) {
  const Edges<F, kTurns> ex(x, law), ey(y, law);
  SlopeT<F> sum;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    sum = sum + one_sided::slope(law.stiffness(i), ex.plus[i], ey.plus[i], alpha);
    sum = sum + one_sided::slope(law.stiffness(i), ex.minus[i], ey.minus[i], alpha);
  }
  return sum;
}

// A force that rounding moved out of the pyramid, back on it.
template <class F, bool kTurns>
CAROM_HD Vector<F, kTurns> inside(const Law<F, kTurns>& law, Vector<F, kTurns> f) {
  const F normal = max(part(f, 0), F(0));
  F needed{};
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) needed = needed + abs(part(f, i + 1)) / law.friction(i);
  const F share = select(needed > normal, normal / needed, F(1));
  part(f, 0) = normal;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) part(f, i + 1) = part(f, i + 1) * share;
  return f;
}

// G with G^T G = C: a row sqrt(2 p) of the normal alone, for p pairs of opposite edges that both push, and of each
// tangential part a row (s, mu sqrt(a)), with s = +-1 where one edge of the pair pushes and a edges that do; all times
// sqrt(D).
template <class F>
struct PairRoot {
  F both, s, m;  // both: 2 D of a pair that pushes as a whole
  CAROM_HD PairRoot(F D, F root_D, F mu, F plus, F minus) {
    constexpr Real kRoot2 = Real(1.41421356237309504880);
    const F zero(0);
    const auto p = plus < zero, q = minus < zero, pair = p && q;
    both = select(pair, D + D, zero);
    s = select(pair, zero, select(p, root_D, select(q, -root_D, zero)));
    m = mu * select(pair, root_D * F(kRoot2), select(p || q, root_D, zero));
  }
};
template <class F>
CAROM_HD RowRoot<F> root(const Law<F, false>& law, const Vec3T<F>& x) {
  const Edges<F, false> e(x, law);
  const PairRoot<F> a(law.D, law.root_D, law.mu, e.plus[0], e.minus[0]);
  const PairRoot<F> b(law.D, law.root_D, law.mu, e.plus[1], e.minus[1]);
  return {sqrt(a.both + b.both), a.s, a.m, b.s, b.m};
}
template <class F>
CAROM_HD TurningRoot<F> root(const Law<F, true>& law, const SpatialVectorT<F>& x) {
  const Edges<F, true> e(x, law);
  const PairRoot<F> a(law.D, law.root_D, law.mu, e.plus[0], e.minus[0]);
  const PairRoot<F> b(law.D, law.root_D, law.mu, e.plus[1], e.minus[1]);
  const PairRoot<F> c(law.D, law.root_D, law.spin, e.plus[2], e.minus[2]);
  const PairRoot<F> d(law.D_roll, law.root_D_roll, law.roll, e.plus[3], e.minus[3]);
  const PairRoot<F> f(law.D_roll, law.root_D_roll, law.roll, e.plus[4], e.minus[4]);
  return {{sqrt(a.both + b.both + c.both + (d.both + f.both)), a.s, a.m, b.s, b.m},
          {c.m, F(0), d.m, F(0), f.m},
          {c.s, d.s, f.s}};
}

// C J of one block.
template <class F, bool kTurns>
CAROM_HD Block<F, kTurns> weighted(const Weight<F, kTurns>& C, const Block<F, kTurns>& J) {
  constexpr int kLast = kParts<kTurns>;
  Block<F, kTurns> CJ;
  Vec3T<F> normal = part(J, kLast) * C.coupling[kLast - 1];
  CAROM_UNROLL
  for (int i = kLast - 1; i > 0; --i) normal = fma(part(J, i), C.coupling[i - 1], normal);
  part(CJ, 0) = fma(part(J, 0), C.normal, normal);
  CAROM_UNROLL
  for (int i = 1; i <= kLast; ++i) part(CJ, i) = fma(part(J, 0), C.coupling[i - 1], part(J, i) * C.own[i - 1]);
  return CJ;
}

}  // namespace pyramid

// kTurns: contacts that resist spinning or rolling.
template <class F, bool kTurns, class Jacobian>
struct PyramidRows : ContactSlots {
  static constexpr RowKind kKind = kTurns ? RowKind::kTurningPyramid : RowKind::kPyramid;
  static constexpr bool kCouplesAnew = true;
  static constexpr bool kHasFriction = true;
  static constexpr int kRowBlocks = kTurns ? 2 : 1;
  static constexpr Condims kCondims = kTurns ? condim_set(4) | condim_set(6) : condim_set(3);
  using Law = pyramid::Law<F, kTurns>;
  using Vector = pyramid::Vector<F, kTurns>;
  using Block = pyramid::Block<F, kTurns>;
  using Weight = pyramid::Weight<F, kTurns>;

  Jacobian J;
  Block* CJ;  // C J
  Mat33T<F>* frame;
  F* D;
  Law* law;
  Vector *aref, *x, *y, *force;
  Weight* weight;

  CAROM_HD void take(Arena& arena, const RowView& view, Condims existing, int most) {
    const int slots = take_slots<F>(arena, kCondims, existing, most);
    const auto vectors = [&] { return arena.take<Vector>(slots); };
    frame = arena.take<Mat33T<F>>(slots);
    D = arena.take<F>(slots), law = arena.take<Law>(slots);
    aref = vectors(), x = vectors(), y = vectors(), force = vectors();
    weight = arena.take<Weight>(slots);
    J.take(arena, view, slots);
    CJ = arena.take<Block>(std::int64_t{slots} * view.blocks());
  }

  template <class Team, class Input>
  CAROM_HD_FREE void make(Team team, const RowView& view, const Input& in) {
    list_contacts<F>(team, in.contacts, in.segment, kCondims, list);
    team.each(list.count, [&](int c) {
      const int* const source = list.template of_slot<F>(c);
      const rows::ContactNumbers<F> k = rows::gather_contact<F, kTurns>(in.contacts, source);
      const Mat33T<F> axes = rows::contact_frame(k.normal, k.tangent);
      frame[c] = axes;
      const Vector speed = J.fill(view, in, c, source, k.point, axes);
      const F r = k.distance - k.active_margin;
      const F d = impedance(k.impedance, r);
      // The diagonal of a pyramid's edge is that of the normal times 1 + mu^2; its regularisation 2 mu^2 / impratio
      // times as large.
      const F mu2 = k.mu * k.mu;
      const F stiffness = stiffness_of_row(d, k.inverse_mass * (F(1) + mu2)) * in.impratio / (F(2) * mu2);
      D[c] = select(k.valid, stiffness, F(0));
      const F root_D = sqrt(D[c]);
      if constexpr (kTurns)
        law[c] = {D[c], k.mu, k.spin, k.roll, root_D, select(k.rolls, D[c], F(0)), select(k.rolls, root_D, F(0))};
      else law[c] = {D[c], k.mu, root_D};
      Vector reference = speed * -k.damping;
      pyramid::part(reference, 0) = pyramid::part(reference, 0) - k.stiffness * d * r;
      aref[c] = select(k.valid, reference, Vector{});
    });
  }

  // Rows of MuJoCo's that a slot stands for.
  CAROM_HD F edges(int c) const {
    if constexpr (kTurns) return select(law[c].D_roll > F(0), F(10), F(6));
    else return F(4);
  }
  CAROM_HD Vector product(const RowView& view, int c, const Vec3T<F>* v) const { return J.product(view, c, v); }
  CAROM_HD F cost(int c) const { return pyramid::cost<F, kTurns>(law[c], x[c]); }
  CAROM_HD Vector force_at(int c) const { return pyramid::force<F, kTurns>(law[c], x[c]); }
  CAROM_HD Weight weight_at(int c) const { return pyramid::weight<F, kTurns>(law[c], x[c]); }
  CAROM_HD Vector inside(int c, const Vector& f) const { return pyramid::inside<F, kTurns>(law[c], f); }
  CAROM_HD auto root_at(int c) const { return pyramid::root(law[c], x[c]); }
  CAROM_HD SlopeT<F> slope(int c, F alpha) const { return pyramid::slope<F, kTurns>(law[c], x[c], y[c], alpha); }
  CAROM_HD static bool differ(const Weight& a, const Weight& b) {
    MaskOf<F> differs = a.normal != b.normal;
    CAROM_UNROLL
    for (int i = 0; i < pyramid::kParts<kTurns>; ++i)
      differs = differs || a.coupling[i] != b.coupling[i] || a.own[i] != b.own[i];
    return any(differs);
  }
  // C J of one block.
  CAROM_HD Block weighted(int c, const Block& block) const { return pyramid::weighted<F, kTurns>(weight[c], block); }
  CAROM_HD BitSets blocks(const RowView&) const { return J.blocks; }
  CAROM_HD Vec3T<F> force_in_world(int c) const {
    const auto along = [&](int i) CAROM_HD_LAMBDA { return frame[c][i] * pyramid::part(force[c], i); };
    return along(0) + along(1) + along(2);
  }

  // f(slot) for those that touch a block, after J.find_slots().
  template <class Function>
  CAROM_HD void each_at(const RowView&, int b, Function f) const {
    J.slots.each_of_words(b, 0, BitSets::words_for(list.count), f);
  }
  CAROM_HD void add_force(const RowView& view, int b, Vec3T<F>& sum) const {
    each_at(view, b,
            [&](int c) CAROM_HD_LAMBDA { rows::add_transposed(sum, J.block[c * view.blocks() + b], force[c]); });
  }
  template <class Team>
  CAROM_HD void weigh(Team team, const RowView& view) const {
    const int blocks = view.blocks();
    const auto weigh_block = [&](int c, int i) CAROM_HD_LAMBDA { CJ[i] = weighted(c, J.block[i]); };
    if constexpr (Team::size() == 1) {
      team.each(list.count, [&](int c) {
        if (changed[c]) J.blocks.each(c, [&](int b) CAROM_HD_LAMBDA { weigh_block(c, c * blocks + b); });
      });
    } else {
      team.each(list.count * blocks, [&](int i) {
        if (changed[i / blocks] && J.touches(i / blocks, i % blocks)) weigh_block(i / blocks, i);
      });
    }
  }
  CAROM_HD void add_hessian(const RowView& view, int k, int i, Mat33T<F>& sum) const {
    J.slots.each_of_both(k, i, list.count, [&](int c) CAROM_HD_LAMBDA {
      rows::add_block_product(sum, J.block[c * view.blocks() + k], CJ[c * view.blocks() + i]);
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
