// The matrices of row space (row_space.kernel.h): Z^T = J L^-1, A = Z^T Z, and lambda+ from S = 1 + G A G^T.
#pragma once

#include "solvers/mujoco/row_space_problem.kernel.h"

namespace carom::inline CAROM_PRECISION {

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
CAROM_HD_FREE void fill_halves(Team team, const RowSpaceProblem<F>& problem, const BlockPattern& pattern,
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
CAROM_HD_FREE void find_coupling(Team team, const RowSpace<F>& s) {
  team.each(s.blocks, [&](int i) {
    const std::uint64_t support = s.support[i];
    std::uint64_t touched = 0;
    for (int j = s.blocks - 1; j >= 0; --j) touched += touched + ((support & s.support[j]) != 0);
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

// f(i, j) for the blocks of the lower triangle, by row: those whose bits columns(i) has.
template <class Team, class Columns, class Function>
CAROM_HD void each_coupled(Team team, int n, Columns columns, Function f) {
  if constexpr (Team::size() == 1) {
    team.each(n, [&](int i) { each_bit(columns(i), [&](int j) { f(i, j); }); });
  } else {
    each_pair(team, n, [&](int i, int j) {
      if (columns(i) >> j & 1) f(i, j);
    });
  }
}
CAROM_HD std::uint64_t up_to(int i) { return BitSets::below(i, 0) | std::uint64_t{1} << i; }

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
CAROM_HD_FREE void fill_A(Team team, const RowSpaceProblem<F>& problem) {
  const RowSpace<F>& s = problem.s;
  const auto columns = [&](int i) CAROM_HD_LAMBDA { return s.touched[i] & up_to(i); };
  each_coupled(team, s.blocks, columns, [&](int i, int j) {
    Mat33T<F> sum{};
    const auto Z_i = problem.half(i), Z_j = problem.half(j);
    each_bit(s.support[i] & s.support[j], [&](int k) CAROM_HD_LAMBDA { add_times_transposed(sum, Z_i[k], Z_j[k]); });
    s.A[block_index(i, j)] = sum;
  });
}

// A v of one block.
template <class Space, class F>
CAROM_HD Vec3T<F> times_A(const Space& s, int i, const Vec3T<F>* v) {
  Vec3T<F> sum;
  const auto left = up_to(i);
  s.each_before(i + 1, s.touched[i] & left, [&](int j) CAROM_HD_LAMBDA { sum += s.A[block_index(i, j)] * v[j]; });
  s.each_after(i, s.touched[i] & ~left,
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
// One block of S.
template <class Space>
CAROM_HD void fill_block_of_S(Space& s, int i, int j) {
  using F = typename Space::Number;
  Mat33T<F> sum{};
  if (s.touched[i] >> j & 1) {
    sum = between(s.G[i], s.A[block_index(i, j)], s.G[j]);
    if constexpr (Space::kHasTies)
      if (s.has_ties()) add_ties(s, i, j, sum);
  }
  if (i == j)
    for (int r = 0; r < 3; ++r) sum[r][r] += F(1);
  s.S[block_index(i, j)] = sum;
}
// The lower triangle of S.
template <class Space, class Team>
CAROM_HD void fill_S(Team team, Space& s) {
  if constexpr (Team::size() == 1) {
    s.each(team, [&](int i) CAROM_HD_LAMBDA {
      s.each_before(i, s.before[i], [&](int j) CAROM_HD_LAMBDA { fill_block_of_S(s, i, j); });
      fill_block_of_S(s, i, i);
    });
  } else {
    each_pair(team, s.blocks, [&](int i, int j) {
      if (i == j || (s.before[i] >> j & 1)) fill_block_of_S(s, i, j);
    });
  }
}

// f(i) for the blocks of row k left of the diagonal, then for k and, where there is one more, k + 1.
template <class Team, class Space, class Function>
CAROM_HD void each_of_row(Team team, const Space& s, int k, bool one_more, Function f) {
  if constexpr (Team::size() == 1) {
    s.each_before(k, s.before[k], f);
    f(k);
    if (one_more) f(k + 1);
  } else {
    team.each(k + 1 + one_more, [&](int i) {
      if (i >= k || (s.before[k] >> i & 1)) f(i);
    });
  }
}

// Row k of the factor, once those behind it are known, and the k-th number of the first half of solving.
template <class Team, class Space, class F>
CAROM_HD void factor_row(Team team, Space& s, const Vec3T<F>* x0, Vec3T<F>* v, int k) {
  each_of_row(team, s, k, true, [&](int i) CAROM_HD_LAMBDA {
    if (i > k) {
      Vec3T<F> sum = -s.G[k].times(x0[k]);
      if constexpr (Space::kHasTies)
        if (s.is_tied(k)) sum = fma(s.tie[k], -x0[k - 1].x, sum);
      s.each_after(k, s.after[k],
                   [&](int r) CAROM_HD_LAMBDA { sum -= block::transposed_times(s.S[block_index(r, k)], v[r]); });
      v[k] = sum;
    } else {
      Mat33T<F> sum = s.S[block_index(k, i)];
      s.each_after(k, i == k ? s.after[k] : s.after[k] & s.after[i], [&](int r) CAROM_HD_LAMBDA {
        block::subtract_product(sum, s.S[block_index(r, k)], s.S[block_index(r, i)]);
      });
      s.S[block_index(k, i)] = i == k ? block::factor(sum) : sum;
    }
  });
  const Mat33T<F>& L = s.S[block_index(k, k)];
  each_of_row(team, s, k, false, [&](int i) CAROM_HD_LAMBDA {
    if (i == k) {
      block::solve_transposed(L, v[k].x, v[k].y, v[k].z);
    } else {
      Mat33T<F>& b = s.S[block_index(k, i)];
      block::solve_transposed(L, b.row0, b.row1, b.row2);
    }
  });
}

// lambda+ of the weights G and the offsets. S = L^T L; the first half of solving goes along with the factorisation, as
// one more column.
template <class Space, class Team>
CAROM_HD void find_target(Team of_space, Space& s) {
  using F = typename Space::Number;
  const auto team = s.workers(of_space);
  fill_S(team, s);
  Vec3T<F>* const v = s.step;  // which is not known yet
  const Vec3T<F>* x0 = s.x0;
  if constexpr (Space::kHasOffsets) {
    if (s.offset) {  // y is not known yet either
      s.each(team, [&](int i) CAROM_HD_LAMBDA { s.y[i] = s.x0[i] + times_A(s, i, s.offset); });
      x0 = s.y;
    }
  }
  s.each_downwards([&](int k) CAROM_HD_LAMBDA { factor_row(team, s, x0, v, k); });
  team.each(1, [&](int) CAROM_HD_LAMBDA {
    s.each_upwards([&](int k) CAROM_HD_LAMBDA {
      Vec3T<F> sum = v[k];
      s.each_before(k, s.before[k], [&](int i) CAROM_HD_LAMBDA { sum -= s.S[block_index(k, i)] * v[i]; });
      v[k] = block::solve_lower(s.S[block_index(k, k)], sum);
    });
  });
  s.each(team, [&](int i) CAROM_HD_LAMBDA {
    Vec3T<F> target = s.G[i].transposed_times(v[i]);
    if constexpr (Space::kHasTies)
      if (i + 1 < s.blocks && s.is_tied(i + 1)) target.x = target.x + dot(s.tie[i + 1], v[i + 1]);
    if constexpr (Space::kHasOffsets)
      if (s.offset) target += s.offset[i];
    s.target[i] = target;
  });
}

}  // namespace row_space

}  // namespace carom::inline CAROM_PRECISION
