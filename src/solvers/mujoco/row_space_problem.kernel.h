// What is solved in row space (row_space.kernel.h): the rows of the worlds of a group that have few of them, as blocks
// of three.
#pragma once

#include "solvers/mujoco/rows/row_work.h"
#include "solvers/mujoco/rows/singles.kernel.h"

namespace carom::inline CAROM_PRECISION {

// A world is solved here when it has no more row blocks than blocks of degrees of freedom, rows of dry friction counted
// twice (is_dear()), and no more than this: the lists of the three kinds fit a mask of 64 bits together, whatever the
// worlds are that share the lanes of a group. The blocks of its degrees of freedom fit one, too.
inline constexpr int kMostRowBlocks = 21;
CAROM_HD constexpr int most_row_blocks(int dof_blocks) {
  return dof_blocks > 64 ? 0 : dof_blocks < kMostRowBlocks ? dof_blocks : kMostRowBlocks;
}

template <class F>
struct RowSpace {
  using Number = F;
  int most;                                         // row blocks of a world
  int first_turning, first_single, blocks;          // where the blocks of the kinds begin, and all that are in use
  MaskOf<F> lanes;                                  // whose worlds are solved here
  decltype(RowKinds<F>::contacts.sliding) sliding;  // the first slots of the part's
  decltype(RowKinds<F>::contacts.turning) turning;
  SingleRows<F> singles;

  std::uint64_t* support;         // per row block: blocks of degrees of freedom where Z is not zero
  std::uint64_t* touched;         // blocks of rows that A couples with this one, itself included
  std::uint64_t *before, *after;  // the same of the factor of S: left of the diagonal, and below it
  Mat33T<F>*A, *S;                // lower triangles
  Vec3T<F>*x0, *x, *y, *lambda, *target, *step, *rest;
  RowRoot<F>* G;
  Vec3T<F>* tie;     // of turning blocks, see TurningRoot
  Vec3T<F>* offset;  // forces that follow no x, see Clamped; nullptr: there are none

  static constexpr bool kHasTies = true, kHasOffsets = true;
  CAROM_HD bool has_ties() const { return first_turning < first_single; }
  CAROM_HD bool is_tied(int i) const { return i >= first_turning && i < first_single && (i - first_turning) % 2 == 1; }

  // Loops over the blocks of rows; SmallRowSpace has the same. The threads of a team share the blocks.
  template <class Team>
  CAROM_HD static Team workers(Team team) {
    return team;
  }
  template <class Team, class Function>
  CAROM_HD void each(Team team, Function f) const {
    team.each(blocks, f);
  }
  template <class Function>
  CAROM_HD void each_upwards(Function f) const {
    CAROM_ROLL
    for (int i = 0; i < blocks; ++i) f(i);
  }
  template <class Function>
  CAROM_HD void each_downwards(Function f) const {
    CAROM_ROLL
    for (int i = blocks - 1; i >= 0; --i) f(i);
  }
  // Of a set of blocks all of which come before i, or after it.
  template <class Function>
  CAROM_HD static void each_before(int, std::uint64_t set, Function f) {
    each_bit(set, f);
  }
  template <class Function>
  CAROM_HD static void each_after(int, std::uint64_t set, Function f) {
    each_bit(set, f);
  }
};

// The kinds of contacts have their slots already.
template <class F>
CAROM_HD void take_row_space(Arena& arena, const RowView& view, const RowKinds<F>& kinds, RowSpace<F>& s) {
  const auto at_most = [&](int n) CAROM_HD_LAMBDA { return n < s.most ? n : s.most; };
  s.most = most_row_blocks(view.blocks());
  const int singles = at_most((kinds.contacts.frictionless.list.capacity + view.joint_rows() + 2) / 3);
  int capacity =
      at_most(kinds.contacts.sliding.list.capacity) + at_most(2 * kinds.contacts.turning.list.capacity) + singles;
  if (PlainNumber<F>) capacity = at_most(capacity);  // lists of worlds that share lanes may be long in turns
  s.singles.take(arena, view, singles);
  const auto masks = [&] { return arena.take<std::uint64_t>(capacity); };
  s.support = masks(), s.touched = masks(), s.before = masks(), s.after = masks();
  const auto vectors = [&] { return arena.take<Vec3T<F>>(capacity); };
  s.x0 = vectors(), s.x = vectors(), s.y = vectors(), s.lambda = vectors(), s.target = vectors(), s.step = vectors(),
  s.rest = vectors();
  s.G = arena.take<RowRoot<F>>(capacity);
  s.tie = kinds.contacts.turning.list.capacity > 0 ? vectors() : nullptr;
  s.offset = view.has_friction ? vectors() : nullptr;
  s.A = arena.take<Mat33T<F>>(block_total(capacity));
  s.S = arena.take<Mat33T<F>>(block_total(capacity));
}

namespace row_space {

// The rows of contacts that resist turning: two blocks.
template <class F>
CAROM_HD SpatialVectorT<F>* as_pairs(Vec3T<F>* blocks) {
  static_assert(sizeof(SpatialVectorT<F>) == 2 * sizeof(Vec3T<F>));
  return reinterpret_cast<SpatialVectorT<F>*>(blocks);
}

// Contacts of a lane that found a slot.
CAROM_HD int listed(const ContactList& list, int lane) {
  return list.lane_count[lane] < list.count ? list.lane_count[lane] : list.count;
}

// Whether a row of a joint counts twice: dry friction of an axis acts in every step, and in degrees of freedom it is no
// more than a number on the diagonal of the Hessian.
CAROM_HD bool is_dear(const RowView& view, int k) {
  return k < view.single_rows && view.joint_row[k].sort == JointRowSort::kFriction;
}
// How many of these act in one world.
template <class F, class Team>
CAROM_HD int dear_rows(Team team, const RowView& view, const F* D) {
  if (!view.has_friction) return 0;
  return team.compact(
      view.single_rows, [&](int k) CAROM_HD_LAMBDA { return D[k] > F(0) && is_dear(view, k); },
      [](int, int) CAROM_HD_LAMBDA {});
}

// singles: rows with one direction, as they count.
template <class F>
CAROM_HD bool fits_here(const RowSpace<F>& s, RowWork<F>& w, int lane, int singles) {
  int blocks = (singles + 2) / 3;
  w.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA { blocks += kind.row_blocks() * listed(kind.list, lane); });
  return blocks <= s.most;
}

// Lists what acts in every world, and finds those that are solved here.
template <class Team, class F>
CAROM_HD_FREE void list_rows(Team team, const RowView& view, RowWork<F>& w, RowSpace<F>& s) {
  constexpr int W = ScalarTraits<F>::kWidth;
  const ContactList &sliding = w.kinds.contacts.sliding.list, &turning = w.kinds.contacts.turning.list;
  const ContactList& frictionless = w.kinds.contacts.frictionless.list;
  const F* const D = w.kinds.joint.D;
  const int room = 3 * s.most;
  int rows = 0, slides = 0, turns = 0;
  if constexpr (PlainNumber<F>) {
    const int first = frictionless.count;
    rows = first + team.compact(
                       view.joint_rows(), [&](int k) CAROM_HD_LAMBDA { return D[k] > F(0); },
                       [&](int r, int k) CAROM_HD_LAMBDA {
                         if (first + r < room) s.singles.joint_row[first + r] = k;
                       });
    slides = sliding.count, turns = turning.count;
    const bool fits = w.has_rows && fits_here(s, w, 0, rows + dear_rows(team, view, D));
    team.each(1, [&](int) {
      if (fits)
        for (int r = 0; r < first; ++r) s.singles.joint_row[r] = -1;
      for (int r = rows; fits && r % 3 != 0; ++r) s.singles.joint_row[r] = -1;
    });
    team.note([&] { s.lanes = fits; });
  } else {
    int count[W], price[W];
    MaskOf<F> lanes{};
    for (int l = 0; l < W; ++l) count[l] = price[l] = listed(frictionless, l);
    for (int k = 0; k < view.joint_rows(); ++k)
      each_bit((D[k] > F(0)).bits(), [&](int l) { ++count[l], price[l] += is_dear(view, k) ? 2 : 1; });
    for (int l = 0; l < W; ++l) {
      const bool fits = w.has_rows[l] && fits_here(s, w, l, price[l]);
      lanes.set(l, fits);
      if (!fits) continue;
      rows = count[l] > rows ? count[l] : rows;
      slides = listed(sliding, l) > slides ? listed(sliding, l) : slides;
      turns = listed(turning, l) > turns ? listed(turning, l) : turns;
    }
    for (int r = 0; r < (rows + 2) / 3 * 3 * W; ++r) s.singles.joint_row[r] = -1;
    for (int l = 0; l < W; ++l) count[l] = listed(frictionless, l);
    for (int k = 0; k < view.joint_rows(); ++k)
      each_bit((D[k] > F(0) && lanes).bits(), [&](int l) { s.singles.joint_row[count[l]++ * W + l] = k; });
    s.lanes = lanes;
  }
  team.note([&] {
    s.first_turning = slides, s.first_single = slides + 2 * turns, s.blocks = s.first_single + (rows + 2) / 3;
    s.singles.rows = rows;
    s.sliding = w.kinds.contacts.sliding, s.sliding.list.count = slides;
    s.turning = w.kinds.contacts.turning, s.turning.list.count = turns;
    // The part's own may belong to lanes that are solved elsewhere.
    s.sliding.x = s.x, s.sliding.y = s.y;
    s.turning.x = as_pairs(s.x + s.first_turning), s.turning.y = as_pairs(s.y + s.first_turning);
    s.singles.x = s.x + s.first_single, s.singles.y = s.y + s.first_single;
  });
}

}  // namespace row_space

// As PartProblem, for what cost.kernel.h and line_search.kernel.h ask.
template <class F>
struct RowSpaceProblem {
  using Number = F;
  const RowView& view;
  RowSpace<F>& s;

  // f(kind, view), of those whose rows these are.
  template <class Function>
  CAROM_HD void each_kind(Function f) const {
    f(s.sliding, view);
    f(s.turning, view);
    f(s.singles, view);
  }
  // f(kind, slot, first block) for every slot.
  template <class Team, class Function>
  CAROM_HD void each_slot(Team team, Function f) const {
    const int turning = s.turning.list.count, single = s.first_turning + turning;
    team.each(single + s.blocks - s.first_single, [&](int i) {
      if (i < s.first_turning) f(s.sliding, i, i);
      else if (i < single) f(s.turning, i - s.first_turning, 2 * i - s.first_turning);
      else f(s.singles, i - single, i + turning);
    });
  }
  // The sum of f(block), the kinds for themselves: a lane whose list is shorter adds zeros at its end.
  template <class Team, class Function>
  CAROM_HD auto sum_blocks(Team team, Function f) const {
    const auto range = [&](int first, int end)
                           CAROM_HD_LAMBDA { return team.sum(end - first, [&](int i) { return f(first + i); }); };
    auto sum = range(0, s.first_turning) + range(s.first_single, s.blocks);
    if (s.first_turning < s.first_single) sum = sum + range(s.first_turning, s.first_single);
    return sum;
  }

  // Row blocks of a matrix that has as many columns as there are degrees of freedom.
  template <class Block>
  struct BlockRow {
    Block* first;
    int stride;
    CAROM_HD Block& operator[](int b) const { return first[b * stride]; }
  };
  CAROM_HD BlockRow<const Mat33T<F>> jacobian(int i) const {
    if (i < s.first_turning) return {s.sliding.J.block + i * view.blocks(), 1};
    if (i >= s.first_single) return {s.singles.jacobian + (i - s.first_single) * view.blocks(), 1};
    return {&s.turning.J.block[turning_slot(i) * view.blocks()].slide + (s.is_tied(i) ? 1 : 0), 2};
  }
  // Z^T; that of contacts stands where J^T C J would need C J.
  CAROM_HD BlockRow<Mat33T<F>> half(int i) const {
    if (i < s.first_turning) return {s.sliding.CJ + i * view.blocks(), 1};
    if (i >= s.first_single) return {s.singles.half + (i - s.first_single) * view.blocks(), 1};
    return {&s.turning.CJ[turning_slot(i) * view.blocks()].slide + (s.is_tied(i) ? 1 : 0), 2};
  }
  CAROM_HD std::uint64_t reach(int i) const {
    if (i < s.first_turning) return s.sliding.J.blocks.at(i, 0);
    return i >= s.first_single ? s.singles.reach[i - s.first_single] : s.turning.J.blocks.at(turning_slot(i), 0);
  }
  CAROM_HD Vec3T<F> reference(int i) const {
    if (i < s.first_turning) return s.sliding.aref[i];
    if (i >= s.first_single) return s.singles.aref[i - s.first_single];
    const SpatialVectorT<F>& of_slot = s.turning.aref[turning_slot(i)];
    return s.is_tied(i) ? of_slot.angular : of_slot.linear;
  }
  CAROM_HD int turning_slot(int i) const { return (i - s.first_turning) / 2; }
};

}  // namespace carom::inline CAROM_PRECISION
