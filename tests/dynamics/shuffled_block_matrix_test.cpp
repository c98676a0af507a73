// Sparse matrices in blocks with loops in shuffled order: iterations of a team's loop are independent of each other.
#define CAROM_TIER shuffled
#define CAROM_SHUFFLE_TEAMS

#include <gtest/gtest.h>

#include "tests/dynamics/block_problems.h"

namespace carom {
namespace {

// Goes through its loops in order, whatever the tier.
struct InOrder {
  static constexpr int size() { return 1; }
  template <class Function>
  static void each(int n, Function f) {
    for (int i = 0; i < n; ++i) f(i);
  }
};

// Proves that the order of the iterations changes no bit of a factor, a solution or a product.
TEST(ShuffledBlockMatrix, SameBitsInEveryOrder) {
  for (const PatternKind kind : {PatternKind::kTree, PatternKind::kAny, PatternKind::kFull})
    for (const int blocks : {2, 5, 9, 33, 64, 130}) {
      const BlockProblem p = random_problem(kind, blocks, 7);
      BlockNumbers<Real> in_order(blocks), shuffled(blocks);
      in_order.set(0, p);
      in_order.run(InOrder{}, p.lists.pattern);
      shuffled.set(0, p);
      for (int run = 0; run < 5; ++run) {
        shuffled.run(Solo{}, p.lists.pattern);
        ASSERT_EQ(results(shuffled, p, 0), results(in_order, p, 0)) << blocks << " blocks, run " << run;
      }
    }
}

}  // namespace
}  // namespace carom
