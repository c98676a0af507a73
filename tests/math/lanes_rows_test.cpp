// Transfers between lanes and memory, and the worlds of a lane group.
#include "math/lanes_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/world_lanes.h"

namespace carom {
namespace {

template <class T>
std::vector<T> counted(int n) {
  std::vector<T> memory(n);
  for (int i = 0; i < n; ++i) memory[i] = T(i + 1);
  return memory;
}

// Offsets in no order and no alignment; rows of 16 numbers do not overlap.
template <int W>
void spread(std::int64_t (&offset)[W]) {
  for (int l = 0; l < W; ++l) offset[l] = (l * 5 % W) * 17 + 1;
}

template <class T, int W, int N>
void check_rows() {
  std::int64_t offset[W];
  spread(offset);
  const std::vector<T> memory = counted<T>(17 * W + 2);
  Lanes<T, W> rows[N];
  load_rows(memory.data(), offset, rows);
  for (int l = 0; l < W; ++l)
    for (int k = 0; k < N; ++k) ASSERT_EQ(rows[k][l], memory[offset[l] + k]) << "N " << N << " W " << W;

  std::vector<T> written(memory.size(), T(-1)), expected = written;
  store_rows(written.data(), offset, rows);
  for (int l = 0; l < W; ++l)
    for (int k = 0; k < N; ++k) expected[offset[l] + k] = memory[offset[l] + k];
  ASSERT_EQ(written, expected) << "N " << N << " W " << W;
}

template <class T, int W>
void check_width() {
  [&]<int... I>(std::integer_sequence<int, I...>) { (check_rows<T, W, I + 1>(), ...); }
  (std::make_integer_sequence<int, 16>{});

  std::int64_t offset[W];
  spread(offset);
  std::vector<T> memory = counted<T>(17 * W + 2);
  const Lanes<T, W> x = gather(memory.data(), offset);
  for (int l = 0; l < W; ++l) ASSERT_EQ(x[l], memory[offset[l]]);
  scatter(memory.data(), offset, -x);
  for (int l = 0; l < W; ++l) ASSERT_EQ(memory[offset[l]], -T(offset[l] + 1));
}

// Proves that load_rows and store_rows move exactly the N numbers of each lane and touch nothing else.
TEST(LanesRows, MoveExactlyTheirNumbers) {
  check_width<Real, 1>();
  check_width<Real, 2>();
  check_width<Real, 4>();
  check_width<Real, 8>();
  check_width<Real, 16>();
  check_width<Real, 32>();
}

// Proves that the last lane group repeats its last world and every world is in exactly one group.
TEST(WorldLanes, LastGroupRepeatsItsLastWorld) {
  constexpr int W = kTierWidth<Real>;
  std::vector<int> worlds;
  for (int i = 0; i < 2 * W + 1; ++i) worlds.push_back(3 * i + 2);
  const Span<const int> span{worlds.data(), static_cast<std::int64_t>(worlds.size())};
  for (int group = 0; group < 3; ++group) {
    const auto ids = tier_group<Real>(span, group);
    for (int l = 0; l < W; ++l) EXPECT_EQ(ids[l], worlds[std::min(group * W + l, 2 * W)]);
  }
}

// Proves that fields of ragged worlds are read and written through offsets alike for one world and for lanes.
TEST(WorldLanes, OffsetsReachTheFieldsOfEachWorld) {
  using F = Lanes<Real, 4>;
  const std::vector<int> start = {0, 2, 5, 6, 10, 10};
  const Span<const int> world_start{start.data(), 6};
  std::vector<Real> memory = counted<Real>(70);
  const WorldIds<F> ids{{3, 0, 2, 1}};
  const Offsets<F> lanes = world_offsets(world_start, ids, 7);
  F transform[7];
  load_rows(memory.data(), lanes, 7, transform);
  for (int l = 0; l < 4; ++l) {
    const int world = ids[l];
    const Offsets<Real> one = world_offsets(world_start, WorldIds<Real>{world}, 7);
    Real alone[7];
    load_rows(memory.data(), one, 7, alone);
    for (int k = 0; k < 7; ++k) EXPECT_EQ(transform[k][l], alone[k]);
    EXPECT_EQ(alone[0], Real(start[world] * 7 + 7 + 1));
    EXPECT_EQ(load(memory.data(), lanes, 2)[l], load(memory.data(), one, 2));
  }
  store(memory.data(), lanes, 2, F(-1));
  for (int world = 0; world < 4; ++world) EXPECT_EQ(memory[start[world] * 7 + 2], Real(-1));
  EXPECT_EQ(std::count(memory.begin(), memory.end(), Real(-1)), 4);
}

}  // namespace
}  // namespace carom
