// Sparse matrices in blocks against dense ones in extended precision, and lanes against plain numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/dynamics/block_problems.h"

namespace carom {
namespace {

constexpr PatternKind kKinds[] = {PatternKind::kTree, PatternKind::kAny, PatternKind::kFull, PatternKind::kDiagonal};
constexpr int kSizes[] = {1, 2, 3, 5, 9, 16, 33, 63, 64, 65, 130};  // around one and two words of 64 columns
unsigned seeds(int blocks) { return blocks > 64 ? 1 : 5; }          // dense ones of that size take long

// Bound of rounding after n operations; one more for every reciprocal that stands for a division.
long double gamma(int n) {
  const long double nu = (n + 8) * std::numeric_limits<Real>::epsilon();
  return nu / (1 - nu);
}

// L as a dense matrix with its true diagonal.
std::vector<long double> dense_factor(const BlockNumbers<Real>& numbers, int n) {
  std::vector<long double> L(n * n, 0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const Real value = numbers.L[block_index(i / 3, j / 3)][i % 3][j % 3];
      L[i * n + j] = i == j ? 1 / static_cast<long double>(value) : value;
    }
  return L;
}

// Higham, Accuracy and Stability of Numerical Algorithms (2002), theorems 10.3 and 10.4: whatever the order of the
// elimination, |A - L^T L| <= gamma |L^T| |L| <= gamma sqrt(a_ii a_jj), and the solution of A x = b belongs to a matrix
// that is as near, three times.
void expect_accurate(const BlockProblem& p, const BlockNumbers<Real>& numbers) {
  const int n = p.n;
  const std::vector<long double> L = dense_factor(numbers, n);
  const auto scale = [&](int i, int j) { return std::sqrt(p.at(i, i) * p.at(j, j)); };
  for (int i = 0; i < n; ++i) {
    long double product = 0, residual = p.b[i], product_bound = 0, residual_bound = 0;
    for (int j = 0; j < n; ++j) {
      const long double x = numbers.x[j / 3][j % 3];
      product += p.at(i, j) * p.b[j];
      product_bound += std::abs(p.at(i, j) * p.b[j]);
      residual -= p.at(i, j) * x;
      residual_bound += scale(i, j) * std::abs(x);
      long double sum = 0;
      for (int k = std::max(i, j); k < n; ++k) sum += L[k * n + i] * L[k * n + j];
      ASSERT_LE(std::abs(sum - p.at(i, j)), gamma(n + 1) * scale(i, j)) << "L^T L, " << i << ", " << j;
    }
    ASSERT_LE(std::abs(numbers.Ab[i / 3][i % 3] - product), gamma(n) * product_bound) << "A b, row " << i;
    ASSERT_LE(std::abs(residual), gamma(3 * n + 1) * residual_bound) << "b - A x, row " << i;
  }
}

// Proves that factor, solution and product are right to rounding, for every kind and size of pattern.
TEST(BlockMatrix, AgreesWithDenseMatrices) {
  for (const PatternKind kind : kKinds)
    for (const int blocks : kSizes)
      for (unsigned seed = 0; seed < seeds(blocks); ++seed) {
        SCOPED_TRACE(::testing::Message()
                     << "kind " << static_cast<int>(kind) << ", " << blocks << " blocks, seed " << seed);
        const BlockProblem p = random_problem(kind, blocks, seed);
        BlockNumbers<Real> numbers(blocks);
        numbers.set(0, p);
        numbers.run(Solo{}, p.lists.pattern);
        expect_accurate(p, numbers);
        if (HasFatalFailure()) return;
      }
}

// Proves that a tree fills in nothing, and that the fill of any other pattern is exactly what an elimination on sets
// from the last row to the first couples.
TEST(BlockMatrix, FillIsThatOfTheElimination) {
  for (const PatternKind kind : kKinds)
    for (const int blocks : kSizes)
      for (unsigned seed = 0; seed < 20; ++seed) {
        SeededRandom random(seed);
        Columns expected = random_pattern(kind, blocks, random);
        const PatternLists lists = lists_of(expected);
        const BlockPattern& pattern = lists.pattern;
        if (kind == PatternKind::kTree) {
          EXPECT_EQ(columns_of(pattern), expected);
          EXPECT_TRUE(*pattern.nested);
        }
        for (int k = blocks - 1; k >= 0; --k)
          for (const int i : expected[k])
            for (const int j : expected[k])
              if (j < i) expected[i].insert(j);
        ASSERT_EQ(columns_of(pattern), expected) << blocks << " blocks, seed " << seed;
        bool nested = true;
        for (int k = 0; k < blocks; ++k) {
          std::vector<int> rows;
          for (int i = k + 1; i < blocks; ++i)
            if (expected[i].contains(k)) rows.push_back(i);
          for (const int r : rows)
            nested =
                nested && std::includes(expected[r].begin(), expected[r].end(), expected[k].begin(), expected[k].end());
          const auto list = [](const BlockNumber* first, int count) { return std::vector<int>(first, first + count); };
          EXPECT_EQ(list(pattern.columns_of(k), pattern.column_count[k]),
                    std::vector<int>(expected[k].begin(), expected[k].end()));
          EXPECT_EQ(list(pattern.rows_of(k), pattern.row_count[k]), rows);
        }
        EXPECT_EQ(*pattern.nested != 0, nested);
      }
}

// Proves that each lane has the bits of its matrix alone, although a matrix in lanes is eliminated along the patterns
// of all of them together.
TEST(BlockMatrix, LanesHaveTheBitsOfPlainNumbers) {
  constexpr int W = 4;
  using F = Lanes<Real, W>;
  for (const int blocks : kSizes)
    for (unsigned seed = 0; seed < seeds(blocks); ++seed) {
      std::vector<BlockProblem> problems;
      Columns all(blocks);
      for (int l = 0; l < W; ++l) {
        problems.push_back(random_problem(kKinds[l], blocks, 100 * seed + l));
        for (int k = 0; k < blocks; ++k) all[k].insert(problems[l].wanted[k].begin(), problems[l].wanted[k].end());
      }
      const PatternLists together = lists_of(all);
      BlockNumbers<F> lanes(blocks);
      for (int l = 0; l < W; ++l) lanes.set(l, problems[l]);
      lanes.run(Solo{}, together.pattern);
      for (int l = 0; l < W; ++l) {
        BlockNumbers<Real> alone(blocks);
        alone.set(0, problems[l]);
        alone.run(Solo{}, problems[l].lists.pattern);
        EXPECT_EQ(results(lanes, problems[l], l), results(alone, problems[l], 0))
            << blocks << " blocks, seed " << seed << ", lane " << l;
      }
    }
}

// As BlockNumbers::run(), of a matrix whose rows are written N at once while it is eliminated.
template <int N>
void run_opened(BlockNumbers<Real>& numbers, const BlockPattern& pattern) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  numbers.L.assign(numbers.A.size(), mat33_diagonal(Vec3{nan, nan, nan}));
  numbers.x.assign(numbers.b.size(), Vec3{});
  std::vector<int> begun(pattern.size / N, 0);
  const auto open = [&](int g) {
    EXPECT_EQ(std::count(begun.begin() + g, begun.end(), 1), static_cast<std::ptrdiff_t>(begun.size()) - g);
    for (int k = N * g; k < N * g + N; ++k) {
      for (int i = 0; i <= k; ++i) numbers.L[block_index(k, i)] = numbers.A[block_index(k, i)];
      numbers.x[k] += numbers.b[k];
    }
  };
  factor_opened_blocks<N>(
      Solo{}, pattern, numbers.L.data(), numbers.x.data(), [&](int g) { begun[g] = 1; }, open);
  solve_lower_blocks(Solo{}, pattern, numbers.L.data(), numbers.x.data());
  multiply_blocks(Solo{}, pattern, numbers.A.data(), numbers.b.data(), numbers.Ab.data());
}

// Proves that a matrix that is made on the way has the factor and the solution, to the bit, of one that was there
// before, and that rows are opened when all from them on have begun.
TEST(BlockMatrix, RowsThatAreOpenedOnTheWayHaveTheBitsOfRowsThatAreThere) {
  for (const PatternKind kind : kKinds)
    for (const int blocks : kSizes)
      for (unsigned seed = 0; seed < seeds(blocks); ++seed) {
        const BlockProblem p = random_problem(kind, blocks, seed);
        BlockNumbers<Real> there(blocks);
        there.set(0, p);
        there.run(Solo{}, p.lists.pattern);
        BlockNumbers<Real> opened(blocks);
        opened.set(0, p);
        run_opened<1>(opened, p.lists.pattern);
        EXPECT_EQ(results(opened, p, 0), results(there, p, 0)) << blocks << " blocks, seed " << seed;
        if (blocks % 2 != 0) continue;
        run_opened<2>(opened, p.lists.pattern);
        EXPECT_EQ(results(opened, p, 0), results(there, p, 0)) << blocks << " blocks, two at once, seed " << seed;
      }
}

// Proves that a matrix which is not positive definite gives no numbers, rather than wrong ones.
TEST(BlockMatrix, NotPositiveDefiniteGivesNan) {
  for (const int blocks : {1, 4, 9})
    for (int row = 0; row < 3 * blocks; ++row) {
      BlockProblem p = random_problem(PatternKind::kFull, blocks, 1);
      p.A[row * p.n + row] = -1;
      BlockNumbers<Real> numbers(blocks);
      numbers.set(0, p);
      numbers.run(Solo{}, p.lists.pattern);
      bool finite = true;
      for (const Vec3& x : numbers.x) finite = finite && is_finite(x);
      EXPECT_FALSE(finite) << "row " << row;
    }
}

}  // namespace
}  // namespace carom
