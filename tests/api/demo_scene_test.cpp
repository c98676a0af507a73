// The scene of the demo, through the public door: a humanoid that stands, falls, and comes to lie.
#include <carom/carom.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/energy.h"
#include "scenes/fingerprint.h"
#include "scenes/random_controls.h"
#include "scenes/scenes.h"

namespace {

using carom::Contacts;
using carom::Model;
using carom::Queue;
using carom::Real;
using carom::Simulation;
namespace scenes = carom::scenes;

constexpr int kHold = 20;  // steps with the same control

// The world's bodies and joints are as many as the scene says, and as heavy.
TEST(DemoScene, HasTheHumanoidsParts) {
  const Model model = scenes::humanoids(1).finalize();
  EXPECT_EQ(model.body_count, 15);
  EXPECT_EQ(model.joint_dof_count, 27);
  EXPECT_EQ(model.joint_coord_count, 28);
  EXPECT_EQ(model.actuator_count, 21);
  EXPECT_EQ(model.tendon_count, 2);
  double mass = 0;
  for (int b = 0; b < model.body_count; ++b) mass += model.body_mass[b];
  EXPECT_NEAR(mass, 40.844, 1e-3);
}

// Standing, nothing but the soles touches anything, and the ground carries the weight.
TEST(DemoScene, StandsOnItsSolesAlone) {
  const Model model = scenes::humanoids(1).finalize();
  Simulation sim(model, "mujoco", scenes::kHumanoidStep);
  sim.step(kHold);
  const Contacts contacts = sim.contacts();
  EXPECT_EQ(contacts.rigid_contact_count[0], 8);  // both ends of four capsules
  double force = 0;
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    EXPECT_EQ(contacts.rigid_contact_shape0[c], model.find_shape("ground"));
    const std::string part = model.key(carom::Entity::kShape, contacts.rigid_contact_shape1[c]);
    EXPECT_EQ(part.rfind("sole_", 0), 0u) << part;
    force += contacts.rigid_contact_force[c].z;
  }
  EXPECT_NEAR(force, 40.844 * 9.81, 40);  // it sways already
}

// Without control it only loses energy, and after four seconds lies still.
TEST(DemoScene, FallsAndComesToLie) {
  const Model model = scenes::humanoids(1).finalize();
  Simulation sim(model, "mujoco", scenes::kHumanoidStep);
  const double start = scenes::energies(model, sim.state())[0];
  EXPECT_GT(start, 300);
  for (int step = 0; step < 800; ++step) {
    ASSERT_EQ(sim.step()[0], 0) << "step " << step;
    const double energy = scenes::energies(model, sim.state())[0];
    ASSERT_TRUE(std::isfinite(energy) && energy < 1.01 * start) << "step " << step << ": " << energy << " J";
  }
  EXPECT_LT(scenes::energies(model, sim.state())[0], 0.4 * start);
  for (int b = 0; b < model.body_count; ++b) {
    const std::string who = model.key(carom::Entity::kBody, b);
    EXPECT_LT(sim.state().body_q[b].p.z, 0.6) << who;
    EXPECT_LT(length(sim.state().body_qd[b].linear), 0.1) << who;
  }
}

// A second under random controls: no world reports trouble, all energies stay finite, and all have left the pose that
// they began with.
TEST(DemoScene, RunsUnderRandomControls) {
  const Model model = scenes::humanoids(64).finalize();
  Simulation sim(model, "mujoco", scenes::kHumanoidStep);
  for (int hold = 0; hold < 10; ++hold) {
    scenes::random_controls(model, sim.control(), 11, hold);
    const auto& status = sim.step(kHold);
    for (int world = 0; world < 64; ++world) EXPECT_EQ(status[world], 0) << "world " << world << ", hold " << hold;
  }
  for (const double energy : scenes::energies(model, sim.state())) {
    EXPECT_TRUE(std::isfinite(energy));
    EXPECT_LT(energy, 2000);
  }
  for (int world = 0; world < 64; ++world)
    EXPECT_LT(sim.state().body_q[model.find_body("torso", world)].p.z, 1.1) << "world " << world;
}

// What the demo shows: the same bits with one and with more threads, and world 0 the same alone and among others.
TEST(DemoScene, IsTheSameForAnyNumberOfThreadsAndWorlds) {
  const auto run = [](int worlds, int threads) {
    const Queue queue({}, {.threads = threads});
    const Model model = scenes::humanoids(worlds).finalize();
    Simulation sim(model, "mujoco", scenes::kHumanoidStep, &queue);
    for (int hold = 0; hold < 3; ++hold) {
      scenes::random_controls(model, sim.control(), 5, hold);
      sim.step(kHold);
    }
    return sim.state();
  };
  const carom::State one = run(37, 1), many = run(37, 3), alone = run(1, 1);
  EXPECT_EQ(scenes::fingerprint(one), scenes::fingerprint(many));
  EXPECT_EQ(scenes::fingerprint(one.world(0)), scenes::fingerprint(alone));
}

}  // namespace
