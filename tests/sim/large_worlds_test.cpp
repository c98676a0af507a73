// Worlds that are taken apart into their trees: what touches is solved together, what does not on its own, and the
// answer is that of a small world.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "scenes/fingerprint.h"
#include "scenes/scenes.h"
#include "tests/sim/sticky_piles.h"

namespace carom {
namespace {

// Stricter than usual, since answers and forces are compared.
const SolverMuJoCoConfig kStrict{.tolerance = sizeof(Real) == 8 ? Real(1e-18) : Real(1e-11)};
constexpr Real kDt = Real(0.002), kG = Real(9.81);
constexpr int kMany = 40;  // free bodies: more degrees of freedom than one part may have

void add_far_away(ModelBuilder& builder, int bodies) {
  for (int i = 0; i < bodies; ++i) {
    const int body = builder.add_body({.xform = {{Real(100 + i), 0, Real(0.1)}, {}}});
    builder.add_shape_sphere(body, Real(0.1));
  }
}

// Four boxes on each other, a ball that runs into them, and a humanoid beside them.
ModelBuilder tower() {
  ModelBuilder builder = scenes::humanoid();
  builder.add_ground_plane();
  for (int i = 0; i < 4; ++i) {
    const int body = builder.add_body({.xform = {{2 + Real(0.01) * i, 0, Real(0.1) + Real(0.2) * i}, {}}});
    builder.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
  }
  const int ball = builder.add_body({.xform = {{Real(1.7), 0, Real(0.3)}, {}}});
  builder.add_shape_sphere(ball, Real(0.1));
  return builder;
}

State after(const Model& model, int steps, const SolverMuJoCoConfig& config = kStrict, QueueConfig queue = {}) {
  const Queue q({}, queue);
  Simulation simulation(model, SolverMuJoCo(model, config, &q), kDt);
  for (const std::int32_t status : simulation.step(steps)) EXPECT_EQ(status, 0);
  return simulation.state();
}

// The same scene as one part, and taken apart because of neighbours that it never meets.
TEST(LargeWorlds, NeighboursFarAwayChangeNothing) {
  const ModelBuilder small = tower();
  ModelBuilder large = tower();
  add_far_away(large, kMany);
  const State a = after(small.finalize(), 100), b = after(large.finalize(), 100);
  const double bound = sizeof(Real) == 8 ? 1e-9 : 1e-3;
  double moved = 0;
  for (std::int64_t i = 0; i < a.body_q.size(); ++i) {
    const Vec3 apart = a.body_q[i].p - b.body_q[i].p;
    EXPECT_LE(length(apart), bound) << "body " << i;
    moved = std::max<double>(moved, length(a.body_qd[i].linear));
  }
  EXPECT_GT(moved, 0.1);  // the ball does run
}

// Newton's second law, body by body, from the contacts alone: m a = m g + sum of the forces, and the torques likewise.
// An island small enough to be factored, and one that is not.
TEST(LargeWorlds, ForcesMoveBodies) {
  for (const int bodies : {36, 300}) {
    const Model model = scenes::bin(bodies, scenes::BinOf::kBoxes).finalize();
    SolverMuJoCo solver(model, kStrict);
    Simulation simulation(model, solver, kDt);
    simulation.step(250);
    const State state = simulation.state().clone();
    const Contacts contacts = CollisionPipeline(model).collide(state);
    const Forward forward = solver.forward(state, model.control(), &contacts, kDt);
    std::vector<Vec3> force(model.body_count), torque(model.body_count);
    double largest = 0;
    for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
      const Vec3 f = contacts.rigid_contact_force[c];
      largest = std::max<double>(largest, length(f));
      for (const auto& [shape, sign] : {std::pair{contacts.rigid_contact_shape0[c], Real(-1)},
                                        std::pair{contacts.rigid_contact_shape1[c], Real(1)}}) {
        const int body = model.shape_body[shape];
        if (body < 0) continue;
        force[body] += f * sign;
        torque[body] += cross(contacts.rigid_contact_point[c] - state.body_q[body].p, f) * sign;
      }
    }
    const double bound = (sizeof(Real) == 8 ? 1e-9 : 2e-4) * largest;
    for (int b = 0; b < model.body_count; ++b)
      for (int i = 0; i < 3; ++i) {
        const Real gravity = i == 2 ? -kG : 0;
        EXPECT_NEAR(model.body_mass[b] * (forward.qacc[6 * b + i] - gravity), force[b][i], bound) << "body " << b;
        EXPECT_NEAR(forward.constraint_force[6 * b + 3 + i], torque[b][i], bound) << "body " << b;
      }
    EXPECT_GT(largest, 1);
  }
}

// Forty towers of three boxes: the ground carries their weight.
TEST(LargeWorlds, TheGroundCarriesTowers) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int i = 0; i < 3 * kMany; ++i) {
    const int body = builder.add_body({.xform = {{Real(i / 3), 0, Real(0.1) + Real(0.2) * (i % 3)}, {}}});
    builder.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
  }
  const Model model = builder.finalize();
  Simulation simulation(model, SolverMuJoCo(model, kStrict), kDt);
  simulation.step(1000);
  double weight = 0, carried = 0;
  for (int b = 0; b < model.body_count; ++b) weight += double(model.body_mass[b]) * kG;
  const Contacts& contacts = simulation.contacts();
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c)
    if (model.shape_body[contacts.rigid_contact_shape0[c]] < 0) carried += contacts.rigid_contact_force[c].z;
  EXPECT_NEAR(carried, weight, 1e-3 * weight);
  const SolverReports reports = simulation.solver().as<SolverMuJoCo>().reports();
  EXPECT_EQ(reports.contacts[0], contacts.rigid_contact_count[0]);
  EXPECT_GE(reports.rows[0], 4 * 4 * 3 * kMany);
}

// A model with worlds of two kinds, large and small.
Model mixed(int copies) {
  ModelBuilder builder, large = tower();
  add_far_away(large, kMany);
  builder.replicate(large, copies);
  builder.replicate(tower(), 2);
  return builder.finalize();
}

// Threads, lanes and the number of worlds leave no trace.
TEST(LargeWorlds, OneAnswer) {
  const auto first_world = [](const Model& model, const State& state) {
    std::vector<Transform> poses(state.body_q.data(), state.body_q.data() + model.body_world_start[1]);
    return poses;
  };
  const Model model = mixed(2), single = mixed(1);
  const State expected = after(model, 60, {});
  const std::string bits = scenes::fingerprint(expected);
  EXPECT_EQ(bits, scenes::fingerprint(after(model, 60, {}, {.threads = 1})));
  EXPECT_EQ(bits, scenes::fingerprint(after(model, 60, {}, {.threads = 3, .lanes = 1})));
  const std::vector<Transform> a = first_world(model, expected), b = first_world(single, after(single, 60, {}));
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(Transform)), 0);
}

// Nor do they where contacts stick and do not slip.
TEST(LargeWorlds, OneAnswerOfStickyPiles) {
  for (const Cone cone : {Cone::kPyramidal, Cone::kElliptic}) {
    ModelBuilder builder;
    builder.options = step_scenes::sticky_piles(cone).options;
    builder.replicate(step_scenes::sticky_piles(cone), 2);
    const Model model = builder.finalize();
    const std::string bits = scenes::fingerprint(after(model, 40, {}));
    EXPECT_EQ(bits, scenes::fingerprint(after(model, 40, {}, {.threads = 1})));
    EXPECT_EQ(bits, scenes::fingerprint(after(model, 40, {}, {.threads = 3, .lanes = 1})));
  }
}

// A world in which one body stops being finite stays as it was, all of it; the next one goes on.
TEST(LargeWorlds, AWorldStopsAsAWhole) {
  const Model model = mixed(2);
  Simulation simulation(model, "mujoco", kDt);
  simulation.step(5);
  const State before = simulation.state().clone();
  simulation.state().body_f[3].linear.x = std::numeric_limits<Real>::quiet_NaN();
  const Array<std::int32_t>& status = simulation.step(1);
  EXPECT_TRUE(status[0] & kStatusNotFinite);
  EXPECT_EQ(status[1], 0);
  const int coords = model.joint_coord_world_start[1];
  EXPECT_EQ(std::memcmp(before.joint_q.data(), simulation.state().joint_q.data(), coords * sizeof(Real)), 0);
  EXPECT_NE(
      std::memcmp(before.joint_q.data() + coords, simulation.state().joint_q.data() + coords, coords * sizeof(Real)),
      0);
}

// Forward() fills the mass matrix of the whole world.
TEST(LargeWorlds, MassMatrix) {
  ModelBuilder small = tower(), large = tower();
  add_far_away(large, kMany);
  const Model a = small.finalize(), b = large.finalize();
  const Forward fa = SolverMuJoCo(a).forward(a.state(), a.control(), nullptr, kDt);
  const Forward fb = SolverMuJoCo(b).forward(b.state(), b.control(), nullptr, kDt);
  const int n = fa.dof_count[0], m = fb.dof_count[0];
  ASSERT_EQ(m, n + 6 * kMany);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      const Real expected = i < n && j < n ? fa.mass_matrix[i * n + j] : i != j ? 0 : fb.mass_matrix[i * m + i];
      ASSERT_EQ(fb.mass_matrix[i * m + j], expected) << i << ", " << j;
    }
}

}  // namespace
}  // namespace carom
