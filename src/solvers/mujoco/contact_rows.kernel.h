// Rows of contacts: frame, sparse Jacobian, regularisation and reference acceleration of every slot of the lists.
//
//   J_j d = +- (S_j.linear . d + S_j.angular . ((p - o) x d))   for a direction d at the point p
//
// S_j is the motion of degree of freedom j about o. Those that move both bodies cancel and are left out by the masks.
#pragma once

#include "solvers/mujoco/impedance.kernel.h"
#include "solvers/mujoco/rows.h"

namespace carom::inline CAROM_PRECISION {

namespace rows {

// The numbers of a contact, gathered from the pairs that each lane's contact belongs to.
template <class F>
struct ContactNumbers {
  Vec3T<F> point, normal, tangent;
  F distance;
  F mu, active_margin, stiffness, damping, impedance[5], inverse_mass;
  MaskOf<F> valid;  // lanes that have this contact
};

// Numbers of all the pairs, of each lane's world. Worlds with the same numbers share one row of them.
template <class F>
struct PairNumbers {
  const PairParams* params[ScalarTraits<F>::kWidth];

  // What get() finds in the pair of each lane's contact, 0 where it has none.
  template <class Get>
  CAROM_HD F pick(const int* pair, Get get) const {
    if constexpr (PlainNumber<F>) {
      return pair[0] < 0 ? F(0) : get(params[0][pair[0]]);
    } else {
      F value{};
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        if (pair[l] >= 0) value.set(l, get(params[l][pair[l]]));
      return value;
    }
  }
};

template <class F>
CAROM_HD void pairs_of_slot(const ContactList<F>& list, const int* source, int* pair) {
  for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) pair[l] = source[l] < 0 ? -1 : list.hit_pair[source[l]];
}

template <class F>
CAROM_HD ContactNumbers<F> gather_contact(const ContactList<F>& list, const int* source, const int* pair,
                                          const PairNumbers<F>& numbers) {
  const auto vector = [&](Vec3T<F> HitT<F>::*field) CAROM_HD_LAMBDA {
    Vec3T<F> v;
    for (int i = 0; i < 3; ++i)
      v[i] = pick(list.hit, source, [&](const HitT<F>& h) CAROM_HD_LAMBDA { return (h.*field)[i]; });
    return v;
  };
  const auto number = [&](Real PairParams::*field) CAROM_HD_LAMBDA {
    return numbers.pick(pair, [&](const PairParams& p) CAROM_HD_LAMBDA { return p.*field; });
  };
  ContactNumbers<F> c;
  c.point = vector(&HitT<F>::point);
  c.normal = vector(&HitT<F>::normal);
  c.tangent = vector(&HitT<F>::tangent);
  c.distance = pick(list.hit, source, [](const HitT<F>& h) CAROM_HD_LAMBDA { return h.distance; });
  c.mu = number(&PairParams::mu);
  c.active_margin = number(&PairParams::active_margin);
  c.stiffness = number(&PairParams::stiffness);
  c.damping = number(&PairParams::damping);
  for (int i = 0; i < 5; ++i)
    c.impedance[i] = numbers.pick(pair, [&](const PairParams& p) CAROM_HD_LAMBDA { return p.impedance[i]; });
  c.inverse_mass = number(&PairParams::inverse_mass);
  c.valid = c.inverse_mass > F(0) && c.distance < c.active_margin;
  return c;
}

// Normal and two tangents as rows; the suggested tangent where there is one, otherwise y or z.
template <class F>
CAROM_HD Mat33T<F> contact_frame(Vec3T<F> n, Vec3T<F> tangent) {
  const Vec3T<F> y{F(0), F(1), F(0)}, z{F(0), F(0), F(1)};
  const Vec3T<F> rule = select(abs(n.y) < F(0.5), y, z);
  Vec3T<F> t = select(length_squared(tangent) < F(0.25), rule, tangent);
  t = fma(n, -dot(n, t), t);
  // A capsule that stands upright on a plane suggests no tangent at all.
  t = select(length_squared(t) < F(1e-12), fma(n, -dot(n, rule), rule), t);
  t = normalize(t);
  return {n, t, cross(n, t)};
}

// Degrees of freedom first to first + 23 of a mask.
inline constexpr int kDofsPerWord = 24;  // a multiple of three, below the sign bit of the smallest lane
CAROM_HD std::int32_t dof_word(const std::uint64_t (&mask)[kDofWords], int first) {
  const int word = first / 64, shift = first % 64;
  std::uint64_t bits = mask[word] >> shift;
  if (shift + kDofsPerWord > 64 && word + 1 < kDofWords) bits |= mask[word + 1] << (64 - shift);
  return static_cast<std::int32_t>(bits & ((std::uint64_t{1} << kDofsPerWord) - 1));
}

// Which degrees of freedom move the second (+1) or the first (-1) body of each lane's pair.
template <class F>
struct DofSigns {
  BitsOf<F> plus[3 * kMaxBlocks / kDofsPerWord], minus[3 * kMaxBlocks / kDofsPerWord];

  CAROM_HD DofSigns(Span<const ShapePair> pairs, const int* pair, int dofs) {
    CAROM_ROLL
    for (int word = 0; word * kDofsPerWord < dofs; ++word) {
      plus[word] = minus[word] = BitsOf<F>(0);
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        if (pair[l] < 0) continue;
        const ShapePair& p = pairs[pair[l]];
        set(plus[word], l, dof_word(p.moved_by_second, word * kDofsPerWord));
        set(minus[word], l, dof_word(p.moved_by_first, word * kDofsPerWord));
      }
    }
  }

  CAROM_HD F operator()(int dof) const {
    const BitsOf<F> bit(1 << dof % kDofsPerWord), none(0);
    const int word = dof / kDofsPerWord;
    return select((plus[word] & bit) != none, F(1), select((minus[word] & bit) != none, F(-1), F(0)));
  }

 private:
  CAROM_HD static void set(BitsOf<F>& bits, int lane, std::int32_t value) {
    if constexpr (PlainNumber<F>) bits = value;
    else bits.v[lane] = value;
  }
};

template <class F>
CAROM_HD std::uint64_t blocks_of_slot(Span<const ShapePair> pairs, const int* pair) {
  std::uint64_t blocks = 0;
  for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
    if (pair[l] >= 0) blocks |= pairs[pair[l]].blocks;
  return blocks;
}

// J d for the three degrees of freedom of a block; all of them belong to trees with known centres.
template <class F>
CAROM_HD Vec3T<F> block_of_row(const TreeView& tree, const TreeWork<F>& w, int block, const DofSigns<F>& sign,
                               Vec3T<F> point, Vec3T<F> direction) {
  Vec3T<F> J;
  CAROM_ROLL
  for (int i = 0; i < 3; ++i) {
    const int link = tree.dof_link[3 * block + i];
    if (link < 0) continue;
    const SpatialVectorT<F>& S = w.motion[3 * block + i];
    const Vec3T<F> arm = cross(point - w.tree_com[tree.link[link].tree], direction);
    J[i] = sign(3 * block + i) * (dot(S.linear, direction) + dot(S.angular, arm));
  }
  return J;
}

}  // namespace rows

template <class F, class Team>
CAROM_HD_STAGE void make_frictional_rows(Team team, const TreeView& tree, const TreeWork<F>& w,
                                         Span<const ShapePair> pairs, const ContactList<F>& list,
                                         const rows::PairNumbers<F>& numbers, FrictionalRows<F>& out) {
  constexpr int W = ScalarTraits<F>::kWidth;
  const int count = list.frictional.count;
  team.each(1, [&](int) { out.count = count; });
  team.each(count, [&](int c) {
    int pair[W];
    const int* const source = list.frictional.source + c * W;
    rows::pairs_of_slot(list, source, pair);
    const rows::ContactNumbers<F> k = rows::gather_contact(list, source, pair, numbers);
    const Mat33T<F> frame = rows::contact_frame(k.normal, k.tangent);
    out.frame[c] = frame;
    out.blocks[c] = rows::blocks_of_slot<F>(pairs, pair);
    const rows::DofSigns<F> sign(pairs, pair, tree.dofs());
    Vec3T<F> speed;
    each_bit(out.blocks[c], [&](int b) CAROM_HD_LAMBDA {
      Mat33T<F>& J = out.J[c * tree.blocks() + b];
      CAROM_ROLL
      for (int r = 0; r < 3; ++r) J[r] = rows::block_of_row(tree, w, b, sign, k.point, frame[r]);
      speed += J * w.qd[b];
    });
    const F r = k.distance - k.active_margin;
    const F d = impedance(k.impedance, r);
    // The diagonal of a pyramid's edge is that of the normal times 1 + mu^2; its regularisation 2 mu^2 times as large.
    const F mu2 = k.mu * k.mu;
    const F D = stiffness_of_row(d, k.inverse_mass * (F(1) + mu2)) / (F(2) * mu2);
    out.D[c] = select(k.valid, D, F(0));
    out.mu[c] = k.mu;
    const Vec3T<F> aref = speed * -k.damping;
    out.aref[c] = select(k.valid, Vec3T<F>{aref.x - k.stiffness * d * r, aref.y, aref.z}, Vec3T<F>{});
  });
}

template <class F, class Team>
CAROM_HD_STAGE void make_frictionless_rows(Team team, const TreeView& tree, const TreeWork<F>& w,
                                           Span<const ShapePair> pairs, const ContactList<F>& list,
                                           const rows::PairNumbers<F>& numbers, FrictionlessRows<F>& out) {
  constexpr int W = ScalarTraits<F>::kWidth;
  const int count = list.frictionless.count;
  team.each(1, [&](int) { out.count = count; });
  team.each(count, [&](int c) {
    int pair[W];
    const int* const source = list.frictionless.source + c * W;
    rows::pairs_of_slot(list, source, pair);
    const rows::ContactNumbers<F> k = rows::gather_contact(list, source, pair, numbers);
    out.normal[c] = k.normal;
    out.blocks[c] = rows::blocks_of_slot<F>(pairs, pair);
    const rows::DofSigns<F> sign(pairs, pair, tree.dofs());
    F speed{};
    each_bit(out.blocks[c], [&](int b) CAROM_HD_LAMBDA {
      Vec3T<F>& J = out.J[c * tree.blocks() + b];
      J = rows::block_of_row(tree, w, b, sign, k.point, k.normal);
      speed += dot(J, w.qd[b]);
    });
    const F r = k.distance - k.active_margin;
    const F d = impedance(k.impedance, r);
    out.D[c] = select(k.valid, stiffness_of_row(d, k.inverse_mass), F(0));
    out.aref[c] = select(k.valid, -fma(k.damping, speed, k.stiffness * d * r), F(0));
  });
}

}  // namespace carom::inline CAROM_PRECISION
