// The shuffled loops of the test tier.
#define CAROM_TIER shuffled
#define CAROM_SHUFFLE_TEAMS

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "backend/team.h"

namespace carom {
namespace {

std::vector<int> order(int n) {
  std::vector<int> visited;
  Solo{}.each(n, [&](int i) { visited.push_back(i); });
  return visited;
}

// Proves that a shuffled loop visits every index exactly once, at every call.
TEST(ShuffledSolo, VisitsEachIndexOnce) {
  for (int n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 100, 1000, 4097}) {
    for (int call = 0; call < 20; ++call) {
      std::vector<int> visited = order(n);
      std::sort(visited.begin(), visited.end());
      std::vector<int> expected(n);
      std::iota(expected.begin(), expected.end(), 0);
      ASSERT_EQ(visited, expected);
    }
  }
}

// Proves that the order changes from call to call, and that every ordered pair of iterations occurs in both orders.
TEST(ShuffledSolo, OrderDiffersFromCallToCall) {
  constexpr int n = 6;
  std::set<std::vector<int>> orders;
  std::set<std::pair<int, int>> before;
  for (int call = 0; call < 200; ++call) {
    const std::vector<int> visited = order(n);
    orders.insert(visited);
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) before.insert({visited[i], visited[j]});
  }
  EXPECT_GT(orders.size(), 10u);
  EXPECT_EQ(before.size(), static_cast<std::size_t>(n * (n - 1)));
}

}  // namespace
}  // namespace carom
