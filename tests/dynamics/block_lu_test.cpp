// Matrices in blocks that are not symmetric against dense sums in extended precision, teams and lanes against one
// thread with plain numbers.
#include "dynamics/block_lu.kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/dynamics/block_problems.h"

namespace carom {
namespace {

// The matrix of a random problem with entries that differ by up to a third between its two triangles.
BlockProblem random_unsymmetric(PatternKind kind, int blocks, unsigned seed) {
  BlockProblem p = random_problem(kind, blocks, seed);
  SeededRandom random(seed + 1000);
  for (int i = 0; i < p.n; ++i)
    for (int j = 0; j < p.n; ++j)
      if (i != j) p.A[i * p.n + j] = static_cast<Real>(p.at(i, j) * random.uniform(2.0 / 3, 1));
  return p;
}

template <class F>
struct LuNumbers {
  std::vector<Mat33T<F>> below, right;
  std::vector<Vec3T<F>> x;

  explicit LuNumbers(int blocks)
      : below(block_total(blocks), Mat33T<F>{}), right(block_total(blocks), Mat33T<F>{}), x(blocks) {}

  void set(int lane, const BlockProblem& p) {
    for (int i = 0; i < p.n; ++i) {
      set_lane(x[i / 3][i % 3], lane, static_cast<Real>(p.b[i]));
      for (int j = 0; j < p.n; ++j) {
        const int at = block_index(i / 3, j / 3);
        if (j / 3 <= i / 3) set_lane(below[at][i % 3][j % 3], lane, static_cast<Real>(p.at(i, j)));
        if (j / 3 < i / 3) set_lane(right[at][i % 3][j % 3], lane, static_cast<Real>(p.at(j, i)));
      }
    }
  }
  void solve(const BlockPattern& pattern) {
    factor_lu_blocks(Solo{}, pattern, below.data(), right.data());
    solve_lu_blocks(Solo{}, pattern, below.data(), right.data(), x.data());
  }
};

constexpr int kSizes[] = {1, 2, 3, 5, 9, 16, 33, 65};

// Proves that solutions are right to rounding. Dominant diagonals keep the factors below twice the matrix (Higham 2002,
// theorem 13.7), so that the residual is that of some n operations with numbers of its size.
TEST(BlockLu, SolvesDenseSystems) {
  for (const PatternKind kind : {PatternKind::kTree, PatternKind::kAny, PatternKind::kFull, PatternKind::kDiagonal})
    for (const int blocks : kSizes)
      for (unsigned seed = 0; seed < 5; ++seed) {
        const BlockProblem p = random_unsymmetric(kind, blocks, seed);
        LuNumbers<Real> numbers(blocks);
        numbers.set(0, p);
        numbers.solve(p.lists.pattern);
        for (int i = 0; i < p.n; ++i) {
          long double residual = p.b[i], size = 0;
          for (int j = 0; j < p.n; ++j) {
            const long double x = numbers.x[j / 3][j % 3];
            residual -= p.at(i, j) * x;
            size += std::sqrt(p.at(i, i) * p.at(j, j)) * std::abs(x);
          }
          ASSERT_LE(std::abs(residual), 4 * (p.n + 8) * std::numeric_limits<Real>::epsilon() * size)
              << "row " << i << ", kind " << static_cast<int>(kind) << ", " << blocks << " blocks, seed " << seed;
        }
      }
}

// Proves that each lane has the bits of its matrix alone, although the patterns of all of them are eliminated together.
TEST(BlockLu, LanesHaveTheBitsOfPlainNumbers) {
  constexpr PatternKind kKinds[] = {PatternKind::kTree, PatternKind::kAny, PatternKind::kFull, PatternKind::kDiagonal};
  for (const int blocks : kSizes)
    for (unsigned seed = 0; seed < 5; ++seed) {
      std::vector<BlockProblem> problems;
      Columns all(blocks);
      LuNumbers<Lanes<Real, 4>> together(blocks);
      for (int l = 0; l < 4; ++l) {
        problems.push_back(random_unsymmetric(kKinds[l], blocks, 100 * seed + l));
        for (int k = 0; k < blocks; ++k) all[k].insert(problems[l].wanted[k].begin(), problems[l].wanted[k].end());
        together.set(l, problems[l]);
      }
      together.solve(lists_of(all).pattern);
      for (int l = 0; l < 4; ++l) {
        LuNumbers<Real> alone(blocks);
        alone.set(0, problems[l]);
        alone.solve(problems[l].lists.pattern);
        for (int i = 0; i < problems[l].n; ++i)
          ASSERT_EQ(together.x[i / 3][i % 3][l], alone.x[i / 3][i % 3]) << blocks << " blocks, lane " << l;
      }
    }
}

}  // namespace
}  // namespace carom
