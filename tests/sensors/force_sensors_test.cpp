// Sensors of forces, momentum and energy against closed forms: what a joint carries, what rests and what sleeps, sums
// by hand, springs, and touch.
#include <cmath>

#include "tests/backend/on_device.h"
#include "tests/sensors/sensed_instant.h"

namespace carom {
namespace {

class ForceSensorsTest : public testing::OnDevice {};

TEST_P(ForceSensorsTest, AJointCarriesWhatHangsOnIt) {
  ModelBuilder builder;
  const int arm = add_arm(builder, 2);
  const int hand = builder.add_link({.xform = {{1, 0, 0}, {}}, .inertia = diagonal(1, 1, 1), .mass = 3});
  builder.add_joint_fixed(arm, hand, {.parent_xform = {{1, 0, 0}, {}}});
  const int force = builder.add_sensor(SensorType::kForce, frame(arm)),
            torque = builder.add_sensor(SensorType::kTorque, frame(arm));
  const int wrist = builder.add_sensor(SensorType::kTorque, frame(hand, {{Real(0.5), 0, 0}, {}}));
  const int v = builder.add_sensor(SensorType::kSubtreeLinVel, subtree(arm));
  const int L = builder.add_sensor(SensorType::kSubtreeAngMom, subtree(arm));
  Instant instant(builder.finalize(device()));
  expect_near(instant.read_one(force), {0, 0, 5 * kGravity}, 10 * kClose);
  expect_near(instant.read_one(torque), {0, -kGravity * (2 * Real(0.3) + 3), 0}, 10 * kClose);
  expect_near(instant.read_one(wrist), {0, kGravity * 3 * Real(0.5), 0}, 10 * kClose);
  // Swinging: the hinge pulls towards itself, and what is applied to the hand is not the hinge's to carry.
  instant.set({0}, {2}, {0});
  expect_near(instant.read_one(force), {-4 * (2 * Real(0.3) + 3), 0, 5 * kGravity}, 10 * kClose);
  const Real com = (2 * Real(0.3) + 3) / 5, about_com = 2 + 1 + 2 * square(com - Real(0.3)) + 3 * square(1 - com);
  expect_near(instant.read_one(v), {0, 0, -2 * com});
  expect_near(instant.read_one(L), {0, 2 * about_com, 0});
  std::vector<SpatialVector> pushed(2);
  pushed[hand] = {{1, 2, 3}, {}};
  instant.step.state.body_f = Array<SpatialVector>(std::span<const SpatialVector>(pushed), device());
  expect_near(instant.read_one(force), {-4 * (2 * Real(0.3) + 3) - 1, -2, 5 * kGravity - 3}, 10 * kClose);
}

// Turning about an axis that is none of its own takes a torque: w x I w.
TEST_P(ForceSensorsTest, AnUnbalancedWheelShakesItsAxle) {
  ModelBuilder builder;
  builder.gravity = {};
  const int wheel = builder.add_link({.inertia = diagonal(2, 3, 4), .mass = 2});
  builder.add_articulation({builder.add_joint_revolute(-1, wheel, {.axis = {1, 0, 1}})});
  const int torque = builder.add_sensor(SensorType::kTorque, frame(wheel));
  Instant instant(builder.finalize(device()));
  const Real rate = 3, share = rate * rate / 2;  // w = rate (1, 0, 1) / sqrt(2), which the wheel sees the same
  instant.set({Real(0.7)}, {rate}, {0});
  expect_near(instant.read_one(torque), {0, share * (2 - 4), 0});
}

// The ground carries a pile, and no joint does; on each body contacts push from below and from above.
TEST_P(ForceSensorsTest, WhatRestsHangsOnNothing) {
  ModelBuilder builder;
  builder.add_ground_plane();
  builder.begin_world();
  for (const Real height : {Real(0.1), Real(0.3)}) {
    const int body = builder.add_body({.xform = {{0, 0, height}, {}}});
    builder.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));  // 8 kg
    builder.add_sensor(SensorType::kForce, frame(body, {{1, 0, 0}, {}}));
    builder.add_sensor(SensorType::kTorque, frame(body, {{1, 0, 0}, {}}));
  }
  builder.end_world();
  const Model model = builder.finalize(device());
  Simulation simulation(model, "mujoco", Real(0.002));
  simulation.step(2000);
  Instant instant(model, simulation.contacts());
  instant.step.state = simulation.state();
  expect_near(instant.read(), std::vector<Real>(12), Real(0.005) * 8 * kGravity);
}

TEST_P(ForceSensorsTest, MomentumAndEnergyByHand) {
  ModelBuilder builder;
  const int left = builder.add_body({.xform = {{-1, 0, 2}, {}}, .inertia = diagonal(1, 2, 3), .mass = 1});
  const int right = builder.add_body({.xform = {{1, 0, 2}, {}}, .inertia = diagonal(1, 2, 3), .mass = 3});
  const int com = builder.add_sensor(SensorType::kSubtreeCom, subtree(-1));
  const int v = builder.add_sensor(SensorType::kSubtreeLinVel, subtree(-1));
  const int L = builder.add_sensor(SensorType::kSubtreeAngMom, subtree(-1));
  const int own = builder.add_sensor(SensorType::kSubtreeAngMom, subtree(right));
  const int kinetic = builder.add_sensor(SensorType::kKineticEnergy, {}),
            potential = builder.add_sensor(SensorType::kPotentialEnergy, {});
  Instant instant(builder.finalize(device()));
  instant.set({-1, 0, 2, 0, 0, 0, 1, 1, 0, 2, 0, 0, 0, 1}, {0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0}, std::vector<Real>(12));
  EXPECT_EQ(left, 0);
  expect_near(instant.read_one(com), {Real(0.5), 0, 2});
  expect_near(instant.read_one(v), {0, 1, 0});
  // About the common centre: -1.5 x 1 x 3 and 0.5 x 3 x (-1), along z.
  expect_near(instant.read_one(L), {0, 10, -6});
  expect_near(instant.read_one(own), {0, 10, 0});
  expect_near(instant.read_one(kinetic), {8 + 25});
  expect_near(instant.read_one(potential), {4 * 2 * kGravity}, 10 * kClose);
}

TEST_P(ForceSensorsTest, SpringsArmaturesAndTendonsHaveEnergy) {
  ModelBuilder builder;
  builder.gravity = {};
  add_arm(builder, 2, {.armature = Real(0.3), .stiffness = 2, .stiffness_poly = {3, 4}, .spring_ref = Real(0.1)});
  const int ball = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
  builder.add_articulation({builder.add_joint_ball(-1, ball, {.stiffness = 6})});
  const TendonJoint on[] = {{.joint = 0, .coef = 2}};
  builder.add_tendon_fixed(
      on, {.stiffness = 5, .spring_lower = Real(0.2), .spring_upper = Real(0.3), .armature = Real(0.7)});
  const int kinetic = builder.add_sensor(SensorType::kKineticEnergy, {}),
            potential = builder.add_sensor(SensorType::kPotentialEnergy, {});
  Instant instant(builder.finalize(device()));
  const Real q = Real(-0.4), qd = Real(1.5), x = q - Real(0.1), angle = Real(0.6), stretch = 2 * q - Real(0.2);
  instant.set({q, 0, std::sin(angle / 2), 0, std::cos(angle / 2)}, {qd, 0, 0, 0}, std::vector<Real>(4));
  // About the hinge: inertia 2 about y, and 2 kg at 0.3 m.
  expect_near(instant.read_one(kinetic), {(2 + 2 * Real(0.09) + Real(0.3) + Real(0.7) * 4) * qd * qd / 2});
  expect_near(instant.read_one(potential),
              {x * x + x * x * x + x * x * x * x + 3 * angle * angle + 5 * stretch * stretch / 2});
}

// As the mass matrix has it, which couples what moves each other: the inertia of a tendon over two branches is two.
TEST_P(ForceSensorsTest, ATendonOverTwoBranchesCouplesNothing) {
  ModelBuilder builder;
  std::vector<TendonJoint> over;
  int parent = -1;
  for (const bool on_the_last : {false, false, true}) {
    const int link = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
    const int joint = builder.add_joint_revolute(on_the_last ? parent : -1, link, {.axis = {0, 1, 0}});
    builder.add_articulation({joint});
    over.push_back({.joint = joint, .coef = 1});
    parent = link;
  }
  builder.add_tendon_fixed(over, {.armature = 2});
  const int kinetic = builder.add_sensor(SensorType::kKineticEnergy, {});
  Instant instant(builder.finalize(device()));
  instant.set({0, 0, 0}, {1, 10, 100}, {0, 0, 0});
  const Real of_bodies = Real(1 + 10 * 10 + 110 * 110) / 2;
  expect_near(instant.read_one(kinetic), {of_bodies + 1 + 10 * 10 + 100 * 100 + 2 * 10 * 100}, 100 * kClose);
}

// Two worlds of different bodies and their own grounds: what a site feels is the weight of what rests there, and
// nothing where the site is on its other side.
TEST_P(ForceSensorsTest, ABallThatRestsTouchesWithItsWeight) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (const Real mass : {Real(1), Real(3)}) {
    builder.begin_world();
    const int ball = builder.add_body({.xform = {{0, 0, Real(0.1)}, {}}});
    builder.add_shape_sphere(ball, Real(0.1),
                             {.cfg = ShapeConfig{.density = mass / Real(4.0 / 3 * 3.14159265358979 * 0.001)}});
    // What another body feels inside of the site is not the site's.
    builder.add_shape_sphere(builder.add_body({.xform = {{Real(0.25), 0, Real(0.1)}, {}}}), Real(0.1));
    if (mass > 1) builder.add_body({.xform = {{1, 0, 1}, {}}, .inertia = diagonal(1, 1, 1), .mass = 1});
    const auto touch = [&](Vec3 p, Real radius) {
      builder.add_sensor(SensorType::kTouch,
                         site(builder.add_site(ball, {p, {}}, ShapeType::kSphere, {radius, radius, radius})));
    };
    touch({0, 0, Real(-0.1)}, Real(0.02)), touch({0, 0, Real(-0.15)}, Real(0.02)), touch({0, 0, 0}, Real(0.02)),
        touch({Real(0.05), 0, Real(-0.1)}, Real(0.02)), touch({}, Real(0.4));
    builder.end_world();
  }
  const Model model = builder.finalize(device());
  Simulation simulation(model, "mujoco", Real(0.002));
  simulation.step(2000);
  Instant instant(model, simulation.contacts());
  instant.step.state = simulation.state();
  const Real w = kGravity;
  expect_near(instant.read(), {w, w, 0, 0, w, 3 * w, 3 * w, 0, 0, 3 * w}, Real(0.005) * w);
}

// Contacts of what sleeps are not there, and their forces are still felt.
TEST_P(ForceSensorsTest, WhatSleepsFeelsWhatItFeltLast) {
  ModelBuilder builder;
  builder.options.sleep = true;
  builder.add_ground_plane();
  const int ball = builder.add_body({.xform = {{0, 0, Real(0.1)}, {}}});
  builder.add_shape_sphere(ball, Real(0.1), {.cfg = ShapeConfig{.density = Real(3 / (4 * 3.14159265358979 * 0.001))}});
  const int below = builder.add_site(ball, {{0, 0, Real(-0.1)}, {}}, ShapeType::kSphere, {Real(0.02), 1, 1});
  builder.add_sensor(SensorType::kTouch, site(below), {}, {}, "touch");
  builder.add_sensor(SensorType::kForce, frame(ball), {}, {}, "force");
  Simulation simulation(builder.finalize(device()), "mujoco", Real(0.002));
  simulation.step(2000);
  ASSERT_GE(simulation.state().body_asleep.on_cpu()[0], 0);
  const Sensors& sensors = simulation.sensors();
  EXPECT_NEAR(sensors.values(sensors.find("touch")).on_cpu()[0], kGravity, Real(0.01) * kGravity);
  EXPECT_NEAR(sensors.values(sensors.find("force")).on_cpu()[2], 0, Real(0.01) * kGravity);
}

INSTANTIATE_TEST_SUITE_P(, ForceSensorsTest, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace carom
