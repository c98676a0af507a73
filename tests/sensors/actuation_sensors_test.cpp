// Sensors of actuators, tendons and limits: lengths, velocities and forces by hand, weights that limits carry, in
// lanes, in worlds that are taken apart, with every integrator, and after edits.
#include "sensors/actuation_sensors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/backend/on_device.h"
#include "tests/random.h"
#include "tests/sensors/sensor_rig.h"

namespace carom {
namespace {

constexpr Real kGravity = Real(9.81);
constexpr Real kNear = sizeof(Real) == 4 ? Real(2e-6) : Real(1e-13);

class ActuationSensorsTest : public testing::OnDevice {};

// Reads them where the last of so many steps began.
void read(SensorRig& rig, int steps = 1) {
  const SensedStep step = rig.step(steps);
  ActuationSensors(rig.model).send(rig.solver.queue(), step, rig.values.data(), rig.value_at.data());
  rig.solver.queue().finish();
}

int add_slider(ModelBuilder& builder, Vec3 axis, Real mass, JointDofConfig dof = {}, int parent = -1) {
  const int link = builder.add_link({.inertia = mat33_identity<Real>(), .mass = mass});
  dof.axis = axis;
  return builder.add_joint_prismatic(parent, link, dof);
}

// Two sliders without weight, actuators at one of them and at a tendon over both.
struct Sliders {
  ModelBuilder builder{Axis::kZ, Vec3{}};
  int a, b, tendon, loose;

  explicit Sliders(const JointDofConfig& dof = {}) {
    a = add_slider(builder, {1, 0, 0}, 2, dof), b = add_slider(builder, {0, 1, 0}, 3);
    tendon = builder.add_tendon_fixed({{a, 2}, {b, -1}});
    loose = builder.add_tendon_fixed({{b, Real(0.5)}});  // nothing acts on it
    const int motor = builder.add_actuator(a, {.gear = 3, .force_upper = Real(1.5)});
    const int servo = builder.add_actuator(a, {.gear = -2, .gain = 4, .bias = {0, -4, 0}});
    const int winch = builder.add_actuator_tendon(tendon, {.gear = 2});
    const int brake = builder.add_actuator_tendon(tendon, {.gear = -3, .gain = 5});
    for (const auto& [type, name] : {std::pair{SensorType::kActuatorPos, "pos"},
                                     {SensorType::kActuatorVel, "vel"},
                                     {SensorType::kActuatorFrc, "frc"}}) {
      builder.add_sensor(type, sensed_actuator(motor), {}, {}, std::string("motor_") + name);
      builder.add_sensor(type, sensed_actuator(servo), {}, {}, std::string("servo_") + name);
      builder.add_sensor(type, sensed_actuator(winch), {}, {}, std::string("winch_") + name);
      builder.add_sensor(type, sensed_actuator(brake), {}, {}, std::string("brake_") + name);
    }
    builder.add_sensor(SensorType::kJointActuatorFrc, sensed_joint(a), {}, {}, "at_a");
    builder.add_sensor(SensorType::kJointActuatorFrc, sensed_joint(b), {}, {}, "at_b");
    builder.add_sensor(SensorType::kTendonActuatorFrc, sensed_tendon(tendon), {}, {}, "at_tendon");
    builder.add_sensor(SensorType::kTendonActuatorFrc, sensed_tendon(loose), {}, {}, "at_loose");
    builder.add_sensor(SensorType::kTendonPos, sensed_tendon(loose), {}, {}, "loose_pos");
    builder.add_sensor(SensorType::kTendonVel, sensed_tendon(loose), {}, {}, "loose_vel");
    builder.add_sensor(SensorType::kTendonPos, sensed_tendon(tendon), {}, {}, "tendon_pos");
    builder.add_sensor(SensorType::kTendonVel, sensed_tendon(tendon), {}, {}, "tendon_vel");
  }
};

// What all of them read of the coordinates q, velocities v and controls u of a world.
void expect_sliders(const SensorRig& rig, int world, const Real* q, const Real* v, const Real* u) {
  const auto expect = [&](const char* key, Real value) {
    EXPECT_NEAR(rig.first(key, world), value, kNear * (1 + std::abs(value))) << key << " of world " << world;
  };
  const Real length = 2 * q[0] - q[1], speed = 2 * v[0] - v[1];
  const Real motor = std::min(u[0], Real(1.5)), servo = 4 * (u[1] - -2 * q[0]), winch = u[2], brake = 5 * u[3];
  expect("motor_pos", 3 * q[0]), expect("motor_vel", 3 * v[0]), expect("motor_frc", motor);
  expect("servo_pos", -2 * q[0]), expect("servo_vel", -2 * v[0]), expect("servo_frc", servo);
  expect("winch_pos", 2 * length), expect("winch_vel", 2 * speed), expect("winch_frc", winch);
  expect("brake_pos", -3 * length), expect("brake_vel", -3 * speed), expect("brake_frc", brake);
  const Real pull = 2 * winch - 3 * brake;
  expect("at_a", 3 * motor - 2 * servo + 2 * pull), expect("at_b", -pull);
  expect("at_tendon", winch + brake), expect("at_loose", 0);
  expect("loose_pos", q[1] / 2), expect("loose_vel", v[1] / 2);
  expect("tendon_pos", length), expect("tendon_vel", speed);
}

template <class T>
Array<T> written(const Array<T>& array, SeededRandom& random) {
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < array.size(); ++i) numbers.push_back(T(random.uniform(-2, 2)));
  array.assign(Array<T>(std::span<const T>(numbers)));
  return array.to(Device{});
}

// Proves them by hand, in worlds that differ, with every integrator: what is read is of the beginning of the step.
TEST_P(ActuationSensorsTest, AreWhatFormulasSay) {
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kImplicitFast, Integrator::kRK4,
                                      Integrator::kImplicit, Integrator::kDiscrete}) {
    SCOPED_TRACE(integrator_name(integrator));
    Sliders one;
    one.builder.options.integrator = integrator;
    ModelBuilder builder{Axis::kZ, Vec3{}};
    constexpr int kWorlds = 7;
    for (int w = 0; w < kWorlds; ++w) builder.add_world(one.builder);
    SensorRig rig(builder.finalize(device()));
    SeededRandom random(1);
    const Array<Real> q = written(rig.state.joint_q, random), v = written(rig.state.joint_qd, random),
                      u = written(rig.control.ctrl, random);
    read(rig);
    for (int w = 0; w < kWorlds; ++w) expect_sliders(rig, w, q.data() + 2 * w, v.data() + 2 * w, u.data() + 4 * w);
  }
}

// Proves the same where a world of many trees is taken apart: each slider with a motor of its own is one.
TEST_P(ActuationSensorsTest, OfWorldsThatAreTakenApart) {
  ModelBuilder builder{Axis::kZ, Vec3{}};
  constexpr int kSliders = 200;
  for (int i = 0; i < kSliders; ++i) {
    const int joint = add_slider(builder, {1, 0, 0}, 1, {.limit_upper = 1});
    const int actuator = builder.add_actuator(joint, {.gear = Real(i + 1)});
    const int tendon = builder.add_tendon_fixed({{joint, Real(2)}});
    if (i % 3 != 0) continue;  // not of all: parts that are alike share a plan
    const std::string at = std::to_string(i);
    builder.add_sensor(SensorType::kActuatorFrc, sensed_actuator(actuator), {}, {}, "frc" + at);
    builder.add_sensor(SensorType::kActuatorPos, sensed_actuator(actuator), {}, {}, "pos" + at);
    builder.add_sensor(SensorType::kTendonPos, sensed_tendon(tendon), {}, {}, "tendon" + at);
    builder.add_sensor(SensorType::kJointLimitFrc, sensed_joint(joint), {}, {}, "limit" + at);
  }
  SensorRig rig(builder.finalize(device()));
  SeededRandom random(2);
  const Array<Real> q = written(rig.state.joint_q, random), u = written(rig.control.ctrl, random);
  read(rig);
  for (int i = 0; i < kSliders; i += 3) {
    const std::string at = std::to_string(i);
    EXPECT_NEAR(rig.first("frc" + at), u[i], kNear * 2);
    EXPECT_NEAR(rig.first("pos" + at), q[i] * Real(i + 1), kNear * 400);
    EXPECT_NEAR(rig.first("tendon" + at), q[i] * 2, kNear * 4);
    // Deep enough that no motor frees it; just behind its limit one may.
    const Real limit = rig.first("limit" + at);
    EXPECT_TRUE(q[i] > 1 ? limit > 0 || q[i] < Real(1.3) : limit == 0) << q[i] << ": " << limit;
  }
}

// Proves that bounds of the joint count for what is told at the joint, and not for the actuators.
TEST_P(ActuationSensorsTest, StayWithinTheBoundsOfTheJoint) {
  Sliders one({.effort_lower = -1, .effort_upper = 2});
  SensorRig rig(one.builder.finalize(device()));
  const std::vector<Real> ctrl{Real(1.25), 0, 0, 0};
  rig.control.ctrl.assign(Array<Real>(std::span<const Real>(ctrl)));
  read(rig);
  EXPECT_NEAR(rig.first("motor_frc"), 1.25, kNear);
  EXPECT_NEAR(rig.first("at_a"), 2, kNear);
}

// Proves that a servo of an orientation has three numbers: those of the rotation that there is, and what it does.
TEST_P(ActuationSensorsTest, OfAnOrientationAreThree) {
  ModelBuilder builder{Axis::kZ, Vec3{}};
  const int link = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  const int joint = builder.add_joint_ball(-1, link);
  const int slider = add_slider(builder, {1, 0, 0}, 1);
  const int first = builder.add_actuator(slider);
  const int servo = builder.add_actuator(joint, {.gain = 3, .bias = {0, -3, 0}, .law = ActuatorLaw::kOrientation});
  builder.add_sensor(SensorType::kActuatorPos, sensed_actuator(servo), {}, {}, "pos");
  builder.add_sensor(SensorType::kActuatorVel, sensed_actuator(servo), {}, {}, "vel");
  builder.add_sensor(SensorType::kActuatorFrc, sensed_actuator(servo), {}, {}, "frc");
  builder.add_sensor(SensorType::kActuatorFrc, sensed_actuator(first), {}, {}, "first");
  SensorRig rig(builder.finalize(device()));
  // Turned by 0.6 about z, turning about z, told to be at 1 about z.
  const std::vector<Real> q{0, 0, std::sin(Real(0.3)), std::cos(Real(0.3)), 0}, v{0, 0, Real(0.25), 0},
      u{Real(0.75), 0, 0, 1};
  rig.state.joint_q.assign(Array<Real>(std::span<const Real>(q)));
  rig.state.joint_qd.assign(Array<Real>(std::span<const Real>(v)));
  rig.control.ctrl.assign(Array<Real>(std::span<const Real>(u)));
  read(rig);
  const std::pair<const char*, Real> about_z[] = {{"pos", Real(0.6)}, {"vel", Real(0.25)}, {"frc", Real(3 * 0.4)}};
  for (const auto& [key, expected] : about_z) {
    const std::vector<Real> of = rig.of(key);
    ASSERT_EQ(of.size(), 3U);
    EXPECT_NEAR(of[0], 0, kNear);
    EXPECT_NEAR(of[1], 0, kNear);
    EXPECT_NEAR(of[2], expected, 4 * kNear) << key;
  }
  EXPECT_NEAR(rig.first("first"), 0.75, kNear);
}

// Proves that a spatial tendon is as long as the way between its points, though nothing acts on it.
TEST_P(ActuationSensorsTest, OfSpatialTendons) {
  ModelBuilder builder{Axis::kZ, Vec3{}};
  add_slider(builder, {1, 0, 0}, 1);
  const int tendon =
      builder.add_tendon_spatial({TendonPoint{.body = -1, .xform = {{0, 3, 0}, {}}}, TendonPoint{.body = 0}});
  builder.add_sensor(SensorType::kTendonPos, sensed_tendon(tendon), {}, {}, "pos");
  builder.add_sensor(SensorType::kTendonVel, sensed_tendon(tendon), {}, {}, "vel");
  SensorRig rig(builder.finalize(device()));
  const std::vector<Real> q{4}, v{Real(0.5)};
  rig.state.joint_q.assign(Array<Real>(std::span<const Real>(q)));
  rig.state.joint_qd.assign(Array<Real>(std::span<const Real>(v)));
  read(rig);
  EXPECT_NEAR(rig.first("pos"), 5, 5 * kNear);
  EXPECT_NEAR(rig.first("vel"), 0.5 * 4 / 5, kNear);
}

// Proves where a tendon stands against its range, on both sides, within and outside of the margin.
TEST_P(ActuationSensorsTest, TellHowFarTendonsAreFromTheirLimits) {
  ModelBuilder builder{Axis::kZ, Vec3{}};
  const int joint = add_slider(builder, {1, 0, 0}, 1);
  const int tendon =
      builder.add_tendon_fixed({{joint, 2}}, {.limit_lower = -1, .limit_upper = 3, .limit_margin = Real(0.25)});
  builder.add_sensor(SensorType::kTendonLimitPos, sensed_tendon(tendon), {}, {}, "pos");
  builder.add_sensor(SensorType::kTendonLimitVel, sensed_tendon(tendon), {}, {}, "vel");
  builder.add_sensor(SensorType::kTendonLimitFrc, sensed_tendon(tendon), {}, {}, "frc");
  SensorRig rig(builder.finalize(device()));
  struct Case {
    Real q, pos, vel;
  };
  for (const Case& c : {Case{0, 0, 0},
                        {Real(-0.5), Real(-0.25), 1},
                        {Real(-0.4375), Real(-0.125), 1},
                        {Real(-0.375), 0, 0},
                        {Real(1.4375), Real(-0.125), -1},
                        {2, Real(-1.25), -1}}) {
    rig.state.joint_q.assign(Array<Real>(std::span<const Real>(&c.q, 1)));
    const Real v = Real(0.5);
    rig.state.joint_qd.assign(Array<Real>(std::span<const Real>(&v, 1)));
    read(rig);
    EXPECT_NEAR(rig.first("pos"), c.pos, kNear) << c.q;
    EXPECT_NEAR(rig.first("vel"), c.vel, kNear) << c.q;
    EXPECT_EQ(rig.first("frc") > 0, c.pos < 0) << c.q;
  }
}

// Proves that what hangs at a limit weighs as much as it does: of a joint at its lower and at its upper end, of a
// tendon, and of a ball joint, at which a rod leans.
TEST_P(ActuationSensorsTest, LimitsCarryWeights) {
  ModelBuilder builder;
  const JointDofConfig damped{.damping = 50};
  JointDofConfig from_below = damped, from_above = damped;
  from_below.limit_lower = Real(-0.1), from_above.limit_upper = Real(0.1);
  const int lower = add_slider(builder, {0, 0, 1}, 2, from_below);
  const int upper = add_slider(builder, {0, 0, -1}, 3, from_above);
  const int hung = add_slider(builder, {0, 0, 1}, 5, damped);
  const int tendon = builder.add_tendon_fixed({{hung, -2}}, {.limit_upper = Real(0.2)});
  const int rod =
      builder.add_link({.com = {0, 0, Real(0.5)}, .inertia = mat33_identity<Real>() * Real(0.1), .mass = 4});
  const int ball = builder.add_joint_ball(-1, rod, {.limit_upper = Real(0.4), .damping = 20});
  const Real leaning[] = {std::sin(Real(0.1)), 0, 0, std::cos(Real(0.1))};
  builder.set_joint_q(ball, leaning);
  builder.add_sensor(SensorType::kJointLimitFrc, sensed_joint(lower), {}, {}, "lower");
  builder.add_sensor(SensorType::kJointLimitFrc, sensed_joint(upper), {}, {}, "upper");
  builder.add_sensor(SensorType::kTendonLimitFrc, sensed_tendon(tendon), {}, {}, "tendon");
  builder.add_sensor(SensorType::kJointLimitFrc, sensed_joint(ball), {}, {}, "ball");
  SensorRig rig(builder.finalize(device()));
  read(rig, 4000);
  const Array<Real> q = rig.state.joint_q.on_cpu();
  const Real angle = 2 * std::atan2(std::hypot(q[3], q[4], q[5]), q[6]);
  EXPECT_GT(angle, 0.4);
  const std::pair<const char*, Real> carried[] = {{"lower", 2 * kGravity},
                                                  {"upper", 3 * kGravity},
                                                  {"tendon", 5 * kGravity / 2},
                                                  {"ball", 4 * kGravity * Real(0.5) * std::sin(angle)}};
  for (const auto& [key, weight] : carried) EXPECT_NEAR(rig.first(key), weight, 1e-4 * weight) << key;
}

// Proves that a limit which an edit takes away does nothing any more.
TEST_P(ActuationSensorsTest, ForgetLimitsThatAnEditTakesAway) {
  ModelBuilder builder;
  const int joint = add_slider(builder, {0, 0, 1}, 2, {.limit_lower = Real(0.1)});
  builder.add_sensor(SensorType::kJointLimitFrc, sensed_joint(joint), {}, {}, "limit");
  SensorRig rig(builder.finalize(device()));
  read(rig);
  EXPECT_GT(rig.first("limit"), 0);
  const Real nowhere = -kUnlimited;
  rig.model.edit([&](ModelNumbers& n) { n.joint_limit_lower.assign(Array<Real>(std::span<const Real>(&nowhere, 1))); });
  read(rig);
  EXPECT_EQ(rig.first("limit"), 0);
}

// Proves that a model without such sensors has no such arrays.
TEST_P(ActuationSensorsTest, CostNothingWhereThereAreNone) {
  ModelBuilder builder;
  const int joint = add_slider(builder, {0, 0, 1}, 2, {.limit_lower = Real(0.1)});
  builder.add_actuator(joint);
  SensorRig rig(builder.finalize(device()));
  rig.step();
  const SolverForces& f = rig.solver.forces();
  for (const Array<Real>& array : {f.actuator_length, f.actuator_force, f.tendon_length, f.joint_actuator_force,
                                   f.joint_limit_force, f.tendon_limit_force})
    EXPECT_TRUE(array.empty());
}

INSTANTIATE_TEST_SUITE_P(, ActuationSensorsTest, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace carom
