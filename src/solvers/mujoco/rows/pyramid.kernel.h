// Contacts with friction (condim 3) in MuJoCo's pyramid.
//
// A contact is one 3-vector x = J a - a_ref of normal and tangential parts; the four rows of the pyramid are
// x_n +- mu x_1 and x_n +- mu x_2, one-sided, with one D for all of them. So a contact stores three rows instead of
// four, and its part of the Hessian is J^T C J with
//
//       | sum w           mu (w1+ - w1-)    mu (w2+ - w2-)  |
//   C = |                 mu^2 (w1+ + w1-)  0               |     w: D where the row pushes, otherwise 0
//       | symmetric                         mu^2 (w2+ + w2-)|
#pragma once

#include "solvers/mujoco/rows/contact_jacobian.kernel.h"
#include "solvers/mujoco/rows/one_sided.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace pyramid {

template <class F>
struct Edges {
  F e[4];
  CAROM_HD Edges(Vec3T<F> x, F mu) : e{fma(mu, x.y, x.x), fma(-mu, x.y, x.x), fma(mu, x.z, x.x), fma(-mu, x.z, x.x)} {}
};

// C; 12 is always zero.
template <class F>
struct Weight {
  F nn{}, n1{}, n2{}, d11{}, d22{};
};

template <class F>
CAROM_HD F cost(F D, F mu, Vec3T<F> x) {
  const Edges<F> edge(x, mu);
  F sum{};
  for (const F& e : edge.e) sum = fma(one_sided::pushed(e), one_sided::pushed(e), sum);
  return sum * D * F(0.5);
}
template <class F>
CAROM_HD Vec3T<F> force(F D, F mu, Vec3T<F> x) {
  const Edges<F> edge(x, mu);
  const F f0 = -D * one_sided::pushed(edge.e[0]), f1 = -D * one_sided::pushed(edge.e[1]);
  const F f2 = -D * one_sided::pushed(edge.e[2]), f3 = -D * one_sided::pushed(edge.e[3]);
  return {(f0 + f1) + (f2 + f3), mu * (f0 - f1), mu * (f2 - f3)};
}
template <class F>
CAROM_HD Weight<F> weight(F D, F mu, Vec3T<F> x) {
  const Edges<F> edge(x, mu);
  F w[4];
  for (int i = 0; i < 4; ++i) w[i] = one_sided::weight(D, edge.e[i]);
  const F mu2 = mu * mu;
  return {(w[0] + w[1]) + (w[2] + w[3]), mu * (w[0] - w[1]), mu * (w[2] - w[3]), mu2 * (w[0] + w[1]),
          mu2 * (w[2] + w[3])};
}
template <class F>
CAROM_HD SlopeT<F> slope(F D, F mu, Vec3T<F> x, Vec3T<F> y, F alpha) {
  const Edges<F> ex(x, mu), ey(y, mu);
  SlopeT<F> sum;
  for (int i = 0; i < 4; ++i) sum = sum + one_sided::slope(D, ex.e[i], ey.e[i], alpha);
  return sum;
}

// C J of one block.
template <class F>
CAROM_HD Mat33T<F> weighted(const Weight<F>& C, const Mat33T<F>& J) {
  return {fma(J.row0, C.nn, fma(J.row1, C.n1, J.row2 * C.n2)), fma(J.row0, C.n1, J.row1 * C.d11),
          fma(J.row0, C.n2, J.row2 * C.d22)};
}

}  // namespace pyramid

template <class F, class Jacobian = ContactJacobian<F, 3>>
struct PyramidRows : ContactSlots {
  static constexpr Real kEdges = 4;
  static constexpr RowKind kKind = RowKind::kPyramid;
  static constexpr bool kCouplesAnew = true;
  static constexpr int kCondim = 3;

  Jacobian J;     // rows n, t1, t2
  Mat33T<F>* CJ;  // C J
  Mat33T<F>* frame;
  F *D, *mu;
  Vec3T<F>*aref, *x, *y, *force;
  pyramid::Weight<F>* weight;

  CAROM_HD void take(Arena& arena, const RowView& view, int slots) {
    list = take_contact_list<F>(arena, slots);
    const auto vectors = [&] { return arena.take<Vec3T<F>>(slots); };
    frame = arena.take<Mat33T<F>>(slots);
    D = arena.take<F>(slots), mu = arena.take<F>(slots);
    aref = vectors(), x = vectors(), y = vectors(), force = vectors();
    weight = arena.take<pyramid::Weight<F>>(slots);
    changed = arena.take<std::uint8_t>(slots);
    J.take(arena, view, slots);
    CJ = arena.take<Mat33T<F>>(std::int64_t{slots} * view.blocks());
  }

  template <class Team, class Input>
  CAROM_HD_STAGE void make(Team team, const RowView& view, const Input& in) {
    list_contacts<F>(team, in.contacts, in.segment, kCondim, list);
    team.each(list.count, [&](int c) {
      const int* const source = list.template of_slot<F>(c);
      const rows::ContactNumbers<F> k = rows::gather_contact<F>(in.contacts, source);
      const Mat33T<F> axes = rows::contact_frame(k.normal, k.tangent);
      frame[c] = axes;
      const Vec3T<F> speed = J.fill(view, in, c, source, k.point, axes);
      const F r = k.distance - k.active_margin;
      const F d = impedance(k.impedance, r);
      // The diagonal of a pyramid's edge is that of the normal times 1 + mu^2; its regularisation 2 mu^2 times as
      // large.
      const F mu2 = k.mu * k.mu;
      const F stiffness = stiffness_of_row(d, k.inverse_mass * (F(1) + mu2)) / (F(2) * mu2);
      D[c] = select(k.valid, stiffness, F(0));
      mu[c] = k.mu;
      const Vec3T<F> reference = speed * -k.damping;
      aref[c] = select(k.valid, Vec3T<F>{reference.x - k.stiffness * d * r, reference.y, reference.z}, Vec3T<F>{});
    });
  }

  CAROM_HD Vec3T<F> product(const RowView& view, int c, const Vec3T<F>* v) const { return J.product(view, c, v); }
  CAROM_HD F cost(int c) const { return pyramid::cost(D[c], mu[c], x[c]); }
  CAROM_HD Vec3T<F> force_at(int c) const { return pyramid::force(D[c], mu[c], x[c]); }
  CAROM_HD pyramid::Weight<F> weight_at(int c) const { return pyramid::weight(D[c], mu[c], x[c]); }
  CAROM_HD SlopeT<F> slope(int c, F alpha) const { return pyramid::slope(D[c], mu[c], x[c], y[c], alpha); }
  CAROM_HD static bool differ(const pyramid::Weight<F>& a, const pyramid::Weight<F>& b) {
    return any(a.n1 != b.n1 || a.n2 != b.n2 || a.d11 != b.d11 || a.d22 != b.d22);
  }
  // C J of one block.
  CAROM_HD Mat33T<F> weighted(int c, const Mat33T<F>& block) const { return pyramid::weighted(weight[c], block); }
  CAROM_HD BitSets blocks(const RowView&) const { return J.blocks; }
  CAROM_HD Vec3T<F> force_in_world(int c) const {
    return frame[c].row0 * force[c].x + frame[c].row1 * force[c].y + frame[c].row2 * force[c].z;
  }

  CAROM_HD void add_force(const RowView& view, int b, Vec3T<F>& sum) const {
    CAROM_ROLL
    for (int c = 0; c < list.count; ++c)
      if (J.touches(c, b)) sum += block::transposed_times(J.block[c * view.blocks() + b], force[c]);
  }
  template <class Team>
  CAROM_HD void weigh(Team team, const RowView& view) const {
    const int blocks = view.blocks();
    const auto weigh_block = [&](int c, int i) CAROM_HD_LAMBDA { CJ[i] = pyramid::weighted(weight[c], J.block[i]); };
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
    CAROM_ROLL
    for (int c = 0; c < list.count; ++c)
      if (J.touches(c, k, i)) block::add_product(sum, J.block[c * view.blocks() + k], CJ[c * view.blocks() + i]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
