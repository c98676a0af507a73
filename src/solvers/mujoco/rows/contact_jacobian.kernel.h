// What all kinds of contact rows have in common: the numbers of a contact, and its sparse Jacobian.
//
//   J_j d = +- (S_j.linear + S_j.angular x (p - o)) . d   for a direction d at the point p
//   J_j d = +- S_j.angular . d                            for turning about it
//
// S_j is the motion of degree of freedom j about o. Those that move both bodies cancel and are left out by the masks.
#pragma once

#include "carom/math/contact_frame.h"
#include "solvers/mujoco/impedance.kernel.h"
#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION {

namespace rows {

// The numbers of each lane's contact.
template <class F>
struct ContactNumbers : MaterialNumbers<F> {
  Vec3T<F> point, normal, tangent;
  F distance;
  MaskOf<F> rolls;  // lanes in which rolling is resisted
  MaskOf<F> valid;  // lanes that have this contact
};

template <class F, bool kTurns = false>
CAROM_HD ContactNumbers<F> gather_contact(const ContactView& contacts, const int* source) {
  ContactNumbers<F> k;
  pick_rows<MaterialNumbers, F>(source, contacts.material, k);
  pick_rows(source, contacts.point, k.point);
  pick_rows(source, contacts.normal, k.normal);
  pick_rows(source, contacts.tangent, k.tangent);
  k.distance = -pick<F>(source, [&](int c) CAROM_HD_LAMBDA { return contacts.depth[c]; });
  k.valid = k.inverse_mass > F(0) && k.distance < k.active_margin;
  if constexpr (kTurns)
    k.rolls = pick<F>(source, [&](int c) CAROM_HD_LAMBDA { return Real(contacts.material[c].condim); }) > F(4);
  return k;
}

// What contacts have beside; those that pull are valid wherever they are.
template <class F>
CAROM_HD ExtraNumbers<F> gather_extras(const ContactView& contacts, const int* source, ContactNumbers<F>& k) {
  ExtraNumbers<F> e;
  pick_rows<ExtraNumbers, F>(source, contacts.extras, e);
  k.valid = k.valid || (k.inverse_mass > F(0) && e.adhesion != F(0));
  return e;
}

// Of the integrator Discrete. Materials have a negative K there where it may not be softened.
template <class F, class Input>
CAROM_HD ImplicitLaw<F> implicit_law(const Input& in, const ContactNumbers<F>& k, F d) {
  return {in.implicit, {abs(k.stiffness), k.damping}, d, k.stiffness > F(0) && F(in.implicit.refsafe) > F(0)};
}

// How much larger 1 / D is after a change; 0 where there is no row.
template <class F>
CAROM_HD F softening(F before, F after) {
  const auto acts = before > F(0);
  return select(acts, F(1) / select(acts, after, F(1)) - F(1) / select(acts, before, F(1)), F(0));
}

// 1, or -1 where MuJoCo has the shapes of each lane's contact the other way round: the normal points to the other side
// then, the tangents to the same. Its first shape is the one with the lower type.
template <class F>
CAROM_HD F side_of(const ContactView& contacts, const int* shape_type, const int* source) {
  return pick<F>(source, [&](int c) CAROM_HD_LAMBDA {
    const int* const shape = contacts.material[c].shape;
    return shape_type[shape[0]] > shape_type[shape[1]] ? Real(-1) : Real(1);
  });
}

// Of a block: which of its degrees of freedom move the second (+1) or the first (-1) body of each lane's contact; those
// that move both are left out.
template <class F>
struct DofSigns {
  BitsOf<F> plus, minus;
  int first;  // bit of the block

  CAROM_HD F operator()(int i) const {
    const BitsOf<F> bit(1 << (first + i)), none(0);
    return select((plus & bit) != none, F(1), select((minus & bit) != none, F(-1), F(0)));
  }
};

// The same of a word.
template <class F>
struct WordSigns {
  BitsOf<F> plus{0}, minus{0};
  std::int32_t blocks = 0;  // bit 3 b: block b of the word holds one of them in some lane

  // moved(lane): those that move the second body, and the first one.
  template <class Moved>
  CAROM_HD explicit WordSigns(Moved moved) {
    std::int32_t any = 0;
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
      const Index2 of_lane = moved(l);
      set(plus, l, of_lane[0]);
      set(minus, l, of_lane[1]);
      any |= of_lane[0] | of_lane[1];
    }
    blocks = (any | any >> 1 | any >> 2) & 0x249249;  // one bit of every three
  }

 private:
  CAROM_HD static void set(BitsOf<F>& bits, int lane, std::int32_t value) {
    if constexpr (PlainNumber<F>) bits = value;
    else bits.v[lane] = value;
  }
};

// f(block, sign of its degrees of freedom) for the blocks that move a body in some lane; moved(lane, word).
template <class F, class Moved, class Function>
CAROM_HD void each_moved_block(LinkDofs::Words words, Moved moved, Function f) {
  CAROM_ROLL
  for (int word = words.first; word < words.end; ++word) {
    const WordSigns<F> signs([&](int lane) CAROM_HD_LAMBDA { return moved(lane, word); });
    each_bit(signs.blocks, [&](int bit) CAROM_HD_LAMBDA {
      f((word * kDofsPerWord + bit) / 3, DofSigns<F>{signs.plus, signs.minus, bit});
    });
  }
}

// The part of a Jacobian that belongs to three degrees of freedom, all of trees with known centres: for the normal, for
// the three axes of a contact, or for these and turning about them.
template <class F>
struct TurningBlock {
  Mat33T<F> slide, turn;
};

// f(place in the block, sign * velocity of the point, sign * angular velocity) for the degrees of freedom of a block,
// of one unit each; zeros where there is none.
template <class F, class Function>
CAROM_HD void each_motion(const TreeView& tree, const TreeWork<F>& w, int b, const DofSigns<F>& sign, Vec3T<F> point,
                          Function f) {
  int last = -1;
  Vec3T<F> arm;
  CAROM_ROLL
  for (int i = 0; i < 3; ++i) {
    const int link = tree.dof_link[3 * b + i];
    if (link < 0) {
      f(i, Vec3T<F>{}, Vec3T<F>{});
      continue;
    }
    const int of = tree.link[link].tree;
    if (of != last) arm = point - w.tree_com[of];
    last = of;
    const SpatialVectorT<F>& S = w.motion[3 * b + i];
    const F s = sign(i);
    const Vec3T<F> angular = S.angular * s;
    f(i, fma(S.linear, s, cross(angular, arm)), angular);
  }
}

template <class F>
CAROM_HD void fill_block(const TreeView& tree, const TreeWork<F>& w, int b, const DofSigns<F>& sign, Vec3T<F> point,
                         Vec3T<F> direction, Vec3T<F>& J) {
  each_motion(tree, w, b, sign, point,
              [&](int i, Vec3T<F> velocity, Vec3T<F>) CAROM_HD_LAMBDA { J[i] = dot(direction, velocity); });
}
template <class F>
CAROM_HD void fill_block(const TreeView& tree, const TreeWork<F>& w, int b, const DofSigns<F>& sign, Vec3T<F> point,
                         const Mat33T<F>& axes, Mat33T<F>& J) {
  each_motion(tree, w, b, sign, point, [&](int i, Vec3T<F> velocity, Vec3T<F>) CAROM_HD_LAMBDA {
    for (int r = 0; r < 3; ++r) J[r][i] = dot(axes[r], velocity);
  });
}
template <class F>
CAROM_HD void fill_block(const TreeView& tree, const TreeWork<F>& w, int b, const DofSigns<F>& sign, Vec3T<F> point,
                         const Mat33T<F>& axes, TurningBlock<F>& J) {
  each_motion(tree, w, b, sign, point, [&](int i, Vec3T<F> velocity, Vec3T<F> angular) CAROM_HD_LAMBDA {
    for (int r = 0; r < 3; ++r) {
      J.slide[r][i] = dot(axes[r], velocity);
      J.turn[r][i] = dot(axes[r], angular);
    }
  });
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

// As a number of row blocks: more than row space has room for.
inline constexpr int kNotInRowSpace = 1000;

// Slots of a kind that is made from contacts.
struct ContactSlots {
  ContactList list;
  std::uint8_t* changed;  // state, since H was built

  // Slots for contacts of these condims, where some contact may have one.
  template <class F>
  CAROM_HD int take_slots(Arena& arena, Condims own, ContactTraits traits, int most) {
    const int slots = traits.condims.has_any(own) ? most : 0;
    list = take_contact_list<F>(arena, slots);
    changed = arena.take<std::uint8_t>(slots);
    return slots;
  }
  CAROM_HD int count(const RowView&) const { return list.count; }
  CAROM_HD static constexpr bool acts(int) { return true; }  // in some lane: those that do not are not listed
  template <class Team, class Function>
  CAROM_HD auto sum(Team team, const RowView&, Function f) const {
    return team.sum(list.count, f);
  }
};

// Jacobians of the slots of a kind.
template <class F, int kDirections>
struct ContactJacobian {
  using Block = typename rows::RowTypes<F, kDirections>::Block;
  using Vector = typename rows::RowTypes<F, kDirections>::Vector;
  using Axes = typename rows::RowTypes<F, kDirections>::Axes;

  BitSets blocks;  // that each slot touches
  BitSets slots;   // that touch each block, once find_slots() was called
  Block* block;    // of slot c from c * (blocks of the world) on

  CAROM_HD void take(Arena& arena, const RowView& view, int capacity) {
    blocks = take_bit_sets(arena, capacity, view.blocks());
    slots = take_bit_sets(arena, view.blocks(), capacity);
    block = arena.take<Block>(std::int64_t{capacity} * view.blocks());
  }

  // Fills slot c for the axes of a contact at a point. Returns J v of the velocities.
  CAROM_HD Vector fill(const RowView& view, const RowInput<F>& in, int c, const int* source, Vec3T<F> point,
                       const Axes& axes) const {
    const auto links = [&](int lane) CAROM_HD_LAMBDA { return in.contacts.material[source[lane]].link; };
    const auto moved = [&](int lane, int word) CAROM_HD_LAMBDA {
      if (source[lane] < 0) return Index2{0, 0};
      const std::int32_t a = in.link_dofs(links(lane)[0], word), b = in.link_dofs(links(lane)[1], word);
      return Index2{b & ~a, a & ~b};
    };
    LinkDofs::Words words{0, in.link_dofs.words};
    if (words.end > 2) {  // otherwise they are looked at as fast
      words = in.link_dofs.words_of(-1);
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        if (source[l] >= 0) words = words | in.link_dofs.words_of(links(l)[0]) | in.link_dofs.words_of(links(l)[1]);
    }
    blocks.clear(c);
    Vector speed{};
    rows::each_moved_block<F>(words, moved, [&](int b, const rows::DofSigns<F>& sign) CAROM_HD_LAMBDA {
      blocks.add(c, b);
      Block& J = block[c * view.blocks() + b];
      rows::fill_block(in.tree, in.work, b, sign, point, axes, J);
      speed = speed + rows::block_times(J, in.work.qd[b]);
    });
    return speed;
  }

  // Of the first `count` slots. A thread alone goes through what they touch, a thread of a team takes a block.
  template <class Team>
  CAROM_HD void find_slots(Team team, int count) const {
    team.each(slots.count, [&](int b) {
      for (int w = 0; w < BitSets::words_for(count); ++w) slots.at(b, w) = 0;
      if constexpr (Team::size() > 1)
        for (int c = 0; c < count; ++c)
          if (touches(c, b)) slots.add(b, c);
    });
    if constexpr (Team::size() == 1)
      for (int c = 0; c < count; ++c) blocks.each(c, [&](int b) CAROM_HD_LAMBDA { slots.add(b, c); });
  }

  CAROM_HD bool touches(int c, int b) const { return blocks.has(c, b); }
  // f(J) for the blocks of slot c.
  template <class Function>
  CAROM_HD void change(const RowView& view, int c, Function f) const {
    blocks.each(c, [&](int b) CAROM_HD_LAMBDA { f(block[c * view.blocks() + b]); });
  }
  // row(J): of a block, one row.
  template <class Row>
  CAROM_HD RowMobility<F> mobility(const RowView& view, const RowInput<F>& in, int c, Row row) const {
    RowMobility<F> sum{in.tree, in.work, in.implicit.diagonal};
    blocks.each(c, [&](int b) CAROM_HD_LAMBDA {
      sum.add_block(b, [&](int dof) CAROM_HD_LAMBDA {  // the next block may be of a joint that does not move it
        return touches(c, dof / 3) ? row(block[c * view.blocks() + dof / 3])[dof % 3] : F(0);
      });
    });
    return sum;
  }
  CAROM_HD Vector product(const RowView& view, int c, const Vec3T<F>* v) const {
    Vector sum{};
    blocks.each(c, [&](int b) CAROM_HD_LAMBDA { sum = sum + rows::block_times(block[c * view.blocks() + b], v[b]); });
    return sum;
  }
};

}  // namespace carom::inline CAROM_PRECISION
