// Newton's method in the space of the rows against that in the space of the degrees of freedom. Which of them solves a
// world depends on how many rows it has, and contacts inside the gap of their shapes are rows that never push: a world
// with enough of these is solved the other way, and must come to the same end.
#include <gtest/gtest.h>

#include "solvers/mujoco/row_space_problem.kernel.h"
#include "tests/sim/collide_first.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;

// Spheres without mass at the first body that nearly touch the ground, and nothing else.
void add_idle_spheres(ModelBuilder& builder, int count) {
  ShapeConfig idle;
  idle.density = 0, idle.contact_margin = 5, idle.contype = 0, idle.conaffinity = 2;
  for (int i = 0; i < count; ++i) builder.add_shape_sphere(0, Real(0.01), {.cfg = idle});
}

// Worlds of one kind and one number, with 0, idle, 0, ... of these spheres.
step_scenes::Worlds make_worlds(int kind, const std::vector<int>& numbers, int idle, Cone cone = Cone::kPyramidal) {
  ModelBuilder builder;
  builder.options.cone = cone;
  ShapeConfig ground;
  ground.contype = 3;
  builder.add_ground_plane(0, {.cfg = ground});
  for (const int number : numbers)
    for (const int count : {0, idle}) {
      ModelBuilder world = step_scenes::build_world(number, kind);
      add_idle_spheres(world, count);
      builder.add_world(world);
    }
  std::vector<int> all;
  for (const int number : numbers) all.insert(all.end(), {number, number});
  return {builder.finalize(), all};
}

int contacts_of(const Contacts& contacts, int world) {
  return contacts.rigid_contact_world_start[world + 1] - contacts.rigid_contact_world_start[world];
}

// That both ways end in the same accelerations and forces.
void expect_same_solution(Cone cone, const std::vector<int>& kinds, double tolerance) {
  int compared = 0;
  for (const int kind : kinds) {
    constexpr int kIdle = kMostRowBlocks + 1;  // more than any world has blocks of degrees of freedom
    const step_scenes::Worlds worlds = make_worlds(kind, {1, 2, 3, 4, 5, 6}, kIdle, cone);
    const Model& model = worlds.model;
    SolverMuJoCo strict(model, {.tolerance = kDouble ? Real(1e-20) : Real(1e-11)});
    Simulation simulation(model, "mujoco", step_scenes::kDt);
    for (int look = 0; look < 30; ++look) {
      simulation.step(6);
      // What was one world is two that differ a little by now: both get the state of the first.
      const State state = simulation.state().clone();
      for (int w = 0; w < model.world_count; w += 2)
        for (const auto column : {&State::joint_q, &State::joint_qd, &State::joint_qdd}) {
          const Array<int>& start =
              column == &State::joint_q ? model.joint_coord_world_start : model.joint_dof_world_start;
          Real* const all = (state.*column).data();
          std::copy(all + start[w], all + start[w + 1], all + start[w + 1]);
        }
      eval_fk(model, state.joint_q, state.joint_qd, state);
      const auto [contacts, forward] = testing::CollidedForward(strict, state, simulation.control(), step_scenes::kDt);
      for (int w = 0; w < model.world_count; w += 2) {
        ASSERT_GE(contacts_of(contacts, w + 1), contacts_of(contacts, w) + kIdle);
        compared += contacts_of(contacts, w) > 0;
        const int first = model.joint_dof_world_start[w], count = model.joint_dof_world_start[w + 1] - first;
        double size = 1;
        for (int i = first; i < first + count; ++i) size = std::max(size, std::abs(double(forward.qacc[i])));
        for (int i = first; i < first + count; ++i)
          EXPECT_NEAR(forward.qacc[i], forward.qacc[i + count], tolerance * size)
              << step_scenes::kKinds[kind].name << " " << w << ", look " << look;
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(RowSpace, SameSolutionAsInDegreesOfFreedom) {
  expect_same_solution(Cone::kPyramidal, {0, 1, 2, 3, 4}, kDouble ? 1e-9 : 2e-3);
}
// Cones that resist turning are never solved in row space.
TEST(RowSpace, SameSolutionInCones) { expect_same_solution(Cone::kElliptic, {0, 1, 3, 4}, kDouble ? 1e-8 : 5e-3); }

// Proves that a world's bits do not depend on how its neighbours in the lanes are solved.
TEST(RowSpace, NeighboursThatAreSolvedOtherwise) {
  for (const int kind : {0, 2}) {
    const step_scenes::Worlds worlds = make_worlds(kind, {1, 2, 3, 4, 5}, 8);
    const Queue in_lanes(Device{}, {.lanes = 0}), one_by_one(Device{}, {.lanes = 1});
    Simulation lanes(worlds.model, "mujoco", step_scenes::kDt, &in_lanes);
    Simulation single(worlds.model, "mujoco", step_scenes::kDt, &one_by_one);
    for (int step = 0; step < 120; ++step) {
      lanes.step();
      single.step();
      ASSERT_TRUE(step_scenes::same_bits(lanes.state().joint_q, single.state().joint_q))
          << step_scenes::kKinds[kind].name << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace carom
