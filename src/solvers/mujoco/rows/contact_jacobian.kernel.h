// What all kinds of contact rows have in common: the numbers of a contact, its frame, and its sparse Jacobian.
//
//   J_j d = +- (S_j.linear . d + S_j.angular . ((p - o) x d))   for a direction d at the point p
//   J_j d = +- S_j.angular . d                                  for turning about it
//
// S_j is the motion of degree of freedom j about o. Those that move both bodies cancel and are left out by the masks.
#pragma once

#include "solvers/mujoco/impedance.kernel.h"
#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION {

namespace rows {

// The numbers of each lane's contact.
template <class F>
struct ContactNumbers {
  Vec3T<F> point, normal, tangent;
  F distance;
  F mu, spin, roll, active_margin, stiffness, damping, impedance[5], inverse_mass;
  MaskOf<F> rolls;  // lanes in which rolling is resisted
  MaskOf<F> valid;  // lanes that have this contact
};

template <class F, bool kTurns = false>
CAROM_HD ContactNumbers<F> gather_contact(const ContactView& contacts, const int* source) {
  const auto vector = [&](const Vec3* column) CAROM_HD_LAMBDA {
    Vec3T<F> v;
    for (int i = 0; i < 3; ++i) v[i] = pick<F>(source, [&](int c) CAROM_HD_LAMBDA { return column[c][i]; });
    return v;
  };
  const auto number = [&](Real ContactMaterial::*field) CAROM_HD_LAMBDA {
    return pick<F>(source, [&](int c) CAROM_HD_LAMBDA { return contacts.material[c].*field; });
  };
  ContactNumbers<F> k;
  k.point = vector(contacts.point);
  k.normal = vector(contacts.normal);
  k.tangent = vector(contacts.tangent);
  k.distance = -pick<F>(source, [&](int c) CAROM_HD_LAMBDA { return contacts.depth[c]; });
  k.mu = number(&ContactMaterial::mu);
  if constexpr (kTurns) {
    k.spin = number(&ContactMaterial::spin);
    k.roll = number(&ContactMaterial::roll);
    k.rolls = pick<F>(source, [&](int c) CAROM_HD_LAMBDA { return Real(contacts.material[c].condim); }) > F(4);
  }
  k.active_margin = number(&ContactMaterial::active_margin);
  k.stiffness = number(&ContactMaterial::stiffness);
  k.damping = number(&ContactMaterial::damping);
  for (int i = 0; i < 5; ++i)
    k.impedance[i] = pick<F>(source, [&](int c) CAROM_HD_LAMBDA { return contacts.material[c].impedance[i]; });
  k.inverse_mass = number(&ContactMaterial::inverse_mass);
  k.valid = k.inverse_mass > F(0) && k.distance < k.active_margin;
  return k;
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

// Degrees of freedom first to first + 23 of a set.
inline constexpr int kDofsPerWord = 24;  // a multiple of three, below the sign bit of the smallest lane
CAROM_HD std::int32_t dof_word(const LinkDofs& set, int first) {
  const int word = first / 64, shift = first % 64;
  std::uint64_t bits = set.word[word] >> shift;
  if (shift + kDofsPerWord > 64 && word + 1 < kDofWords) bits |= set.word[word + 1] << (64 - shift);
  return static_cast<std::int32_t>(bits & ((std::uint64_t{1} << kDofsPerWord) - 1));
}

CAROM_HD std::int32_t dofs_of_link(Span<const LinkDofs> link_dofs, int link, int first) {
  return link < 0 ? 0 : dof_word(link_dofs[link], first);
}

// Which degrees of freedom move the second (+1) or the first (-1) body of each lane's contact; those that move both
// are left out.
template <class F>
struct DofSigns {
  BitsOf<F> plus[3 * kMaxBlocks / kDofsPerWord], minus[3 * kMaxBlocks / kDofsPerWord];
  std::uint64_t blocks = 0;  // of three degrees of freedom, that hold one of them in some lane

  // bits(lane, first): the pair of words with degrees of freedom first to first + 23 that move the second and the
  // first body.
  template <class Bits>
  CAROM_HD DofSigns(int dofs, Bits bits) {
    CAROM_ROLL
    for (int word = 0; word * kDofsPerWord < dofs; ++word) {
      plus[word] = minus[word] = BitsOf<F>(0);
      std::int32_t any = 0;
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        const Index2 moved = bits(l, word * kDofsPerWord);
        set(plus[word], l, moved[0]);
        set(minus[word], l, moved[1]);
        any |= moved[0] | moved[1];
      }
      any |= any >> 1 | any >> 2;  // bit 3 b: some degree of freedom of block b
      for (int b = 0; b < kDofsPerWord / 3; ++b)
        blocks |= static_cast<std::uint64_t>(any >> 3 * b & 1) << (word * kDofsPerWord / 3 + b);
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

// The part of a Jacobian that belongs to three degrees of freedom, all of trees with known centres: for the normal, for
// the three axes of a contact, or for these and turning about them.
template <class F>
struct TurningBlock {
  Mat33T<F> slide, turn;
};

template <class F>
CAROM_HD void fill_block(const TreeView& tree, const TreeWork<F>& w, int b, const DofSigns<F>& sign, Vec3T<F> point,
                         Vec3T<F> direction, Vec3T<F>& out) {
  Vec3T<F> J;
  CAROM_ROLL
  for (int i = 0; i < 3; ++i) {
    const int link = tree.dof_link[3 * b + i];
    if (link < 0) continue;
    const SpatialVectorT<F>& S = w.motion[3 * b + i];
    const Vec3T<F> arm = cross(point - w.tree_com[tree.link[link].tree], direction);
    J[i] = sign(3 * b + i) * (dot(S.linear, direction) + dot(S.angular, arm));
  }
  out = J;
}
template <class F>
CAROM_HD void fill_block(const TreeView& tree, const TreeWork<F>& w, int b, const DofSigns<F>& sign, Vec3T<F> point,
                         const Mat33T<F>& axes, Mat33T<F>& J) {
  CAROM_ROLL
  for (int r = 0; r < 3; ++r) fill_block(tree, w, b, sign, point, axes[r], J[r]);
}
template <class F>
CAROM_HD void fill_block(const TreeView& tree, const TreeWork<F>& w, int b, const DofSigns<F>& sign, Vec3T<F> point,
                         const Mat33T<F>& axes, TurningBlock<F>& J) {
  fill_block(tree, w, b, sign, point, axes, J.slide);
  J.turn = {};
  CAROM_ROLL
  for (int i = 0; i < 3; ++i) {
    if (tree.dof_link[3 * b + i] < 0) continue;
    for (int r = 0; r < 3; ++r) J.turn[r][i] = sign(3 * b + i) * dot(w.motion[3 * b + i].angular, axes[r]);
  }
}

// The product of a block and a vector.
template <class F>
CAROM_HD F block_times(const Vec3T<F>& block, Vec3T<F> v) {
  return dot(block, v);
}
template <class F>
CAROM_HD Vec3T<F> block_times(const Mat33T<F>& block, Vec3T<F> v) {
  return block * v;
}
template <class F>
CAROM_HD SpatialVectorT<F> block_times(const TurningBlock<F>& block, Vec3T<F> v) {
  return {block.slide * v, block.turn * v};
}

// sum += J^T f
template <class F>
CAROM_HD void add_transposed(Vec3T<F>& sum, const Vec3T<F>& J, F f) {
  sum = fma(J, f, sum);
}
template <class F>
CAROM_HD void add_transposed(Vec3T<F>& sum, const Mat33T<F>& J, Vec3T<F> f) {
  sum += block::transposed_times(J, f);
}
template <class F>
CAROM_HD void add_transposed(Vec3T<F>& sum, const TurningBlock<F>& J, SpatialVectorT<F> f) {
  add_transposed(sum, J.slide, f.linear);
  add_transposed(sum, J.turn, f.angular);
}

// sum += J_k^T (C J_i)
template <class F>
CAROM_HD void add_block_product(Mat33T<F>& sum, const Vec3T<F>& J_k, const Vec3T<F>& CJ_i) {
  for (int r = 0; r < 3; ++r) sum[r] = fma(CJ_i, J_k[r], sum[r]);
}
template <class F>
CAROM_HD void add_block_product(Mat33T<F>& sum, const Mat33T<F>& J_k, const Mat33T<F>& CJ_i) {
  block::add_product(sum, J_k, CJ_i);
}
template <class F>
CAROM_HD void add_block_product(Mat33T<F>& sum, const TurningBlock<F>& J_k, const TurningBlock<F>& CJ_i) {
  block::add_product(sum, J_k.slide, CJ_i.slide);
  block::add_product(sum, J_k.turn, CJ_i.turn);
}

// Types of a row with so many directions: one (the normal), three (and the tangents) or six (and turning about them).
template <class F, int kDirections>
struct RowTypes;
template <class F>
struct RowTypes<F, 1> {
  using Block = Vec3T<F>;
  using Vector = F;
  using Axes = Vec3T<F>;
};
template <class F>
struct RowTypes<F, 3> {
  using Block = Mat33T<F>;
  using Vector = Vec3T<F>;
  using Axes = Mat33T<F>;
};
template <class F>
struct RowTypes<F, 6> {
  using Block = TurningBlock<F>;
  using Vector = SpatialVectorT<F>;
  using Axes = Mat33T<F>;
};

}  // namespace rows

// Slots of a kind that is made from contacts.
struct ContactSlots {
  ContactList list;
  std::uint8_t* changed;  // state, since H was built

  // Slots for contacts of these condims, where some contact may have one.
  template <class F>
  CAROM_HD int take_slots(Arena& arena, Condims own, Condims existing, int most) {
    const int slots = existing.has_any(own) ? most : 0;
    list = take_contact_list<F>(arena, slots);
    changed = arena.take<std::uint8_t>(slots);
    return slots;
  }
  CAROM_HD int count(const RowView&) const { return list.count; }
  template <class Team, class Function>
  CAROM_HD auto sum(Team team, const RowView&, Function f) const {
    return team.sum(list.count, f);
  }
  // f(slot) for those that may touch a block.
  template <class Function>
  CAROM_HD void each_at(const RowView&, int, Function f) const {
    CAROM_ROLL
    for (int c = 0; c < list.count; ++c) f(c);
  }
};

// Jacobians of the slots of a kind.
template <class F, int kDirections>
struct ContactJacobian {
  using Block = typename rows::RowTypes<F, kDirections>::Block;
  using Vector = typename rows::RowTypes<F, kDirections>::Vector;
  using Axes = typename rows::RowTypes<F, kDirections>::Axes;

  std::uint64_t* blocks;  // that each slot touches
  Block* block;           // of slot c from c * (blocks of the world) on

  CAROM_HD void take(Arena& arena, const RowView& view, int slots) {
    blocks = arena.take<std::uint64_t>(slots);
    block = arena.take<Block>(slots * view.blocks());
  }

  // Fills slot c for the axes of a contact at a point. Returns J v of the velocities.
  CAROM_HD Vector fill(const RowView& view, const RowInput<F>& in, int c, const int* source, Vec3T<F> point,
                       const Axes& axes) const {
    const rows::DofSigns<F> sign(in.tree.dofs(), [&](int lane, int first) CAROM_HD_LAMBDA {
      if (source[lane] < 0) return Index2{0, 0};
      const int* const link = in.contacts.material[source[lane]].link;
      const std::int32_t a = rows::dofs_of_link(in.link_dofs, link[0], first);
      const std::int32_t b = rows::dofs_of_link(in.link_dofs, link[1], first);
      return Index2{b & ~a, a & ~b};
    });
    blocks[c] = sign.blocks;
    Vector speed{};
    each_bit(blocks[c], [&](int b) CAROM_HD_LAMBDA {
      Block& J = block[c * view.blocks() + b];
      rows::fill_block(in.tree, in.work, b, sign, point, axes, J);
      speed = speed + rows::block_times(J, in.work.qd[b]);
    });
    return speed;
  }

  CAROM_HD bool touches(int c, int b) const { return blocks[c] >> b & 1; }
  CAROM_HD bool touches(int c, int b, int other) const {
    const std::uint64_t both = std::uint64_t{1} << b | std::uint64_t{1} << other;
    return (blocks[c] & both) == both;
  }
  CAROM_HD Vector product(const RowView& view, int c, const Vec3T<F>* v) const {
    Vector sum{};
    each_bit(blocks[c],
             [&](int b) CAROM_HD_LAMBDA { sum = sum + rows::block_times(block[c * view.blocks() + b], v[b]); });
    return sum;
  }
};

}  // namespace carom::inline CAROM_PRECISION
