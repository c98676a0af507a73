// Random symmetric positive definite matrices in blocks, with trees and with any other pattern, and what the functions
// of block_matrix.kernel.h make of them. Included once per kind of team.
#pragma once

#include <cmath>
#include <set>
#include <vector>

#include "dynamics/block_matrix.kernel.h"
#include "dynamics/tree_plan.h"
#include "math/lanes.h"
#include "tests/random.h"

namespace carom {
namespace {

using Columns = std::vector<std::set<int>>;  // of each block row, left of the diagonal

inline PatternLists lists_of(const Columns& columns) {
  return PatternLists(static_cast<int>(columns.size()), [&](const BitSets& coupled) {
    for (int k = 0; k < coupled.count; ++k)
      for (const int i : columns[k]) coupled.add(k, i);
  });
}
inline Columns columns_of(const BlockPattern& pattern) {
  Columns columns(pattern.size);
  for (int k = 0; k < pattern.size; ++k) pattern.coupled.each(k, [&](int i) { columns[k].insert(i); });
  return columns;
}

// Numbers are kept as long double, those of A rounded to Real before.
struct BlockProblem {
  Columns wanted;  // before the fill
  PatternLists lists;
  int n;  // rows
  std::vector<long double> A, b;

  long double at(int i, int j) const { return A[i * n + j]; }
};

enum class PatternKind { kTree, kAny, kFull, kDiagonal };

inline Columns random_pattern(PatternKind kind, int blocks, FixedRandom& random) {
  Columns columns(blocks);
  for (int k = 1; k < blocks; ++k) {
    if (kind == PatternKind::kTree) {  // all the ancestors of a random parent; some rows begin a tree of their own
      const int parent = random.below(k + 1) - 1;
      if (parent < 0) continue;
      columns[k] = columns[parent];
      columns[k].insert(parent);
    } else if (kind == PatternKind::kAny) {
      for (int i = 0; i < k; ++i)
        if (random.one_in(5)) columns[k].insert(i);
    } else if (kind == PatternKind::kFull) {
      for (int i = 0; i < k; ++i) columns[k].insert(i);
    }
  }
  return columns;
}

// Diagonally dominant, then scaled from both sides over six orders of magnitude: masses differ that much in a robot.
inline BlockProblem random_problem(PatternKind kind, int blocks, unsigned seed) {
  SeededRandom random(seed);
  BlockProblem p;
  p.wanted = random_pattern(kind, blocks, random);
  p.lists = lists_of(p.wanted);
  p.n = 3 * blocks;
  std::vector<double> A(p.n * p.n, 0), scale(p.n);
  for (double& s : scale) s = random.log_uniform(0.03, 30);
  for (int i = 0; i < p.n; ++i)
    for (int j = 0; j < i; ++j)
      if (i / 3 == j / 3 || p.wanted[i / 3].contains(j / 3)) A[i * p.n + j] = A[j * p.n + i] = random.uniform(-1, 1);
  for (int i = 0; i < p.n; ++i) {
    double sum = 0.1;
    for (int j = 0; j < p.n; ++j) sum += std::abs(A[i * p.n + j]);
    A[i * p.n + i] = sum;
  }
  for (int i = 0; i < p.n; ++i)
    for (int j = 0; j < p.n; ++j) p.A.push_back(static_cast<Real>(A[i * p.n + j] * scale[i] * scale[j]));
  for (int i = 0; i < p.n; ++i) p.b.push_back(static_cast<Real>(random.uniform(-1, 1)));
  return p;
}

// A lane of a number: its own value for a plain one.
template <class F>
void set_lane(F& to, [[maybe_unused]] int lane, Real value) {
  if constexpr (PlainNumber<F>) to = value;
  else to.set(lane, value);
}
template <class F>
Real get_lane(const F& from, [[maybe_unused]] int lane) {
  if constexpr (PlainNumber<F>) return from;
  else return from[lane];
}

template <class F>
struct BlockNumbers {
  std::vector<Mat33T<F>> A, L;
  std::vector<Vec3T<F>> b, x, Ab;

  explicit BlockNumbers(int blocks) : A(block_total(blocks), Mat33T<F>{}), b(blocks), Ab(blocks) {}

  void set(int lane, const BlockProblem& p) {
    for (int i = 0; i < p.n; ++i) {
      set_lane(b[i / 3][i % 3], lane, static_cast<Real>(p.b[i]));
      for (int j = 0; j < p.n; ++j)
        if (j / 3 <= i / 3) set_lane(A[block_index(i / 3, j / 3)][i % 3][j % 3], lane, static_cast<Real>(p.at(i, j)));
    }
  }
  template <class Team>
  void run(Team team, const BlockPattern& pattern) {
    L.resize(A.size());
    x = b;
    factor_blocks(team, pattern, A.data(), L.data());
    solve_blocks(team, pattern, L.data(), x.data());
    multiply_blocks(team, pattern, A.data(), b.data(), Ab.data());
  }
};

// Of one lane, as plain numbers: x, A b, and the factor inside the pattern. Adding zero makes 0 and -0 the same.
template <class F>
std::vector<Real> results(const BlockNumbers<F>& numbers, const BlockProblem& p, int lane) {
  std::vector<Real> all;
  for (int i = 0; i < p.n; ++i) {
    all.push_back(get_lane(numbers.x[i / 3][i % 3], lane) + Real(0));
    all.push_back(get_lane(numbers.Ab[i / 3][i % 3], lane) + Real(0));
    for (int j = 0; j <= i; ++j)
      if (i / 3 == j / 3 || p.lists.pattern.coupled.has(i / 3, j / 3))
        all.push_back(get_lane(numbers.L[block_index(i / 3, j / 3)][i % 3][j % 3], lane) + Real(0));
  }
  return all;
}

}  // namespace
}  // namespace carom
