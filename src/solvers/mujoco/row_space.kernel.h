// The problem of cost.kernel.h in the space of its rows. With a = a0 + M^-1 J^T lambda and A = J M^-1 J^T,
//
//   x = x0 + A lambda,  x0 = J a0 - a_ref;   cost 1/2 lambda^T A lambda + s(x);   gradient J^T (lambda - f(x))
//
// and Newton's step for the rows that push, with the weights C = G^T G, leads to
//
//   lambda+ = -G^T S^-1 G x0,   S = 1 + G A G^T
//
// wherever it started. It costs what the rows of a world cost instead of its degrees of freedom, and S is well
// conditioned: D is about the inverse of A's diagonal.
//
// Rows stand in blocks of three: first the contacts with friction, then those that resist turning, two blocks each,
// then rows with one direction (singles.kernel.h). M = L^T L is factored for the smooth accelerations already; Z = L^-T
// J^T is zero outside the chains from the touched links to their roots, and A = Z^T Z.
#pragma once

#include "solvers/mujoco/newton.kernel.h"
#include "solvers/mujoco/part_problem.kernel.h"
#include "solvers/mujoco/rows/singles.kernel.h"

namespace carom::inline CAROM_PRECISION {

// A world is solved here when it has no more row blocks than blocks of degrees of freedom, and no more than this: the
// lists of the three kinds fit a mask of 64 bits together, whatever the worlds are that share the lanes of a group. The
// blocks of its degrees of freedom fit one, too.
inline constexpr int kMostRowBlocks = 21;
CAROM_HD constexpr int most_row_blocks(int dof_blocks) {
  return dof_blocks > 64 ? 0 : dof_blocks < kMostRowBlocks ? dof_blocks : kMostRowBlocks;
}

template <class F>
struct RowSpace {
  int most;                                         // row blocks of a world
  int first_turning, first_single, blocks;          // where the blocks of the kinds begin, and all that are in use
  MaskOf<F> lanes;                                  // whose worlds are solved here
  decltype(RowKinds<F>::contacts.pyramid) sliding;  // the first slots of the part's
  decltype(RowKinds<F>::contacts.turning) turning;
  SingleRows<F> singles;

  std::uint64_t* support;         // per row block: blocks of degrees of freedom where Z is not zero
  std::uint64_t* touched;         // blocks of rows that A couples with this one, itself included
  std::uint64_t *before, *after;  // the same of the factor of S: left of the diagonal, and below it
  Mat33T<F>*A, *S;                // lower triangles
  Vec3T<F>*x0, *x, *y, *lambda, *target, *step, *rest;
  RowRoot<F>* G;
  Vec3T<F>* tie;  // of turning blocks, see TurningRoot

  CAROM_HD bool is_tied(int i) const { return i >= first_turning && i < first_single && (i - first_turning) % 2 == 1; }
};

// The kinds of contacts have their slots already.
template <class F>
CAROM_HD void take_row_space(Arena& arena, const RowView& view, const RowKinds<F>& kinds, RowSpace<F>& s) {
  const auto at_most = [&](int n) CAROM_HD_LAMBDA { return n < s.most ? n : s.most; };
  s.most = most_row_blocks(view.blocks());
  const int singles = at_most((kinds.contacts.frictionless.list.capacity + view.limits() + 2) / 3);
  int capacity =
      at_most(kinds.contacts.pyramid.list.capacity) + at_most(2 * kinds.contacts.turning.list.capacity) + singles;
  if (PlainNumber<F>) capacity = at_most(capacity);  // lists of worlds that share lanes may be long in turns
  s.singles.take(arena, view, singles);
  const auto masks = [&] { return arena.take<std::uint64_t>(capacity); };
  s.support = masks(), s.touched = masks(), s.before = masks(), s.after = masks();
  const auto vectors = [&] { return arena.take<Vec3T<F>>(capacity); };
  s.x0 = vectors(), s.x = vectors(), s.y = vectors(), s.lambda = vectors(), s.target = vectors(), s.step = vectors(),
  s.rest = vectors();
  s.G = arena.take<RowRoot<F>>(capacity);
  s.tie = kinds.contacts.turning.list.capacity > 0 ? vectors() : nullptr;
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

template <class F>
CAROM_HD bool fits_here(const RowSpace<F>& s, const RowWork<F>& w, int lane, int singles) {
  const int sliding = w.kinds.contacts.pyramid.list.lane_count[lane];
  const int turning = w.kinds.contacts.turning.list.lane_count[lane];
  return sliding + 2 * turning + (singles + 2) / 3 <= s.most;
}

// Lists what acts in every world, and finds those that are solved here.
template <class Team, class F>
CAROM_HD_STAGE void list_rows(Team team, const RowView& view, const RowWork<F>& w, RowSpace<F>& s) {
  constexpr int W = ScalarTraits<F>::kWidth;
  const ContactList &sliding = w.kinds.contacts.pyramid.list, &turning = w.kinds.contacts.turning.list;
  const ContactList& frictionless = w.kinds.contacts.frictionless.list;
  const F* const D = w.kinds.limit.D;
  const int room = 3 * s.most;
  int rows = 0, slides = 0, turns = 0;
  if constexpr (PlainNumber<F>) {
    const int first = frictionless.count;
    rows = first + team.compact(
                       view.limits(), [&](int k) CAROM_HD_LAMBDA { return D[k] > F(0); },
                       [&](int r, int k) CAROM_HD_LAMBDA {
                         if (first + r < room) s.singles.limit[first + r] = k;
                       });
    slides = sliding.count, turns = turning.count;
    const bool fits = w.has_rows && fits_here(s, w, 0, rows);
    team.each(1, [&](int) {
      if (fits)
        for (int r = 0; r < first; ++r) s.singles.limit[r] = -1;
      for (int r = rows; fits && r % 3 != 0; ++r) s.singles.limit[r] = -1;
      s.lanes = fits;
    });
  } else {
    int count[W];
    MaskOf<F> lanes{};
    for (int l = 0; l < W; ++l) count[l] = frictionless.lane_count[l];
    for (int k = 0; k < view.limits(); ++k) each_bit((D[k] > F(0)).bits(), [&](int l) { ++count[l]; });
    for (int l = 0; l < W; ++l) {
      const bool fits = w.has_rows[l] && fits_here(s, w, l, count[l]);
      lanes.set(l, fits);
      if (!fits) continue;
      rows = count[l] > rows ? count[l] : rows;
      slides = sliding.lane_count[l] > slides ? sliding.lane_count[l] : slides;
      turns = turning.lane_count[l] > turns ? turning.lane_count[l] : turns;
    }
    for (int r = 0; r < (rows + 2) / 3 * 3 * W; ++r) s.singles.limit[r] = -1;
    for (int l = 0; l < W; ++l) count[l] = frictionless.lane_count[l];
    for (int k = 0; k < view.limits(); ++k)
      each_bit((D[k] > F(0) && lanes).bits(), [&](int l) { s.singles.limit[count[l]++ * W + l] = k; });
    s.lanes = lanes;
  }
  team.each(1, [&](int) {
    s.first_turning = slides, s.first_single = slides + 2 * turns, s.blocks = s.first_single + (rows + 2) / 3;
    s.singles.rows = rows;
    s.sliding = w.kinds.contacts.pyramid, s.sliding.list.count = slides;
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

namespace row_space {

// -- The matrix A.

// sum -= z L
template <class F>
CAROM_HD void subtract_times(Vec3T<F>& sum, Vec3T<F> z, const Mat33T<F>& L) {
  CAROM_UNROLL
  for (int m = 0; m < 3; ++m) sum = fma(L[m], -z[m], sum);
}

// Rows first to first + kRows - 1 of the block i of Z^T = J L^-1.
template <int kRows, class F>
CAROM_HD void fill_half(const RowSpaceProblem<F>& problem, const BlockPattern& pattern, const Mat33T<F>* L, int i,
                        int first) {
  const auto J = problem.jacobian(i);
  const auto Z = problem.half(i);
  const std::uint64_t reach = problem.reach(i), support = problem.s.support[i];
  CAROM_ROLL
  for (std::uint64_t todo = support; todo != 0;) {
    const int k = highest_bit(todo);
    todo &= ~(std::uint64_t{1} << k);
    Vec3T<F> sum[kRows];
    for (int r = 0; r < kRows; ++r) sum[r] = reach >> k & 1 ? J[k][first + r] : Vec3T<F>{};
    const BlockNumber* const rows = pattern.rows_of(k);
    CAROM_ROLL
    for (int t = 0; t < pattern.row_count[k]; ++t) {
      if (!(support >> rows[t] & 1)) continue;
      const Mat33T<F>& l = L[block_index(rows[t], k)];
      CAROM_UNROLL
      for (int r = 0; r < kRows; ++r) subtract_times(sum[r], Z[rows[t]][first + r], l);
    }
    const Mat33T<F>& l = L[block_index(k, k)];
    CAROM_UNROLL
    for (int r = 0; r < kRows; ++r) {
      block::solve_transposed(l, sum[r].x, sum[r].y, sum[r].z);
      Z[k][first + r] = sum[r];
    }
  }
}

template <class F, class Team>
CAROM_HD_STAGE void fill_halves(Team team, const RowSpaceProblem<F>& problem, const BlockPattern& pattern,
                                const Mat33T<F>* L) {
  const RowSpace<F>& s = problem.s;
  team.each(s.blocks, [&](int i) {
    std::uint64_t all = problem.reach(i);
    each_bit(problem.reach(i), [&](int k) CAROM_HD_LAMBDA { all |= pattern.coupled.at(k, 0); });
    s.support[i] = all;
  });
  // A thread alone takes a block, which reads L once for three rows; a thread of a team takes a row.
  if constexpr (Team::size() == 1) {
    team.each(s.blocks, [&](int i) { fill_half<3>(problem, pattern, L, i, 0); });
  } else {
    team.each(3 * s.blocks, [&](int row) { fill_half<1>(problem, pattern, L, row / 3, row % 3); });
  }
}

// Which blocks of rows are coupled: rows of trees that do not touch are not.
template <class F, class Team>
CAROM_HD_STAGE void find_coupling(Team team, const RowSpace<F>& s) {
  team.each(s.blocks, [&](int i) {
    std::uint64_t touched = 0;
    for (int j = 0; j < s.blocks; ++j)
      if (s.support[i] & s.support[j]) touched |= std::uint64_t{1} << j;
    s.touched[i] = touched;
    s.before[i] = touched & BitSets::below(i, 0);
    s.after[i] = 0;
  });
  team.each(1, [&](int) {
    for (int k = s.blocks - 1; k > 0; --k) {  // eliminating k couples its columns with each other
      if (s.before[k] == 0) continue;
      const int last = highest_bit(s.before[k]);
      s.before[last] |= s.before[k] & BitSets::below(last, 0);
      each_bit(s.before[k], [&](int i) CAROM_HD_LAMBDA { s.after[i] |= std::uint64_t{1} << k; });
    }
  });
}

// a += b c^T
template <class F>
CAROM_HD void add_times_transposed(Mat33T<F>& a, const Mat33T<F>& b, const Mat33T<F>& c) {
  CAROM_UNROLL
  for (int m = 0; m < 3; ++m) {
    const Vec3T<F> column{c[0][m], c[1][m], c[2][m]};
    CAROM_UNROLL
    for (int r = 0; r < 3; ++r) a[r] = fma(column, b[r][m], a[r]);
  }
}

template <class F, class Team>
CAROM_HD_STAGE void fill_A(Team team, const RowSpaceProblem<F>& problem) {
  const RowSpace<F>& s = problem.s;
  each_pair(team, s.blocks, [&](int i, int j) {
    if (!(s.touched[i] >> j & 1)) return;
    Mat33T<F> sum{};
    const auto Z_i = problem.half(i), Z_j = problem.half(j);
    each_bit(s.support[i] & s.support[j], [&](int k) CAROM_HD_LAMBDA { add_times_transposed(sum, Z_i[k], Z_j[k]); });
    s.A[block_index(i, j)] = sum;
  });
}

// A v of one block.
template <class F>
CAROM_HD Vec3T<F> times_A(const RowSpace<F>& s, int i, const Vec3T<F>* v) {
  Vec3T<F> sum;
  const std::uint64_t left = BitSets::below(i, 0) | std::uint64_t{1} << i;
  each_bit(s.touched[i] & left, [&](int j) CAROM_HD_LAMBDA { sum += s.A[block_index(i, j)] * v[j]; });
  each_bit(s.touched[i] & ~left,
           [&](int j) CAROM_HD_LAMBDA { sum += block::transposed_times(s.A[block_index(j, i)], v[j]); });
  return sum;
}

// -- Newton's step.

template <class F>
CAROM_HD Mat33T<F> block_of_A(const RowSpace<F>& s, int i, int j) {
  return i >= j ? s.A[block_index(i, j)] : transpose(s.A[block_index(j, i)]);
}
// What ties with the normal rows add to a block of G A G^T.
template <class F>
CAROM_HD void add_ties(const RowSpace<F>& s, int i, int j, Mat33T<F>& sum) {
  const auto add = [&](Vec3T<F> a, Vec3T<F> b) CAROM_HD_LAMBDA {
    for (int r = 0; r < 3; ++r) sum[r] = fma(b, a[r], sum[r]);
  };
  const bool i_tied = s.is_tied(i), j_tied = s.is_tied(j);
  if (i_tied) add(s.tie[i], s.G[j].times(block_of_A(s, i - 1, j).row0));
  if (j_tied) add(s.G[i].times(block_of_A(s, j - 1, i).row0), s.tie[j]);
  if (i_tied && j_tied) add(s.tie[i], s.tie[j] * block_of_A(s, i - 1, j - 1).row0.x);
}
// The lower triangle of S.
template <class F, class Team>
CAROM_HD_STAGE void fill_S(Team team, const RowSpace<F>& s) {
  const bool has_ties = s.first_turning < s.first_single;
  each_pair(team, s.blocks, [&](int i, int j) {
    if (i != j && !(s.before[i] >> j & 1)) return;
    Mat33T<F> sum{};
    if (s.touched[i] >> j & 1) {
      sum = between(s.G[i], s.A[block_index(i, j)], s.G[j]);
      if (has_ties) add_ties(s, i, j, sum);
    }
    if (i == j)
      for (int r = 0; r < 3; ++r) sum[r][r] += F(1);
    s.S[block_index(i, j)] = sum;
  });
}

// lambda+ of the weights G. S = L^T L; the first half of solving goes along with the factorisation, as one more column.
template <class F, class Team>
CAROM_HD_STAGE void find_target(Team team, const RowSpace<F>& s) {
  fill_S(team, s);
  Vec3T<F>* const v = s.step;  // which is not known yet
  CAROM_ROLL
  for (int k = s.blocks - 1; k >= 0; --k) {
    team.each(k + 2, [&](int i) {
      if (i > k) {
        Vec3T<F> sum = -s.G[k].times(s.x0[k]);
        if (s.is_tied(k)) sum = fma(s.tie[k], -s.x0[k - 1].x, sum);
        each_bit(s.after[k],
                 [&](int r) CAROM_HD_LAMBDA { sum -= block::transposed_times(s.S[block_index(r, k)], v[r]); });
        v[k] = sum;
      } else if (i == k || (s.before[k] >> i & 1)) {
        Mat33T<F> sum = s.S[block_index(k, i)];
        each_bit(i == k ? s.after[k] : s.after[k] & s.after[i], [&](int r) CAROM_HD_LAMBDA {
          block::subtract_product(sum, s.S[block_index(r, k)], s.S[block_index(r, i)]);
        });
        s.S[block_index(k, i)] = i == k ? block::factor(sum) : sum;
      }
    });
    const Mat33T<F>& L = s.S[block_index(k, k)];
    team.each(k + 1, [&](int i) {
      if (i == k) {
        block::solve_transposed(L, v[k].x, v[k].y, v[k].z);
      } else if (s.before[k] >> i & 1) {
        Mat33T<F>& b = s.S[block_index(k, i)];
        block::solve_transposed(L, b.row0, b.row1, b.row2);
      }
    });
  }
  team.each(1, [&](int) {
    CAROM_ROLL
    for (int k = 0; k < s.blocks; ++k) {
      Vec3T<F> sum = v[k];
      each_bit(s.before[k], [&](int i) CAROM_HD_LAMBDA { sum -= s.S[block_index(k, i)] * v[i]; });
      v[k] = block::solve_lower(s.S[block_index(k, k)], sum);
    }
  });
  team.each(s.blocks, [&](int i) {
    Vec3T<F> target = s.G[i].transposed_times(v[i]);
    if (i + 1 < s.blocks && s.is_tied(i + 1)) target.x = target.x + dot(s.tie[i + 1], v[i + 1]);
    s.target[i] = target;
  });
}

// -- The solution.

// x0, and x of the accelerations of the last step.
template <class F, class Team>
CAROM_HD_STAGE void start_residuals(Team team, const RowSpaceProblem<F>& problem, const Vec3T<F>* smooth,
                                    const Vec3T<F>* last) {
  team.each(problem.s.blocks, [&](int i) {
    const auto J = problem.jacobian(i);
    Vec3T<F> x_smooth, x_last;
    each_bit(problem.reach(i), [&](int b) CAROM_HD_LAMBDA {
      x_smooth += J[b] * smooth[b];
      x_last += J[b] * last[b];
    });
    const Vec3T<F> reference = problem.reference(i);
    problem.s.x0[i] = x_smooth - reference;
    problem.s.x[i] = x_last - reference;
  });
}

// Sets the weights of a slot; whether they changed.
template <class F>
CAROM_HD bool set_root(const RowSpace<F>& s, int i, const RowRoot<F>& G) {
  const bool changed = any(G.differs_from(s.G[i]));
  s.G[i] = G;
  return changed;
}
template <class F>
CAROM_HD bool set_root(const RowSpace<F>& s, int i, const TurningRoot<F>& G) {
  const Vec3T<F> before = s.tie[i + 1];
  s.tie[i + 1] = G.tie;
  const bool tie_changed = any(before.x != G.tie.x || before.y != G.tie.y || before.z != G.tie.z);
  const bool turn_changed = set_root(s, i + 1, G.turn);
  return set_root(s, i, G.slide) || turn_changed || tie_changed;
}

// The start: Newton's step for the rows that the accelerations of the last step push, or no forces at all, whichever
// costs less. Returns where it is the first.
template <class F, class Team>
CAROM_HD_STAGE MaskOf<F> choose_start(Team team, const RowSpaceProblem<F>& problem) {
  RowSpace<F>& s = problem.s;
  problem.each_slot(team, [&](auto& kind, int slot, int i) { set_root(s, i, kind.root_at(slot)); });
  team.each(s.blocks, [&](int i) { s.x[i] = s.x0[i]; });
  const F cost_without = constraint_cost(team, problem);
  find_target(team, s);
  team.each(s.blocks, [&](int i) {
    s.y[i] = times_A(s, i, s.target);
    s.x[i] = s.x0[i] + s.y[i];
  });
  const F energy = problem.sum_blocks(team, [&](int i) { return dot(s.target[i], s.y[i]); });
  const F cost = fma(energy, F(0.5), constraint_cost(team, problem));
  const auto warm = s.lanes && cost < cost_without;
  team.each(s.blocks, [&](int i) {
    s.lambda[i] = select(warm, s.target[i], Vec3T<F>{});
    s.x[i] = select(warm, s.x[i], s.x0[i]);
  });
  return warm;
}

// f - lambda of a slot.
template <class F>
CAROM_HD void set_rest(const RowSpace<F>& s, int i, Vec3T<F> f) {
  s.rest[i] = f - s.lambda[i];
}
template <class F>
CAROM_HD void set_rest(const RowSpace<F>& s, int i, const SpatialVectorT<F>& f) {
  set_rest(s, i, f.linear);
  set_rest(s, i + 1, f.angular);
}

// Forces and weights at x; whether some weight changed.
template <class F, class Team>
CAROM_HD_STAGE bool update(Team team, const RowSpaceProblem<F>& problem) {
  const RowSpace<F>& s = problem.s;
  bool changed = false;
  problem.each_slot(team, [&](auto& kind, int slot, int i) {
    set_rest(s, i, kind.force_at(slot));
    if (set_root(s, i, kind.root_at(slot))) changed = true;
  });
  return team.any(changed);
}

// |J^T (f - lambda)|
template <class F, class Team>
CAROM_HD_STAGE F gradient_size(Team team, const RowSpaceProblem<F>& problem) {
  return sqrt(team.sum(problem.view.blocks(), [&](int b) {
    Vec3T<F> sum;
    CAROM_ROLL
    for (int i = 0; i < problem.s.blocks; ++i)
      if (problem.reach(i) >> b & 1) sum += block::transposed_times(problem.jacobian(i)[b], problem.s.rest[i]);
    return dot(sum, sum);
  }));
}

// Products of y = A step: with what is left of the gradient, with lambda and with the step.
template <class F>
struct StepProducts {
  F descent{}, slope{}, curvature{};
  friend CAROM_HD StepProducts operator+(StepProducts a, StepProducts b) {
    return {a.descent + b.descent, a.slope + b.slope, a.curvature + b.curvature};
  }
};
template <class F, class Team>
CAROM_HD_STAGE StepProducts<F> find_step(Team team, const RowSpaceProblem<F>& problem) {
  const RowSpace<F>& s = problem.s;
  team.each(s.blocks, [&](int i) { s.step[i] = s.target[i] - s.lambda[i]; });
  team.each(s.blocks, [&](int i) { s.y[i] = times_A(s, i, s.step); });
  return problem.sum_blocks(team, [&](int i) {
    const Vec3T<F> y = s.y[i];
    return StepProducts<F>{dot(s.rest[i], y), dot(s.lambda[i], y), dot(s.step[i], y)};
  });
}

// What others read of the solution: accelerations, forces of the rows and of the degrees of freedom.
template <class F, class Team>
CAROM_HD_STAGE void finish(Team team, const RowSpaceProblem<F>& problem, const BlockPattern& pattern,
                           const Mat33T<F>* L, RowWork<F>& w) {
  const RowSpace<F>& s = problem.s;
  const int blocks = problem.view.blocks();
  team.each(blocks, [&](int b) {
    Vec3T<F> a, f;
    CAROM_ROLL
    for (int i = 0; i < s.blocks; ++i) {
      if (s.support[i] >> b & 1) a += block::transposed_times(problem.half(i)[b], s.lambda[i]);
      if (problem.reach(i) >> b & 1) f += block::transposed_times(problem.jacobian(i)[b], s.lambda[i]);
    }
    w.search[b] = a;
    w.constraint_force[b] = select(s.lanes, f, w.constraint_force[b]);
  });
  solve_lower_blocks(team, pattern, L, w.search);
  team.each(blocks, [&](int b) {
    w.acceleration[b] = select(s.lanes, w.smooth_acceleration[b] + w.search[b], w.acceleration[b]);
  });
  const auto give_back = [&](auto& kind, int slots, const auto* x, const auto* force) CAROM_HD_LAMBDA {
    team.each(slots, [&](int c) {
      kind.x[c] = select(s.lanes, x[c], kind.x[c]);
      kind.force[c] = select(s.lanes, kind.inside(c, force[c]), kind.force[c]);
    });
  };
  give_back(w.kinds.contacts.pyramid, s.sliding.list.count, s.x, s.lambda);
  give_back(w.kinds.contacts.turning, s.turning.list.count, s.turning.x, as_pairs(s.lambda + s.first_turning));
  s.singles.give_back(team, s.lanes, s.lambda + s.first_single, w.kinds.contacts.frictionless, w.kinds.limit);
}

}  // namespace row_space

// As solve_newton(), for the worlds that list_rows() found. L: the factor of M; last: accelerations of the last step.
template <class F, class Team>
CAROM_HD_STAGE NewtonReport<F> solve_in_row_space(Team team, const RowView& view, const BlockPattern& pattern,
                                                  const Mat33T<F>* L, F trace, const Vec3T<F>* last, RowWork<F>& w,
                                                  RowSpace<F>& s, const NewtonOptions& options) {
  const RowSpaceProblem<F> problem{view, s};
  const F scale = F(1) / trace, tolerance(options.tolerance);
  s.singles.fill(team, view, w.kinds.contacts.frictionless, w.kinds.limit);
  row_space::fill_halves(team, problem, pattern, L);
  row_space::find_coupling(team, s);
  row_space::fill_A(team, problem);
  row_space::start_residuals(team, problem, w.smooth_acceleration, last);
  const MaskOf<F> warm = row_space::choose_start(team, problem);
  MaskOf<F> done = !s.lanes;
  NewtonReport<F> report{select(warm, F(1), F(0)), F(0), F(0) <= F(0)};
  MaskOf<F> stopped = done;
  CAROM_ROLL
  while (true) {
    const bool changed = row_space::update(team, problem);
    const F size = row_space::gradient_size(team, problem) * scale;
    report.residual = select(stopped, report.residual, size);
    done = done || (!stopped && !(size >= tolerance));
    stopped = stopped || done || !(report.iterations < F(Real(options.iterations)));
    if (all(stopped)) break;

    if (changed) row_space::find_target(team, s);
    const row_space::StepProducts<F> step = row_space::find_step(team, problem);
    report.converged = report.converged && (stopped || step.descent == step.descent);
    done = done || (!stopped && !(step.descent * F(0.5) * scale >= tolerance));
    stopped = stopped || done;
    if (all(stopped)) break;

    const F length = sqrt(max(step.curvature, F(0)) * scale);  // of the accelerations' step, at least
    const F small_slope = small_slope_of(options, length, scale, step.descent);
    const F alpha =
        line_search(team, problem, SlopeT<F>{step.slope, step.curvature}, small_slope, options.ls_iterations, stopped);
    team.each(s.blocks, [&](int i) {
      s.lambda[i] = select(stopped, s.lambda[i], fma(s.step[i], alpha, s.lambda[i]));
      s.x[i] = select(stopped, s.x[i], fma(s.y[i], alpha, s.x[i]));
    });
    report.iterations = select(stopped, report.iterations, report.iterations + F(1));
  }
  row_space::finish(team, problem, pattern, L, w);
  report.converged = report.converged && done;
  return report;
}

}  // namespace carom::inline CAROM_PRECISION
