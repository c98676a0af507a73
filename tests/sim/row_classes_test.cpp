// Parts by how many rows they have, and how many threads of a GPU each of them gets.
#include <gtest/gtest.h>

#include <vector>

#include "backend/launch.h"
#include "solvers/mujoco/kernels.h"

namespace carom {
namespace {

// Where the classes begin among parts of which so many have 15, 7 and 2 blocks of rows.
std::vector<int> classes_of(int many, int some, int few) {
  std::vector<std::uint64_t> key;
  key.insert(key.end(), many, RowKey::first_of(15));
  key.insert(key.end(), some, RowKey::first_of(7));
  key.insert(key.end(), few, RowKey::first_of(2));
  std::vector<int> start(kRowClasses + 1, -1);
  launch(Queue(Device{}), kRowClasses + 1,
         FindClasses{{key.data(), static_cast<std::int64_t>(key.size())}, {9, 5, -1}, start.data()});
  return start;
}

// Proves that parts with many rows have a warp each, unless they are most of more parts than there are warps.
TEST(RowClasses, CrowdsShareWarps) {
  constexpr int kMost = FindClasses::kMostWarps;
  EXPECT_EQ(classes_of(0, 0, 0), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(classes_of(3, 2, 4), (std::vector<int>{0, 3, 5, 9}));
  EXPECT_EQ(classes_of(kMost, 2, 4), (std::vector<int>{0, kMost, kMost + 2, kMost + 6}));
  EXPECT_EQ(classes_of(kMost + 1, 2, 4), (std::vector<int>{0, 0, kMost + 3, kMost + 7}));
  EXPECT_EQ(classes_of(kMost + 1, 2, kMost), (std::vector<int>{0, kMost + 1, kMost + 3, 2 * kMost + 3}));
}

}  // namespace
}  // namespace carom
