// Symmetric positive definite matrices in blocks of 3 x 3: factorisation and solving along a sparsity pattern.
//
//   A = L^T L, L lower triangular, eliminated from the last block row to the first.
//
// Degrees of freedom are numbered from the root of a kinematic tree to its leaves, so in this order a mass matrix
// fills in nothing that was zero before (Featherstone 2008, section 6.5). Three numbers square is what fits the
// registers of one thread together with both factors of a product: nine sums, and two loads for every three fma.
//
// Blocks of the lower triangle stand one after the other, (row, column) at row (row + 1) / 2 + column. A factor holds
// the reciprocals of its diagonal: dividing is done once.
#pragma once

#include <cstdint>

#include "backend/arena.h"
#include "backend/team.h"
#include "carom/math/mat33.h"
#include "math/bit_sets.h"

namespace carom::inline CAROM_PRECISION {

// Of a block row or column.
using BlockNumber = std::uint16_t;
// More rows would overflow the places of blocks; their numbers alone would take 100 gigabytes.
inline constexpr int kMostBlocks = 46'340;

// Which blocks left of the diagonal are not zero: for each row its columns, and for each column its rows, ascending.
// Rows that do not wait for each other form a level; leaves of a tree come first. build_pattern() fills the lists.
struct BlockPattern {
  int size = 0;     // block rows
  BitSets coupled;  // per row: its columns
  BlockNumber *column_count, *row_count;
  BlockNumber *column, *row;  // of row or column k from k * size on
  int* level_start;           // rows of level d: level_row[level_start[d] ... level_start[d + 1])
  BlockNumber* level_row;
  int* task_start;  // blocks of the rows of level d, with those on the diagonal, likewise
  BlockNumber *task_row, *task_column;
  int* level_count;  // one number
  int* nested;       // one flag: the rows that couple a column couple all that the row of its number does, as in trees

  CAROM_HD const BlockNumber* columns_of(int k) const { return column + k * size; }
  CAROM_HD const BlockNumber* rows_of(int k) const { return row + k * size; }
  CAROM_HD int levels() const { return *level_count; }
};

CAROM_HD constexpr int block_index(int row, int column) { return row * (row + 1) / 2 + column; }
CAROM_HD constexpr int block_total(int size) { return size * (size + 1) / 2; }

// Memory for sets of numbers below a bound.
CAROM_HD BitSets take_bit_sets(Arena& arena, int sets, int bound) {
  const int words = BitSets::words_for(bound);
  return {arena.take<std::uint64_t>(std::int64_t{words} * sets), sets, words};
}

// Memory for the lists of a pattern.
CAROM_HD BlockPattern take_pattern(Arena& arena, int size) {
  BlockPattern p;
  p.size = size;
  p.coupled = take_bit_sets(arena, size, size);
  p.level_start = arena.take<int>(size + 1);
  p.task_start = arena.take<int>(size + 1);
  p.level_count = arena.take<int>(1);
  p.nested = arena.take<int>(1);
  p.column_count = arena.take<BlockNumber>(size);
  p.row_count = arena.take<BlockNumber>(size);
  p.column = arena.take<BlockNumber>(size * size);
  p.row = arena.take<BlockNumber>(size * size);
  p.level_row = arena.take<BlockNumber>(size);
  p.task_row = arena.take<BlockNumber>(block_total(size));
  p.task_column = arena.take<BlockNumber>(block_total(size));
  return p;
}

// Adds the fill of the factorisation to p.coupled and makes the lists from it; by one thread.
CAROM_HD void build_pattern(const BlockPattern& p) {
  const int n = p.size;
  // Of the elimination tree, counted from the leaves; sorted into levels below.
  BlockNumber* const depth = p.level_row;
  int levels = 0;
  for (int k = 0; k < n; ++k) depth[k] = p.row_count[k] = p.column_count[k] = 0;
  for (int k = n - 1; k >= 0; --k) {  // eliminating k couples its columns with each other
    if (depth[k] >= levels) levels = depth[k] + 1;
    const int last = p.coupled.highest(k);
    if (last < 0) continue;
    for (int w = 0; w <= BitSets::word_of(last); ++w)
      p.coupled.at(last, w) |= p.coupled.at(k, w) & BitSets::below(last, w);
    if (depth[last] <= depth[k]) depth[last] = static_cast<BlockNumber>(depth[k] + 1);
  }
  for (int k = 0; k < n; ++k)
    p.coupled.each(k, [&](int i) CAROM_HD_LAMBDA {
      p.column[k * n + p.column_count[k]++] = static_cast<BlockNumber>(i);
      p.row[i * n + p.row_count[i]++] = static_cast<BlockNumber>(k);
    });
  bool nested = true;
  for (int k = 0; k < n; ++k)
    for (int t = 0; t < p.row_count[k]; ++t) nested = nested && p.coupled.contains(p.row[k * n + t], k, k);
  *p.nested = nested;
  // Depths are kept in the columns of the tasks while the rows are sorted by them.
  for (int k = 0; k < n; ++k) p.task_column[k] = depth[k];
  int rows = 0;
  for (int level = 0; level < levels; ++level) {
    p.level_start[level] = rows;
    for (int k = 0; k < n; ++k)
      if (p.task_column[k] == level) p.level_row[rows++] = static_cast<BlockNumber>(k);
  }
  p.level_start[levels] = rows;
  int tasks = 0;
  for (int level = 0; level < levels; ++level) {
    p.task_start[level] = tasks;
    for (int at = p.level_start[level]; at < p.level_start[level + 1]; ++at) {
      const int k = p.level_row[at];
      for (int t = 0; t <= p.column_count[k]; ++t, ++tasks) {
        p.task_row[tasks] = static_cast<BlockNumber>(k);
        p.task_column[tasks] = t < p.column_count[k] ? p.column[k * n + t] : static_cast<BlockNumber>(k);
      }
    }
  }
  p.task_start[levels] = tasks;
  *p.level_count = levels;
}

// f(s, t) for 0 <= t <= s < n.
template <class Team, class Function>
CAROM_HD void each_pair(Team team, int n, Function f) {
  if constexpr (Team::size() == 1) {
    team.each(n, [&](int s) CAROM_HD_LAMBDA {
      for (int t = 0; t <= s; ++t) f(s, t);
    });
  } else {
    team.each(n * (n + 1) / 2, [&](int i) {
      int s = 0;
      while (i > s) i -= ++s;  // row s holds s + 1 of them
      f(s, i);
    });
  }
}

namespace block {

// a -= b^T c
template <class F>
CAROM_HD void subtract_product(Mat33T<F>& a, const Mat33T<F>& b, const Mat33T<F>& c) {
  CAROM_UNROLL
  for (int m = 0; m < 3; ++m) {
    CAROM_UNROLL
    for (int r = 0; r < 3; ++r) a[r] = fma(c[m], -b[m][r], a[r]);
  }
}
// a -= b^T b, of which the lower triangle is wanted
template <class F>
CAROM_HD void subtract_square(Mat33T<F>& a, const Mat33T<F>& b) {
  CAROM_UNROLL
  for (int m = 0; m < 3; ++m) {
    a.row0.x = fma(b[m].x, -b[m].x, a.row0.x);
    a.row1.x = fma(b[m].x, -b[m].y, a.row1.x);
    a.row1.y = fma(b[m].y, -b[m].y, a.row1.y);
    a.row2.x = fma(b[m].x, -b[m].z, a.row2.x);
    a.row2.y = fma(b[m].y, -b[m].z, a.row2.y);
    a.row2.z = fma(b[m].z, -b[m].z, a.row2.z);
  }
}
// a += b^T c
template <class F>
CAROM_HD void add_product(Mat33T<F>& a, const Mat33T<F>& b, const Mat33T<F>& c) {
  CAROM_UNROLL
  for (int m = 0; m < 3; ++m) {
    CAROM_UNROLL
    for (int r = 0; r < 3; ++r) a[r] = fma(c[m], b[m][r], a[r]);
  }
}
// a^T v
template <class F>
CAROM_HD Vec3T<F> transposed_times(const Mat33T<F>& a, Vec3T<F> v) {
  return fma(a.row2, v.z, fma(a.row1, v.y, a.row0 * v.x));
}

// L with L^T L = a, the diagonal inverted; only the lower triangle of a is read.
template <class F>
CAROM_HD Mat33T<F> factor(const Mat33T<F>& a) {
  const F i2 = F(1) / sqrt(a[2][2]);
  const F l21 = a[2][1] * i2, l20 = a[2][0] * i2;
  const F i1 = F(1) / sqrt(fma(-l21, l21, a[1][1]));
  const F l10 = fma(-l21, l20, a[1][0]) * i1;
  const F i0 = F(1) / sqrt(fma(-l10, l10, fma(-l20, l20, a[0][0])));
  return {{i0, F(0), F(0)}, {l10, i1, F(0)}, {l20, l21, i2}};
}
// L^-T b, for a vector or a row of vectors.
template <class F, class V>
CAROM_HD void solve_transposed(const Mat33T<F>& L, V& b0, V& b1, V& b2) {
  b2 = b2 * L[2][2];
  b1 = fma(b2, -L[2][1], b1) * L[1][1];
  b0 = fma(b2, -L[2][0], fma(b1, -L[1][0], b0)) * L[0][0];
}
// L^-1 b
template <class F>
CAROM_HD Vec3T<F> solve_lower(const Mat33T<F>& L, Vec3T<F> b) {
  const F x0 = b.x * L[0][0];
  const F x1 = fma(-L[1][0], x0, b.y) * L[1][1];
  const F x2 = fma(-L[2][1], x1, fma(-L[2][0], x0, b.z)) * L[2][2];
  return {x0, x1, x2};
}

}  // namespace block

// f(place) for the blocks of a pattern, with those on the diagonal.
template <class Team, class Function>
CAROM_HD void each_block(Team team, const BlockPattern& pattern, Function f) {
  team.each(pattern.task_start[pattern.levels()],
            [&](int t) { f(block_index(pattern.task_row[t], pattern.task_column[t])); });
}

// f(row), the leaves of the pattern first or last. A team takes the rows of a level side by side.
template <class Team, class Function>
CAROM_HD void each_row_of_level(Team team, const BlockPattern& pattern, int level, Function f) {
  const int first = pattern.level_start[level];
  team.each(pattern.level_start[level + 1] - first, [&](int at) { f(pattern.level_row[first + at]); });
}
template <class Team, class Function>
CAROM_HD void each_row_from_leaves(Team team, const BlockPattern& pattern, Function f) {
  if constexpr (Team::size() == 1) {
    for (int k = pattern.size - 1; k >= 0; --k) f(k);
  } else {
    CAROM_ROLL
    for (int level = 0; level < pattern.levels(); ++level) each_row_of_level(team, pattern, level, f);
  }
}
template <class Team, class Function>
CAROM_HD void each_row_from_roots(Team team, const BlockPattern& pattern, Function f) {
  if constexpr (Team::size() == 1) {
    for (int k = 0; k < pattern.size; ++k) f(k);
  } else {
    CAROM_ROLL
    for (int level = pattern.levels() - 1; level >= 0; --level) each_row_of_level(team, pattern, level, f);
  }
}

namespace block {

// Block (k, i) of A less what the rows below it take: - sum L_rk^T L_ri, in the order of the rows.
template <class F>
CAROM_HD Mat33T<F> reduced(const BlockPattern& pattern, const Mat33T<F>* A, const Mat33T<F>* L, bool nested, int k,
                           int i) {
  const BlockNumber* const rows = pattern.rows_of(k);
  Mat33T<F> sum = A[block_index(k, i)];
  CAROM_ROLL
  for (int at = 0; at < pattern.row_count[k]; ++at) {
    const int r = rows[at];
    if (nested || i == k || pattern.coupled.has(r, i)) {
      const Mat33T<F>* const row = L + block_index(r, 0);
      subtract_product(sum, row[k], row[i]);
    }
  }
  return sum;
}

// The lower triangle of block (k, k), with the same bits.
template <class F>
CAROM_HD Mat33T<F> reduced_diagonal(const BlockPattern& pattern, const Mat33T<F>* A, const Mat33T<F>* L, int k) {
  const BlockNumber* const rows = pattern.rows_of(k);
  Mat33T<F> sum = A[block_index(k, k)];
  for (int at = 0; at < pattern.row_count[k]; ++at) subtract_square(sum, L[block_index(rows[at], k)]);
  return sum;
}

// A row of the factor, from those below it.
template <class F>
CAROM_HD void factor_row(const BlockPattern& pattern, const Mat33T<F>* A, Mat33T<F>* L, bool nested, int k) {
  const Mat33T<F> L_kk = L[block_index(k, k)] = factor(reduced_diagonal(pattern, A, L, k));
  const BlockNumber* const columns = pattern.columns_of(k);
  for (int t = 0; t < pattern.column_count[k]; ++t) {
    Mat33T<F> b = reduced(pattern, A, L, nested, k, columns[t]);
    solve_transposed(L_kk, b.row0, b.row1, b.row2);
    L[block_index(k, columns[t])] = b;
  }
}

// Alone, one row after the other: a block is read and written once.
template <class F>
CAROM_HD void factor_alone(const BlockPattern& pattern, const Mat33T<F>* A, Mat33T<F>* L) {
  const bool nested = *pattern.nested;
  for (int k = pattern.size - 1; k >= 0; --k) factor_row(pattern, A, L, nested, k);
}

// Row k of L^-T x, likewise.
template <class F>
CAROM_HD void solve_transposed_row(const BlockPattern& pattern, const Mat33T<F>* L, Vec3T<F>* x, int k) {
  const BlockNumber* const rows = pattern.rows_of(k);
  Vec3T<F> sum = x[k];
  CAROM_ROLL
  for (int t = 0; t < pattern.row_count[k]; ++t) sum -= transposed_times(L[block_index(rows[t], k)], x[rows[t]]);
  solve_transposed(L[block_index(k, k)], sum.x, sum.y, sum.z);
  x[k] = sum;
}

}  // namespace block

// The factor L of the lower triangle of A, which may stand in its place. Every block waits until all that it needs is
// there and is then computed in one go, in registers; the order of its sum is fixed.
template <class F, class Team>
CAROM_HD_FREE void factor_blocks(Team team, const BlockPattern& pattern, const Mat33T<F>* A, Mat33T<F>* L) {
  if constexpr (Team::size() == 1) return block::factor_alone(pattern, A, L);
  const bool nested = *pattern.nested;
  CAROM_ROLL
  for (int level = 0; level < pattern.levels(); ++level) {
    const int first = pattern.task_start[level], count = pattern.task_start[level + 1] - first;
    team.each(count, [&](int t) {
      const int k = pattern.task_row[first + t], i = pattern.task_column[first + t];
      L[block_index(k, i)] = block::reduced(pattern, A, L, nested, k, i);
    });
    each_row_of_level(team, pattern, level,
                      [&](int k) CAROM_HD_LAMBDA { L[block_index(k, k)] = block::factor(L[block_index(k, k)]); });
    team.each(count, [&](int t) {
      const int k = pattern.task_row[first + t], i = pattern.task_column[first + t];
      if (i == k) return;
      Mat33T<F>& b = L[block_index(k, i)];
      block::solve_transposed(L[block_index(k, k)], b.row0, b.row1, b.row2);
    });
  }
}

// x = L^-T x, the first half of solving.
template <class F, class Team>
CAROM_HD_FREE void solve_transposed_blocks(Team team, const BlockPattern& pattern, const Mat33T<F>* L, Vec3T<F>* x) {
  each_row_from_leaves(team, pattern, [&](int k) CAROM_HD_LAMBDA { block::solve_transposed_row(pattern, L, x, k); });
}

// Both, of a matrix that is made meanwhile, N rows at once: begin(g) makes what rows N g to N g + N - 1 are made of,
// and open(g) writes them to where those of L will be, and of x what is still missing there, from what was begun for
// rows from N g on.
template <int N, class F, class Team, class Begin, class Open>
CAROM_HD_FREE void factor_opened_blocks(Team team, const BlockPattern& pattern, Mat33T<F>* L, Vec3T<F>* x, Begin begin,
                                        Open open) {
  if constexpr (Team::size() == 1) {  // what is written is still near when it is read
    const bool nested = *pattern.nested;
    for (int g = pattern.size / N - 1; g >= 0; --g) {
      begin(g);
      open(g);
      for (int k = N * g + N - 1; k >= N * g; --k) {
        block::factor_row(pattern, L, L, nested, k);
        block::solve_transposed_row(pattern, L, x, k);
      }
    }
  } else {
    team.each(pattern.size / N, begin);
    team.each(pattern.size / N, open);
    factor_blocks(team, pattern, L, L);
    solve_transposed_blocks(team, pattern, L, x);
  }
}

// x = L^-1 x, the second half of solving.
template <class F, class Team>
CAROM_HD_FREE void solve_lower_blocks(Team team, const BlockPattern& pattern, const Mat33T<F>* L, Vec3T<F>* x) {
  each_row_from_roots(team, pattern, [&](int k) CAROM_HD_LAMBDA {
    const BlockNumber* const columns = pattern.columns_of(k);
    const Mat33T<F>* const row = L + block_index(k, 0);
    Vec3T<F> sum = x[k];
    CAROM_ROLL
    for (int t = 0; t < pattern.column_count[k]; ++t) sum -= row[columns[t]] * x[columns[t]];
    x[k] = block::solve_lower(row[k], sum);
  });
}

// x = A^-1 x, with the factor of A.
template <class F, class Team>
CAROM_HD_FREE void solve_blocks(Team team, const BlockPattern& pattern, const Mat33T<F>* L, Vec3T<F>* x) {
  solve_transposed_blocks(team, pattern, L, x);
  solve_lower_blocks(team, pattern, L, x);
}

// y = A x; the blocks on the diagonal are full.
template <class F, class Team>
CAROM_HD_FREE void multiply_blocks(Team team, const BlockPattern& pattern, const Mat33T<F>* A, const Vec3T<F>* x,
                                   Vec3T<F>* y) {
  team.each(pattern.size, [&](int k) {
    const Mat33T<F>* const row = A + block_index(k, 0);
    const BlockNumber* const columns = pattern.columns_of(k);
    const BlockNumber* const rows = pattern.rows_of(k);
    Vec3T<F> sum = row[k] * x[k];
    CAROM_ROLL
    for (int t = 0; t < pattern.column_count[k]; ++t) sum += row[columns[t]] * x[columns[t]];
    CAROM_ROLL
    for (int t = 0; t < pattern.row_count[k]; ++t)
      sum += block::transposed_times(A[block_index(rows[t], k)], x[rows[t]]);
    y[k] = sum;
  });
}

}  // namespace carom::inline CAROM_PRECISION
