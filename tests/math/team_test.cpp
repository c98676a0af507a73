// The loops and sums of a team of one.
#include "backend/team.h"

#include <gtest/gtest.h>

#include <vector>

#include "carom/math/vec.h"
#include "math/lanes.h"

namespace carom {
namespace {

// Proves that Solo runs a loop in order.
TEST(Solo, EachRunsInOrder) {
  std::vector<int> visited;
  Solo{}.each(5, [&](int i) { visited.push_back(i); });
  EXPECT_EQ(visited, (std::vector<int>{0, 1, 2, 3, 4}));
  Solo{}.each(0, [&](int) { FAIL(); });
}

// Numbers whose sum depends on the order of adding.
Real number(int i) { return Real(1) / Real(i * i % 97 + 1) * (i % 3 == 0 ? Real(-1e4) : Real(1)); }

// Proves that a sum is added in the one order that every team keeps: eight partial sums, then a butterfly.
TEST(Solo, SumHasOneOrder) {
  for (int n : {0, 1, 2, 7, 8, 9, 64, 1000}) {
    Real s[8] = {};
    for (int j = 0; j < 8; ++j)
      for (int i = j; i < n; i += 8) s[j] += number(i);
    for (int apart = 4; apart > 0; apart /= 2)
      for (int j = 0; j < apart; ++j) s[j] += s[j + apart];
    EXPECT_EQ(Solo{}.sum(n, number), s[0]) << "n " << n;
  }
}

// Proves that sums of vectors and of lanes add each number as a sum of plain numbers does.
TEST(Solo, SumsOfVectorsAndLanes) {
  using F = Lanes<Real, 4>;
  const Vec3 v = Solo{}.sum(100, [](int i) { return Vec3{number(i), number(i + 1), number(i + 2)}; });
  const F f = Solo{}.sum(100, [](int i) {
    F x;
    for (int l = 0; l < 4; ++l) x.set(l, number(i + l));
    return x;
  });
  for (int l = 0; l < 4; ++l) {
    const Real alone = Solo{}.sum(100, [&](int i) { return number(i + l); });
    EXPECT_EQ(f[l], alone);
    if (l < 3) {
      EXPECT_EQ(v[l], alone);
    }
  }
}

}  // namespace
}  // namespace carom
