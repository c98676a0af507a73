// The step of islands by teams of threads, under the thread sanitizer: its text is the one that a GPU runs.
#include <gtest/gtest.h>

#include <string>

#include "scenes/scenes.h"
#include "tests/sim/large_trees.h"
#include "tests/sim/splitter.h"
#include "tests/sim/step_scenes.h"
#include "tests/sim/sticky_piles.h"
#include "tests/teams/thread_team.h"

namespace carom {
namespace {

using testing::run_team;
using testing::ThreadTeam;

// Towers that lean.
ModelBuilder towers() {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int i = 0; i < 36; ++i) {
    const int body = builder.add_body(
        {.xform = step_scenes::at(Real(i / 4) + Real(0.02) * Real(i % 4), 0, Real(0.1) + Real(0.199) * Real(i % 4))});
    builder.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
  }
  return builder;
}

ModelBuilder rope() {
  ModelBuilder builder = large_trees::laden_rope(64, 2);
  builder.add_ground_plane();
  return builder;
}

// Humanoids that stand on each other's shoulders: trees with limits.
ModelBuilder acrobats() {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int i = 0; i < 8; ++i)
    builder.add_builder(scenes::humanoid(), {.xform = step_scenes::at(Real(3 * (i / 2)), 0, Real(1.3) * Real(i % 2)),
                                             .key_prefix = std::to_string(i)});
  return builder;
}

// Proves that teams have no races and the bits of one thread: in small islands and in a rope that touches itself, which
// are factored, and in a pile, which is not.
TEST(Teams, StepIslandsLikeOneThread) {
  struct Scene {
    const char* name;
    ModelBuilder builder;
    int steps, rows;
  };
  const Scene scenes[]{{"towers", towers(), 10, 36 * 16},
                       {"rope", rope(), 5, 100},
                       {"acrobats", acrobats(), 25, 100},
                       {"sticky piles", step_scenes::sticky_piles(Cone::kPyramidal), 15, 100},
                       {"sticky piles in cones", step_scenes::sticky_piles(Cone::kElliptic), 15, 100},
                       {"pile", scenes::bin(60, scenes::BinOf::kBoxes), 250, 300}};
  for (const Scene& scene : scenes) {
    const Model model = scene.builder.finalize();
    Simulation simulation(model, "mujoco", Splitter::kDt);
    simulation.step(scene.steps);
    Splitter splitter(model, simulation.state());
    const auto run_alone = [&](const IslandStep& kernel) { launch(splitter.queue, splitter.plans.part_count, kernel); };
    const auto run_in_teams = [&](const IslandStep& kernel) {
      for (int root = 0; root < splitter.plans.part_count; ++root)
        if (kernel.islands.is_island(root)) run_team<4>([&](ThreadTeam<4> team) { kernel(team, root); });
    };
    const Splitter::Result a = splitter.step_islands(run_alone), b = splitter.step_islands(run_in_teams);
    using step_scenes::same_bits;
    visit_state([&](const char* name, Entity, auto get) {
      EXPECT_TRUE(same_bits(get(a.state), get(b.state))) << scene.name << ", " << name;
    });
    EXPECT_TRUE(same_bits(a.force, b.force)) << scene.name;
    EXPECT_TRUE(same_bits(a.reports.status, b.reports.status)) << scene.name;
    EXPECT_TRUE(same_bits(a.reports.iterations, b.reports.iterations)) << scene.name;
    EXPECT_TRUE(same_bits(a.reports.rows, b.reports.rows)) << scene.name;
    EXPECT_TRUE(same_bits(a.reports.residual, b.reports.residual)) << scene.name;
    int rows = 0;
    for (const int count : a.reports.rows) rows += count;
    EXPECT_GE(rows, scene.rows) << scene.name;
  }
}

}  // namespace
}  // namespace carom
