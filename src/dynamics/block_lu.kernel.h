// Matrices that are not symmetric, in blocks of 3 x 3 along a symmetric pattern: factorisation and solving.
//
//   A = U L, eliminated from the last block row to the first as in block_matrix.kernel.h, without pivots: such a matrix
//   is a mass matrix and a little more.
//
// Two triangles of blocks hold it: `below` the blocks (k, i) with i <= k, `right` the transposes of the blocks (i, k)
// with i < k, in the same places. A factor holds the inverses of the blocks on its diagonal.
#pragma once

#include "dynamics/block_matrix.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace block {

// Gauss and Jordan, from the last row to the first.
template <class F>
CAROM_HD Mat33T<F> inverse(Mat33T<F> a) {
  Mat33T<F> b{{F(1), F(0), F(0)}, {F(0), F(1), F(0)}, {F(0), F(0), F(1)}};
  CAROM_UNROLL
  for (int k = 2; k >= 0; --k) {
    const F scale = F(1) / a[k][k];
    a[k] = a[k] * scale, b[k] = b[k] * scale;
    CAROM_UNROLL
    for (int r = 0; r < 3; ++r) {
      if (r == k) continue;
      const F share = -a[r][k];
      a[r] = fma(a[k], share, a[r]), b[r] = fma(b[k], share, b[r]);
    }
  }
  return b;
}

}  // namespace block

// The factor, in the place of the matrix: below, P_k^-1 A_ki of the blocks as they are when row k is eliminated, and
// the inverses of the pivots P_k; right, the blocks themselves. As in factor_blocks(), the order of every sum is fixed.
template <class F, class Team>
CAROM_HD_FREE void factor_lu_blocks(Team team, const BlockPattern& pattern, Mat33T<F>* below, Mat33T<F>* right) {
  CAROM_ROLL
  for (int level = 0; level < pattern.levels(); ++level) {
    const int first = pattern.task_start[level], count = pattern.task_start[level + 1] - first;
    team.each(count, [&](int t) {
      const int k = pattern.task_row[first + t], i = pattern.task_column[first + t];
      const BlockNumber* const rows = pattern.rows_of(k);
      const auto each_row_below = [&](auto f) CAROM_HD_LAMBDA {
        CAROM_ROLL
        for (int at = 0; at < pattern.row_count[k]; ++at)
          if (i == k || pattern.coupled.has(rows[at], i)) f(block_index(rows[at], 0));
      };
      Mat33T<F> lower = below[block_index(k, i)];
      each_row_below([&](int r) CAROM_HD_LAMBDA { block::subtract_product(lower, right[r + k], below[r + i]); });
      below[block_index(k, i)] = i == k ? block::inverse(lower) : lower;
      if (i == k) return;
      Mat33T<F> upper = right[block_index(k, i)];
      each_row_below([&](int r) CAROM_HD_LAMBDA { block::subtract_product(upper, below[r + k], right[r + i]); });
      right[block_index(k, i)] = upper;
    });
    team.each(count, [&](int t) {
      const int k = pattern.task_row[first + t], i = pattern.task_column[first + t];
      if (i != k) below[block_index(k, i)] = below[block_index(k, k)] * below[block_index(k, i)];
    });
  }
}

// x = A^-1 x, with the factor of A.
template <class F, class Team>
CAROM_HD_FREE void solve_lu_blocks(Team team, const BlockPattern& pattern, const Mat33T<F>* below,
                                   const Mat33T<F>* right, Vec3T<F>* x) {
  each_row_from_leaves(team, pattern, [&](int k) CAROM_HD_LAMBDA {
    const BlockNumber* const rows = pattern.rows_of(k);
    Vec3T<F> sum = x[k];
    CAROM_ROLL
    for (int t = 0; t < pattern.row_count[k]; ++t)
      sum -= block::transposed_times(right[block_index(rows[t], k)], x[rows[t]]);
    x[k] = below[block_index(k, k)] * sum;
  });
  each_row_from_roots(team, pattern, [&](int k) CAROM_HD_LAMBDA {
    const BlockNumber* const columns = pattern.columns_of(k);
    const Mat33T<F>* const row = below + block_index(k, 0);
    Vec3T<F> sum = x[k];
    CAROM_ROLL
    for (int t = 0; t < pattern.column_count[k]; ++t) sum -= row[columns[t]] * x[columns[t]];
    x[k] = sum;
  });
}

}  // namespace carom::inline CAROM_PRECISION
