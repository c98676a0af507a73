// Impulses that IMUs feel: at once, by resolve_impulses() or written to State::body_jump, and spread over steps.
#include <cmath>

#include "tests/backend/on_device.h"
#include "tests/sensors/sensed_instant.h"

namespace carom {
namespace {

constexpr Real kStep = Real(0.01), kNear = sizeof(Real) == 4 ? Real(1e-3) : Real(1e-9);

class FeltImpulsesTest : public testing::OnDevice {};

// A box without weight that sinks onto the ground, a little tilted, with an IMU away from its centre of mass.
struct Landing {
  static constexpr Vec3 kImu{Real(0.1), Real(-0.05), Real(0.02)};
  ModelBuilder builder;
  int box;

  Landing() {
    builder.gravity = {};
    ShapeConfig cfg;
    cfg.restitution = Real(0.5);
    builder.add_ground_plane(0, {.cfg = cfg});
    const Quat tilt = quat_from_rotation_vector(Vec3{Real(0.2), Real(0.1), 0});
    box = builder.add_body({.xform = {{0, 0, Real(0.125)}, tilt}});
    builder.add_shape_box(box, Real(0.1), Real(0.1), Real(0.1), {.cfg = cfg});
    const SensedObject imu = frame(box, {kImu, {}});
    builder.add_sensor(SensorType::kAccelerometer, imu, {}, {}, "imu");
    builder.add_sensor(SensorType::kFrameLinAcc, imu, {}, {}, "a");
    builder.add_sensor(SensorType::kFrameAngAcc, imu, {}, {}, "alpha");
    builder.add_sensor(SensorType::kGyro, imu, {}, {}, "gyro");
    builder.add_sensor(SensorType::kForce, imu, {}, {}, "force");
  }
};

Vec3 reading(const Simulation& sim, const char* key) {
  const Array<Real> v = sim.sensors().values(sim.sensors().find(key)).on_cpu();
  return {v[0], v[1], v[2]};
}
void expect_near(Vec3 got, Vec3 wanted, Real tolerance, const char* what) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(got[k], wanted[k], tolerance) << what << ", axis " << k;
}
SpatialVector velocity_of(const Simulation& sim, int body) { return sim.state().body_qd.on_cpu()[body]; }
SpatialVector jump_of(const Simulation& sim, int body) { return sim.state().body_jump.on_cpu()[body]; }

// Proves that an impact between two steps is felt as what it did to the velocity of the IMU over the next step, by all
// that measures accelerations; by nothing that carries, once, and after a snapshot again.
TEST_P(FeltImpulsesTest, AnImpactIsFeltOnce) {
  Landing landing;
  Simulation sim(landing.builder.finalize(device()), "mujoco", kStep);
  const std::vector<Real> sinks{0, 0, -2, 0, 0, 0};
  sim.state().joint_qd.assign(Array<Real>(std::span<const Real>(sinks), device()));
  const SpatialVector before = velocity_of(sim, landing.box);
  resolve_impulses(sim.model(), sim.state(), sim.state(), sim.contacts(), {.least_depth = -1});
  const SpatialVector after = velocity_of(sim, landing.box);
  ASSERT_GT(after.linear.z, before.linear.z + 1);
  ASSERT_GT(length(after.angular), 1);
  const Simulation::Snapshot snapshot = sim.snapshot();
  for (int time = 0; time < 2; ++time) {
    const Transform X_WB = sim.state().body_q.on_cpu()[landing.box];
    sim.step();
    const Vec3 arm = rotate(X_WB.q, Landing::kImu), w = after.angular;
    const Vec3 dv = after.linear - before.linear, dw = after.angular - before.angular;
    const Vec3 alpha = dw / kStep, a = (dv + cross(dw, arm)) / kStep;
    // It turns freely then: the torque-free motion of a cube has no angular acceleration.
    const Vec3 turning = cross(w, cross(w, arm));
    expect_near(reading(sim, "a"), a + turning, 100 * kNear, "framelinacc");
    expect_near(reading(sim, "imu"), rotate_inverse(X_WB.q, a + turning), 100 * kNear, "accelerometer");
    expect_near(reading(sim, "alpha"), alpha, 100 * kNear, "frameangacc");
    expect_near(reading(sim, "gyro"), rotate_inverse(X_WB.q, w), kNear, "gyro");
    expect_near(reading(sim, "force"), {}, kNear, "force");
    EXPECT_EQ(length(jump_of(sim, landing.box).linear), 0);
    sim.step();
    EXPECT_LT(length(reading(sim, "imu")), length(a) / 10);
    sim.restore(snapshot);
  }
  EXPECT_GT(length(jump_of(sim, landing.box).linear), 1);
  sim.reset();
  EXPECT_EQ(length(jump_of(sim, landing.box).linear), 0);
}

// Proves that impulses of other origin are felt, too, by the world that has them alone, and by the first step of a
// call.
TEST_P(FeltImpulsesTest, JumpsCanBeWritten) {
  ModelBuilder scene;
  scene.gravity = {};
  for (int w = 0; w < 2; ++w) {
    scene.begin_world();
    const int body = scene.add_body({.inertia = diagonal(1, 1, 1), .mass = 1});
    SensorConfig late;
    late.samples = 4, late.delay = 2 * kStep;
    scene.add_sensor(SensorType::kAccelerometer, frame(body), {}, {}, "imu");
    scene.add_sensor(SensorType::kAccelerometer, frame(body), {}, late, "late");
    scene.end_world();
  }
  Simulation sim(scene.finalize(device()), "mujoco", kStep);
  std::vector<SpatialVector> jumps(2);
  jumps[1] = {{3, 0, 0}, {}};
  sim.state().body_jump.assign(Array<SpatialVector>(std::span<const SpatialVector>(jumps), device()));
  sim.step(3);
  const auto read = [&](const char* key) { return sim.sensors().values(sim.sensors().find(key)).on_cpu(); };
  EXPECT_EQ(read("imu")[3], 0);
  EXPECT_NEAR(read("late")[3], 3 / kStep, kNear * 100);  // what was read two steps ago
  EXPECT_EQ(read("late")[0], 0);
}

// Proves that the readings of an impulse that takes its time add up to it, and that the gyro has the velocity that it
// gave.
TEST_P(FeltImpulsesTest, ASpreadImpulseAddsUp) {
  ModelBuilder builder;
  builder.gravity = {};
  const int body = builder.add_body({.inertia = diagonal(2, 2, 2), .mass = 4});
  builder.add_sensor(SensorType::kAccelerometer, frame(body), {}, {}, "imu");
  builder.add_sensor(SensorType::kGyro, frame(body), {}, {}, "gyro");
  Simulation sim(builder.finalize(device()), "mujoco", kStep);
  const Impulse impulse{{0, 0, 6}};
  ImpulseSpread spread(impulse, ContactVector{{0, Real(0.5), 0}}, Seconds(7 * kStep), ImpulseProfile::kHalfSine);
  Vec3 sum{};
  while (!spread.finished()) {
    const ForceAndTorque push = spread.step(Seconds(kStep));
    const std::vector<SpatialVector> applied{{push.force.vec(), push.torque.vec()}};
    sim.state().body_f.assign(Array<SpatialVector>(std::span<const SpatialVector>(applied), device()));
    const Quat q = sim.state().body_q.on_cpu()[body].q;
    sim.step();
    sum += rotate(q, reading(sim, "imu")) * kStep;
  }
  expect_near(sum, {0, 0, Real(1.5)}, kNear, "sum of accelerations");
  sim.state().clear_forces();
  sim.step();
  expect_near(reading(sim, "gyro"), {Real(1.5), 0, 0}, kNear, "gyro");
}

// Proves that models without sensors of acceleration have no such array, and that impulses are resolved all the same.
TEST_P(FeltImpulsesTest, OthersHaveNoArray) {
  Landing landing;
  ModelBuilder plain;
  plain.add_ground_plane();
  plain.add_shape_sphere(plain.add_body({.xform = {{0, 0, Real(0.1)}, {}}}), Real(0.1));
  const Model model = plain.finalize(device());
  State state = model.state();
  EXPECT_TRUE(state.body_jump.empty());
  resolve_impulses(model, state, state, CollisionPipeline(model).collide(state));
  EXPECT_EQ(landing.builder.finalize(device()).state().body_jump.size(), 1);
}

INSTANTIATE_TEST_SUITE_P(, FeltImpulsesTest, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace carom
