// Room for contacts: a step that needs more of it takes more and loses nothing; a warm step takes none.
#include <gtest/gtest.h>

#include "tests/alloc_counter.h"
#include "tests/same_contacts.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

using step_scenes::same_bits;
using step_scenes::Worlds;

// `balls` spheres beside each other on the ground, every second one without friction.
ModelBuilder balls(int balls) {
  ModelBuilder builder;
  for (int i = 0; i < balls; ++i) {
    ShapeConfig cfg;
    cfg.condim = i % 2 ? 1 : 3;
    const int body = builder.add_body({.xform = step_scenes::at(Real(i), 0, Real(0.0999))});
    builder.add_shape_sphere(body, Real(0.1), {.cfg = cfg});
  }
  return builder;
}

Model worlds_with_balls(const std::vector<int>& counts) {
  ModelBuilder builder;
  ShapeConfig ground;
  ground.condim = 1;
  builder.add_ground_plane(0, {.cfg = ground});
  for (const int count : counts) builder.add_world(balls(count));
  return builder.finalize();
}

// Proves that worlds that need much room beside worlds that need little have the bits that they have one at a time, of
// one kind and of several, from the first step on.
TEST(Room, IsThereForAll) {
  const Model balls_only = worlds_with_balls({1, 12, 2, 12, 1, 7, 12, 12, 1, 1});
  const Worlds mixed = step_scenes::make_worlds({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
  for (const Model& model : {balls_only, mixed.model}) {
    const Queue one_by_one({}, {.lanes = 1});
    Simulation narrow(model, "mujoco", step_scenes::kDt, &one_by_one), wide(model, "mujoco", step_scenes::kDt);
    int most = 0;
    for (int i = 0; i < 40; ++i) {
      for (Simulation* simulation : {&narrow, &wide}) simulation->step(i < 10 ? 1 : 4);
      for (int w = 0; w < model.world_count; ++w) {
        EXPECT_EQ(narrow.status()[w], 0);
        EXPECT_EQ(wide.status()[w], 0);
        most = std::max(most, wide.solver().reports().contacts[w]);
      }
      visit_state([&](const char* name, Entity, auto get) {
        EXPECT_TRUE(same_bits(get(narrow.state()), get(wide.state()))) << name << " in step " << i;
      });
      expect_same_contacts(narrow.contacts(), wide.contacts());
      if (HasFailure()) FAIL() << "step " << i;
    }
    EXPECT_GT(most, 4);
  }
}

// Proves that every contact of a world counts, whatever its kind.
TEST(Room, HoldsBothKindsOfFriction) {
  const Model model = worlds_with_balls({20});
  Simulation simulation(model, "mujoco", step_scenes::kDt);
  simulation.step();
  EXPECT_EQ(simulation.contacts().rigid_contact_count[0], 20);
  EXPECT_EQ(simulation.solver().reports().contacts[0], 20);
  EXPECT_EQ(simulation.solver().reports().frictional[0], 10);
}

// Proves that a warm step takes no memory, in lanes, one world at a time, and on two threads.
TEST(Room, NoAllocationInWarmSteps) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations cannot be counted under a sanitizer";
  std::vector<int> numbers;
  for (int i = 0; i < 60; ++i) numbers.push_back(i);
  const Worlds worlds = step_scenes::make_worlds(numbers);
  for (const int threads : {1, 2})
    for (const int lanes : {0, 1}) {
      const Queue queue({}, {.threads = threads, .lanes = lanes});
      Simulation simulation(worlds.model, "mujoco", step_scenes::kDt, &queue);
      step_scenes::begin_phase(worlds, simulation, 0);
      simulation.step(60);
      EXPECT_EQ(testing::allocations_in([&] {
                  for (int i = 0; i < 5; ++i) simulation.step(1);
                  simulation.step(5);
                }),
                0)
          << threads << " threads, " << (lanes ? "one world at a time" : "lanes");
    }
}

}  // namespace
}  // namespace carom
