// Sensors of motion against closed forms: what an IMU feels on a pendulum, on a carousel and in free flight, frames
// seen from others that turn, limits, volumes and clocks; the same bits on threads and on CUDA, in worlds that differ,
// what a step and an edit change, and what is refused.
#include <cmath>
#include <cstring>

#include "tests/backend/on_device.h"
#include "tests/random.h"
#include "tests/sensors/sensed_instant.h"

namespace carom {
namespace {

constexpr Real kQuarterTurn = Real(1.5707963267948966);

class MotionSensorsTest : public testing::OnDevice {};

TEST_P(MotionSensorsTest, ImuOfAPendulum) {
  constexpr Real kLength = Real(0.7), kAngle = Real(0.4), kRate = Real(1.5), kSpeedUp = Real(-2.5);
  ModelBuilder builder;
  const int arm = add_arm(builder);
  const Transform tip{{kLength, 0, 0}, {}};
  const int imu = builder.add_sensor(SensorType::kAccelerometer, frame(arm, tip));
  const int gyro = builder.add_sensor(SensorType::kGyro, frame(arm, tip));
  const int speed = builder.add_sensor(SensorType::kVelocimeter, frame(arm, tip));
  const int turned =
      builder.add_sensor(SensorType::kGyro, frame(arm, {{}, quat_from_axis_angle(Vec3{1, 0, 0}, kQuarterTurn)}));
  const int at_rest = builder.add_sensor(SensorType::kAccelerometer, frame(-1, tip));
  const int loose = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});  // that no joint moves
  const int on_loose = builder.add_sensor(SensorType::kAccelerometer, frame(loose, tip));
  const int alpha = builder.add_sensor(SensorType::kFrameAngAcc, frame(arm, tip));
  Instant instant(builder.finalize(device()));
  instant.set({kAngle}, {kRate}, {kSpeedUp});
  const Real s = std::sin(kAngle), c = std::cos(kAngle);
  expect_near(instant.read_one(imu), {-kRate * kRate * kLength - kGravity * s, 0, -kSpeedUp * kLength + kGravity * c});
  expect_near(instant.read_one(gyro), {0, kRate, 0});
  expect_near(instant.read_one(speed), {0, 0, -kRate * kLength});
  expect_near(instant.read_one(turned), {0, 0, -kRate});
  expect_near(instant.read_one(at_rest), {0, 0, kGravity});
  expect_near(instant.read_one(on_loose), {0, 0, kGravity});
  expect_near(instant.read_one(alpha), {0, kSpeedUp, 0});
}

// A slide on a turning table: Coriolis' acceleration is twice the cross product.
TEST_P(MotionSensorsTest, ImuOfASlideOnACarousel) {
  ModelBuilder builder;
  builder.gravity = {};
  const int table = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
  const int rider = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
  builder.add_articulation({builder.add_joint_revolute(-1, table, {.axis = {0, 0, 1}}),
                            builder.add_joint_prismatic(table, rider, {.axis = {1, 0, 0}})});
  const int imu = builder.add_sensor(SensorType::kAccelerometer, frame(rider));
  Instant instant(builder.finalize(device()));
  const Real x = Real(0.8), v = Real(0.6), a = Real(-1.1), w = Real(2.2), spin_up = Real(0.9);
  instant.set({Real(1.3), x}, {w, v}, {spin_up, a});
  expect_near(instant.read_one(imu), {a - w * w * x, spin_up * x + 2 * w * v, 0});
}

// What stands still in the world, as a joint with all freedoms on a turning table moves it: its coordinates run round,
// and nothing accelerates.
TEST_P(MotionSensorsTest, WhatStandsBesideACarouselFeelsNothing) {
  ModelBuilder builder;
  builder.gravity = {};
  const Vec3 com{Real(0.2), Real(0.3), Real(-0.1)};
  const int table = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
  const int still = builder.add_link({.com = com, .inertia = diagonal(1, 1, 1), .mass = 1});
  builder.add_articulation(
      {builder.add_joint_revolute(-1, table, {.axis = {0, 0, 1}}), builder.add_joint_distance(table, still, -1, -1)});
  const int a = builder.add_sensor(SensorType::kFrameLinAcc, frame(still, {{1, 2, 3}, {}}));
  const int alpha = builder.add_sensor(SensorType::kFrameAngAcc, frame(still));
  const int v = builder.add_sensor(SensorType::kFrameLinVel, frame(still, {{1, 2, 3}, {}}));
  Instant instant(builder.finalize(device()));
  const Real rate = Real(1.9), x = Real(0.7), y = Real(-0.4);
  const Vec3 w{0, 0, rate}, p_com = Vec3{x, y, 0} + com, slip = -cross(w, p_com);
  instant.set({0, x, y, 0, 0, 0, 0, 1}, {rate, slip.x, slip.y, slip.z, 0, 0, -rate},
              {0, -rate * rate * x, -rate * rate * y, 0, 0, 0, 0});
  for (const int sensor : {a, alpha, v}) expect_near(instant.read_one(sensor), {0, 0, 0});
}

// Three axes of one joint, each turned by those before it; held against numbers that differ in time by 2 h.
TEST_P(MotionSensorsTest, AccelerationsAreRatesOfVelocities) {
  // A central difference is off by about a sixth of the third derivative, some hundreds, times the square of the step.
  constexpr Real kStep = sizeof(Real) == 4 ? Real(1e-2) : Real(1e-5),
                 kOff = sizeof(Real) == 4 ? Real(0.05) : Real(1e-7);
  ModelBuilder builder;
  builder.gravity = {};
  const int first = builder.add_link({.com = {Real(0.1), 0, Real(0.2)}, .inertia = diagonal(1, 1, 1), .mass = 1});
  const int second = builder.add_link({.com = {0, Real(0.3), 0}, .inertia = diagonal(1, 1, 1), .mass = 1});
  const Transform apart{{Real(0.2), Real(-0.1), Real(0.4)}, quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.7))};
  builder.add_articulation(
      {builder.add_joint_d6(-1, first, {{.axis = {1, 0, 0}}, {.axis = {0, 0, 1}}},
                            {{.axis = {0, 0, 1}}, {.axis = {1, 0, 0}}, {.axis = {0, 1, 0}}}, {.child_xform = apart}),
       builder.add_joint_d6(first, second, {{.axis = {0, 1, 0}}}, {{.axis = {1, 0, 0}}, {.axis = {0, 0, 1}}},
                            {.parent_xform = apart, .child_xform = inverse(apart)})});
  const Transform out{{Real(0.3), Real(0.2), Real(-0.5)}, {}};
  const int v = builder.add_sensor(SensorType::kFrameLinVel, frame(second, out));
  builder.add_sensor(SensorType::kFrameAngVel, frame(second, out));
  const int a = builder.add_sensor(SensorType::kFrameLinAcc, frame(second, out));
  builder.add_sensor(SensorType::kFrameAngAcc, frame(second, out));
  Instant instant(builder.finalize(device()));
  SeededRandom random(11);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Real> q, qd, qdd;
    for (int i = 0; i < 8; ++i) {
      q.push_back(random.uniform(-1, 1));
      qd.push_back(random.uniform(-2, 2));
      qdd.push_back(random.uniform(-3, 3));
    }
    const auto at = [&](Real t) {
      std::vector<Real> there = q, rates = qd;
      for (int i = 0; i < 8; ++i) {
        there[i] += t * (qd[i] + t * qdd[i] / 2);
        rates[i] += t * qdd[i];
      }
      instant.set(there, rates, qdd);
      return instant.read();
    };
    const std::vector<Real> before = at(-kStep), after = at(kStep), now = at(0);
    for (int k = 0; k < 6; ++k) {
      const Real rate = (after[instant.start[v] + k] - before[instant.start[v] + k]) / (2 * kStep);
      EXPECT_NEAR(now[instant.start[a] + k], rate, kOff) << "number " << k;
    }
  }
}

// Nothing but its own turning accelerates what flies; the velocities of a free joint are those of its centre of mass,
// its accelerations those of its origin.
TEST_P(MotionSensorsTest, AThrownSpinningBoxFeelsItsSpinAlone) {
  ModelBuilder builder;
  const Vec3 com{Real(0.2), Real(-0.1), Real(0.05)}, arm{Real(0.3), 0, Real(-0.2)};
  const int box = builder.add_body({.com = com, .inertia = diagonal(1, 2, 3), .mass = 5});
  const int middle = builder.add_sensor(SensorType::kAccelerometer, frame(box, {com, {}}));
  const int side = builder.add_sensor(SensorType::kAccelerometer, frame(box, {com + arm, {}}));
  Instant instant(builder.finalize(device()));
  const Real w = 4;  // about z, a principal axis
  const Vec3 origin_rises = Vec3{0, 0, w * w * 0} + Vec3{com.x, com.y, 0} * (w * w);
  instant.set({0, 0, 3, 0, 0, 0, 1}, {2, 0, 5, 0, 0, w},
              {origin_rises.x, origin_rises.y, origin_rises.z - kGravity, 0, 0, 0});
  expect_near(instant.read_one(middle), {0, 0, 0});
  expect_near(instant.read_one(side), {-w * w * arm.x, 0, 0});
}

TEST_P(MotionSensorsTest, ARotatingReferenceSeesTheWorldTurn) {
  ModelBuilder builder;
  const int table = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
  builder.add_articulation({builder.add_joint_revolute(-1, table, {.axis = {0, 0, 1}})});
  const Transform mark{{1, 2, 3}, quat_from_axis_angle(Vec3{0, 0, 1}, Real(0.3))};
  const Transform eye{{0, Real(0.5), 0}, {}};
  const auto add = [&](SensorType type) { return builder.add_sensor(type, frame(-1, mark), frame(table, eye)); };
  const int pos = add(SensorType::kFramePos), quat = add(SensorType::kFrameQuat), x = add(SensorType::kFrameXAxis);
  const int v = add(SensorType::kFrameLinVel), w = add(SensorType::kFrameAngVel);
  Instant instant(builder.finalize(device()));
  const Real angle = Real(0.8), rate = Real(1.7);
  instant.set({angle}, {rate}, {0});
  const Quat turn = quat_from_axis_angle(Vec3{0, 0, 1}, angle);
  const Vec3 seen = rotate_inverse(turn, mark.p) - eye.p, slip = cross(Vec3{0, 0, -rate}, seen + eye.p);
  expect_near(instant.read_one(pos), {seen.x, seen.y, seen.z});
  expect_near(instant.read_one(v), {slip.x, slip.y, slip.z});
  expect_near(instant.read_one(w), {0, 0, -rate});
  const Real half = (Real(0.3) - angle) / 2;
  expect_near(instant.read_one(quat), {std::cos(half), 0, 0, std::sin(half)});
  expect_near(instant.read_one(x), {std::cos(2 * half), std::sin(2 * half), 0});
}

TEST_P(MotionSensorsTest, LimitsOfJoints) {
  ModelBuilder builder;
  const JointDofConfig limited{
      .axis = {0, 1, 0}, .limit_lower = Real(-0.2), .limit_upper = Real(0.2), .limit_margin = Real(0.05)};
  const int hinge = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
  const int ball = builder.add_link({.inertia = diagonal(1, 1, 1), .mass = 1});
  const int on_hinge = builder.add_joint_revolute(-1, hinge, limited);
  builder.add_articulation({on_hinge});
  const int on_ball = builder.add_joint_ball(-1, ball, {.limit_upper = Real(0.5), .limit_margin = Real(0.1)});
  builder.add_articulation({on_ball});
  std::vector<int> s;
  for (const SensorType type :
       {SensorType::kJointPos, SensorType::kJointVel, SensorType::kJointLimitPos, SensorType::kJointLimitVel})
    s.push_back(builder.add_sensor(type, joint_axis(on_hinge)));
  for (const SensorType type :
       {SensorType::kJointLimitPos, SensorType::kJointLimitVel, SensorType::kBallQuat, SensorType::kBallAngVel})
    s.push_back(builder.add_sensor(type, joint_axis(on_ball)));
  Instant instant(builder.finalize(device()));
  // hinge, ball about z: position, velocity of the hinge; expected distances and their rates
  const auto expect = [&](Real q, Real angle, Real of_hinge, Real rate, Real of_ball, Real ball_rate) {
    const Real half = angle / 2;
    instant.set({q, 0, 0, std::sin(half), std::cos(half)}, {3, 0, 1, 2}, std::vector<Real>(4));
    const Vec3 w = rotate_inverse(quat_from_axis_angle(Vec3{0, 0, 1}, angle), Vec3{0, 1, 2});
    expect_near(instant.read(),
                {q, 3, of_hinge, rate, of_ball, ball_rate, std::cos(half), 0, 0, std::sin(half), w.x, w.y, w.z});
  };
  expect(0, Real(0.3), 0, 0, 0, 0);
  expect(Real(0.16), Real(0.45), Real(-0.01), -3, Real(-0.05), -2);
  expect(Real(0.3), Real(0.6), Real(-0.15), -3, Real(-0.2), -2);
  expect(Real(-0.16), Real(-0.45), Real(-0.01), 3, Real(-0.05), 2);
  EXPECT_EQ(s.size(), 8u);
}

TEST_P(MotionSensorsTest, VolumesCamerasMagnetsAndClocks) {
  ModelBuilder builder;
  builder.options.magnetic = {1, 2, 3};
  const int body = builder.add_body({.xform = {{Real(0.2), 0, 0}, quat_from_axis_angle(Vec3{0, 0, 1}, kQuarterTurn)},
                                     .inertia = diagonal(1, 1, 1),
                                     .mass = 1});
  const int ball = builder.add_shape_sphere(body, Real(0.1), {.xform = {{0, Real(-0.1), 0}, {}}});  // at 0.3 of x
  const int box = builder.add_shape_box(body, Real(0.1), Real(0.2), Real(0.05));
  const int zone = builder.add_site(-1, {}, ShapeType::kBox, {Real(0.5), Real(0.25), 1});
  const auto inside = [&](const SensedObject& object) {
    return builder.add_sensor(SensorType::kInsideSite, object, site(zone));
  };
  inside(frame(body)), inside(frame(body, {{0, Real(-0.4), 0}, {}}));
  inside({SensorObject::kShape, ball}), inside({SensorObject::kShape, box});
  // Its longest axis looks nowhere that a search would set out from.
  const int egg =
      builder.add_shape_ellipsoid(body, Real(0.3), Real(0.1), Real(0.05),
                                  {.xform = {{}, quat_from_rotation_vector(Vec3{Real(0.1), Real(0.3), Real(0.5)})}});
  const int bowl = builder.add_site(-1, {{Real(0.2), 0, 0}, {}}, ShapeType::kSphere, {1, 1, 1});
  builder.add_sensor(SensorType::kInsideSite, {SensorObject::kShape, egg}, site(bowl));
  builder.add_sensor(SensorType::kInsideSite, {SensorObject::kBody, body}, site(bowl));
  const int outside = builder.add_shape_sphere(body, Real(0.1), {.xform = {{0, -1, 0}, {}}});
  builder.add_sensor(SensorType::kInsideSite, {SensorObject::kShape, outside}, site(zone), {.data = 0});
  builder.add_sensor(SensorType::kInsideSite, {SensorObject::kShape, ball}, site(zone), {.data = 0});
  builder.add_sensor(SensorType::kMagnetometer, frame(body));
  // A camera that looks along y from 2 m away.
  const Transform eye{{0, -2, 0}, quat_from_axis_angle(Vec3{1, 0, 0}, kQuarterTurn)};
  builder.add_sensor(SensorType::kCamProjection, frame(-1, {{Real(0.3), 1, Real(0.2)}, {}}), frame(-1, eye),
                     {.camera = {640, 720, 320, 240}, .resolution = {640, 480}});
  const int clock = builder.add_sensor(SensorType::kClock, {});
  Instant instant(builder.finalize(device()));
  expect_near(instant.read(),
              {1, 0, Real(0.4) - Real(0.5), Real(0.4) - Real(0.5), Real(0.3) - 1, Real(0.1), 0, 1, 2, -1, 3, 320 + 64,
               240 - 48, 0},
              100 * kClose);
  expect_near(instant.read_one(clock), {Real(0.01)});
  expect_near(instant.read_one(clock), {Real(0.02)});
}

// Random trees of all types of joints with contacts, as one world of several; what sensors read does not depend on the
// others, nor on threads.
ModelBuilder random_tree(SeededRandom& random, int links) {
  ModelBuilder builder;
  std::vector<int> joints, bodies;
  const auto vec = [&] {
    const Real x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
    return Vec3{x, y, z};
  };
  const auto pose = [&] {
    const Vec3 p = vec() * Real(0.3);
    return Transform{p, quat_from_rotation_vector(vec())};
  };
  for (int i = 0; i < links; ++i) {
    const Vec3 com = vec() * Real(0.1);
    const int body = builder.add_link({.com = com, .inertia = diagonal(1, Real(1.5), 2), .mass = 1});
    const int parent = i == 0 ? -1 : bodies[random.below(i)];
    const Transform X_p = pose(), X_c = pose();
    const JointFrames frames{.parent_xform = X_p, .child_xform = X_c};
    const int kind = i == 0 ? 3 : random.below(3);
    joints.push_back(kind == 0   ? builder.add_joint_revolute(parent, body, {.axis = vec()}, frames)
                     : kind == 1 ? builder.add_joint_ball(parent, body, {}, frames)
                     : kind == 2 ? builder.add_joint_prismatic(parent, body, {.axis = vec()}, frames)
                                 : builder.add_joint_free(body, -1, {.child_xform = X_c}));
    bodies.push_back(body);
    builder.add_shape_sphere(body, Real(0.1));
    builder.add_sensor(SensorType::kAccelerometer, frame(body, pose()));
    builder.add_sensor(SensorType::kForce, frame(body, pose()));
    builder.add_sensor(SensorType::kTorque, frame(body, pose()));
    builder.add_sensor(SensorType::kSubtreeAngMom, subtree(body));
  }
  builder.add_sensor(SensorType::kKineticEnergy, {});
  builder.add_articulation(joints);
  return builder;
}

TEST_P(MotionSensorsTest, WorldsAreReadAlikeAloneAndTogetherOnAnyThreads) {
  SeededRandom random(5);
  std::vector<ModelBuilder> trees;
  for (int w = 0; w < 6; ++w) trees.push_back(random_tree(random, 2 + w % 3 * 3));
  ModelBuilder together;
  for (const ModelBuilder& tree : trees) together.add_world(tree);
  const auto run = [&](const Model& model, const Queue* queue) {
    Simulation simulation(model, "mujoco", Real(0.002));
    simulation.step(5);
    Instant instant(model, simulation.contacts());
    instant.step.state = simulation.state();
    instant.step.joint_qdd = simulation.state().joint_qdd;
    return instant.read(queue);
  };
  const Model model = together.finalize(device());
  const std::vector<Real> all = run(model, nullptr);
  for (const Queue& queue : queues())
    EXPECT_EQ(std::memcmp(run(model, &queue).data(), all.data(), all.size() * sizeof(Real)), 0);
  std::vector<Real> alone;
  for (const ModelBuilder& tree : trees) {
    ModelBuilder one;
    one.add_world(tree);
    const std::vector<Real> own = run(one.finalize(device()), nullptr);
    alone.insert(alone.end(), own.begin(), own.end());
  }
  ASSERT_EQ(alone.size(), all.size());
  EXPECT_EQ(std::memcmp(alone.data(), all.data(), all.size() * sizeof(Real)), 0);
}

TEST_P(MotionSensorsTest, EditsAreNoticed) {
  ModelBuilder builder;
  const int arm = add_arm(builder, 2);
  const int force = builder.add_sensor(SensorType::kForce, frame(arm));
  Instant instant(builder.finalize(device()));
  expect_near(instant.read_one(force), {0, 0, 2 * kGravity}, 10 * kClose);
  instant.model.edit([](ModelNumbers& n) {
    Array<Real> mass = n.body_mass.on_cpu();
    mass[0] = 7;
    n.body_mass = mass.to(n.body_mass.device());
  });
  instant.model.set_gravity({0, 0, 1});
  expect_near(instant.read_one(force), {0, 0, -7}, 10 * kClose);
}

// A pendulum that is let go: whatever the integrator makes of the step, its sensors tell of the beginning, where the
// hinge gets alpha = -m g l cos(q) / (I + m l^2) about -y; edits in between count.
TEST_P(MotionSensorsTest, AStepIsFeltAsItBegins) {
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kImplicitFast, Integrator::kRK4}) {
    ModelBuilder builder;
    builder.options.integrator = integrator;
    const int arm = add_arm(builder, 2);
    builder.add_sensor(SensorType::kFrameAngAcc, frame(arm), {}, {}, "alpha");
    builder.add_sensor(SensorType::kJointPos, joint_axis(0), {}, {}, "angle");
    builder.add_sensor(SensorType::kClock, {}, {}, {}, "clock");
    const Model model = builder.finalize(device());
    Simulation simulation(model, "mujoco", Real(0.01));
    const auto read = [&](const char* key, int k) {
      return simulation.sensors().values(simulation.sensors().find(key)).on_cpu()[k];
    };
    const auto alpha_at = [](Real q, Real mass) {
      return mass * kGravity * Real(0.3) * std::cos(q) / (2 + mass * Real(0.09));
    };
    const Real close = sizeof(Real) == 4 ? Real(1e-4) : Real(1e-9);
    for (int i = 0; i < 5; ++i) {
      const Real q = simulation.state().joint_q.on_cpu()[0], mass = i < 3 ? Real(2) : Real(7);
      if (i == 3)
        model.edit([&](ModelNumbers& n) { n.body_mass = Array<Real>(std::vector<Real>{7}, n.body_mass.device()); });
      simulation.step();
      EXPECT_NEAR(read("angle", 0), q, close) << "step " << i;
      EXPECT_NEAR(read("alpha", 1), alpha_at(q, mass), close) << "step " << i << ", " << integrator_name(integrator);
      EXPECT_NEAR(read("clock", 0), Real(0.01) * i, close);
    }
    simulation.reset();
    simulation.step();
    EXPECT_EQ(read("clock", 0), 0);
  }
}

template <class Function>
std::string refusal_of(Function f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_P(MotionSensorsTest, WhatCannotBeAnsweredIsRefusedByName) {
  const auto refusal = [&](auto add) {
    ModelBuilder builder;
    const int arm = add_arm(builder);
    add(builder, arm);
    const Model model = builder.finalize(device());
    return refusal_of([&] { MotionSensors sensors(model); });
  };
  const std::string heavy = refusal([](ModelBuilder& b, int arm) {
    b.add_tendon_spatial({TendonPoint{.body = -1, .xform = {{0, 3, 0}, {}}}, TendonPoint{.body = arm}}, {.armature = 1},
                         "chain");
    b.add_sensor(SensorType::kKineticEnergy, {}, {}, {}, "energy");
  });
  EXPECT_NE(heavy.find("'energy' (e_kinetic)"), std::string::npos) << heavy;
  EXPECT_NE(heavy.find("'chain'"), std::string::npos) << heavy;
  const std::string fixed =
      refusal([](ModelBuilder& b, int) { b.add_sensor(SensorType::kTorque, frame(-1), {}, {}, "base"); });
  EXPECT_NE(fixed.find("'base' (torque)"), std::string::npos) << fixed;
  const std::string flat = refusal([](ModelBuilder& b, int) {
    const int ground = b.add_ground_plane(0, {.key = "ground"});
    b.add_sensor(SensorType::kInsideSite, {SensorObject::kShape, ground}, site(b.add_site(-1)), {}, "lid");
  });
  EXPECT_NE(flat.find("'lid' (insidesite)"), std::string::npos) << flat;
  EXPECT_NE(flat.find("'ground'"), std::string::npos) << flat;
}

INSTANTIATE_TEST_SUITE_P(, MotionSensorsTest, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace carom
