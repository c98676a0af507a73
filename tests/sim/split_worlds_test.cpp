// What a GPU has to know of islands before it has found them: how much memory they may need, and which parts are left
// out of the steps of those that touch no other.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "scenes/scenes.h"
#include "solvers/mujoco/world_order.h"
#include "tests/sim/large_trees.h"
#include "tests/sim/splitter.h"

namespace carom {
namespace {

constexpr Real kDt = Splitter::kDt;

struct Memory {
  std::int64_t used, most;  // [bytes]
};
Memory memory_of_step(const Model& model, const State& state) {
  Splitter s(model, state);
  s.step_islands([&](const IslandStep& kernel) { launch(s.queue, s.plans.part_count, kernel); });
  return {s.split.memory_used(s.queue), s.split.most_memory(s.plans.traits, s.contact_count())};
}

void expect_room(const Model& model, int steps, const char* what) {
  Simulation simulation(model, "mujoco", kDt);
  if (steps > 0) simulation.step(steps);
  const Memory memory = memory_of_step(model, simulation.state());
  EXPECT_GT(memory.used, 0) << what;
  EXPECT_LE(memory.used, memory.most) << what;
}

// Rows of balls that touch: islands of `length` parts with no more contacts than they need.
ModelBuilder rows_of_balls(int rows, int length) {
  ModelBuilder builder;
  for (int i = 0; i < rows * length; ++i) {
    const int body = builder.add_body({.xform = {{Real(0.199) * Real(i % length), Real(i / length), 1}, {}}});
    builder.add_shape_sphere(body, Real(0.1));
  }
  return builder;
}

// The same of sliders, the smallest parts there are.
ModelBuilder pairs_of_sliders(int pairs) {
  ModelBuilder builder;
  for (int i = 0; i < 2 * pairs; ++i) {
    const int link = builder.add_link();
    builder.add_shape_sphere(link, Real(0.1));
    JointFrames frames;
    frames.parent_xform.p = {Real(i / 2), Real(0.199) * Real(i % 2), 1};
    builder.add_joint_prismatic(-1, link, {.axis = {0, 0, 1}}, frames);
  }
  return builder;
}

// Islands that are factored, of few parts and of as many as can be; a rope that touches itself and what lies on it; and
// piles, which are not.
TEST(SplitWorlds, NeedNoMoreMemoryThanWasTaken) {
  expect_room(pairs_of_sliders(150).finalize(), 0, "pairs of sliders");
  for (const int length : {2, 3, 31, 32, 33})
    expect_room(rows_of_balls(200 / length + 1, length).finalize(), 0, "rows of balls");
  expect_room(scenes::bin(300, scenes::BinOf::kBoxes).finalize(), 250, "pile");

  for (const int joints : {64, 100}) {
    ModelBuilder rope = large_trees::laden_rope(joints, 3);
    rope.add_ground_plane();
    expect_room(rope.finalize(), 5, "rope");
  }

  ModelBuilder worlds;
  worlds.add_ground_plane();
  worlds.replicate(rows_of_balls(10, 5), 2);
  worlds.add_world(large_trees::rope(64));
  worlds.replicate(pairs_of_sliders(100), 2);
  expect_room(worlds.finalize(), 0, "several worlds");
}

// Room is taken for all that may be, but not for much more than a pile needs.
TEST(SplitWorlds, TakeNotMuchMoreMemoryThanAPileNeeds) {
  const Model model = scenes::bin(300, scenes::BinOf::kSpheres).finalize();
  Simulation simulation(model, "mujoco", kDt);
  simulation.step(250);
  const Memory memory = memory_of_step(model, simulation.state());
  EXPECT_LT(memory.most, 3 * memory.used);
}

// Parts in the order of their rows: those of islands come last, behind the end of the last class.
TEST(SplitWorlds, PartsOfIslandsComeLast) {
  ModelBuilder builder = rows_of_balls(30, 2);
  builder.add_builder(rows_of_balls(20, 1), {.xform = {{0, 0, 5}, {}}});
  builder.add_builder(rows_of_balls(10, 3), {.xform = {{0, 0, 10}, {}}});
  const Model model = builder.finalize();
  Splitter s(model, model.state());
  ASSERT_EQ(s.plans.plans.size(), 1U);
  const int* const size = s.split.island_size();
  MuJoCoStep kernel = s.step(0);
  std::vector<int> all(s.plans.part_count);
  std::iota(all.begin(), all.end(), 0);
  kernel.worlds = {all.data(), s.plans.part_count};
  std::vector<RowCount> count(all.size());
  WorldOrder order;
  const int* const start = order.send(s.queue, kernel, count.data(), {.few = 5, .some = 9}, size);
  EXPECT_EQ(start[kRowClasses - 1], 0);  // no contacts: all of them in the last class
  EXPECT_EQ(start[kRowClasses], 20);
  std::vector<int> sorted(kernel.worlds.begin(), kernel.worlds.end());
  for (int i = 0; i < s.plans.part_count; ++i) EXPECT_EQ(size[sorted[i]] == 1, i < 20) << i;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, all);
}

}  // namespace
}  // namespace carom
