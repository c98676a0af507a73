// Forces in joints against closed forms: springs, implicit damping, actuators, armature, gravity, and what is applied
// from outside.
#include <gtest/gtest.h>

#include <cmath>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kTight = kDouble ? 1e-13 : 1e-6;  // relative; a step is some twenty roundings

void expect_close(double found, double expected, double scale = 1) {
  EXPECT_NEAR(found, expected, kTight * std::max(std::abs(expected), scale));
}

// A mass on a slider along x, without gravity.
struct Slider {
  ModelBuilder builder;
  int joint;

  Slider(Real mass, const JointDofConfig& dof) {
    builder.gravity = {};
    const int cart = builder.add_link({.mass = mass});
    joint = builder.add_joint_prismatic(-1, cart, dof);
  }
  // Velocity after one step.
  double step(double q, double v, double h, double ctrl = 0, double joint_f = 0) const {
    Simulation simulation(builder.finalize(), "mujoco", Real(h));
    simulation.state().joint_q[0] = Real(q);
    simulation.state().joint_qd[0] = Real(v);
    simulation.control().joint_f[0] = Real(joint_f);
    if (simulation.model().actuator_count > 0) simulation.control().ctrl[0] = Real(ctrl);
    simulation.step();
    const double after = simulation.state().joint_qd[0];
    expect_close(simulation.state().joint_q[0], q + h * after);
    return after;
  }
};

// v+ = v + h (-k (q - q0) - b v) / (m + h b)
TEST(JointForces, SpringAndImplicitDamping) {
  const Slider plain(2, {.damping = 3, .stiffness = 50});
  expect_close(plain.step(0.3, 0.7, 0.01), 0.6157635467980295);
  const Slider offset(2, {.damping = 3, .stiffness = 50, .spring_ref = Real(0.5)});
  expect_close(offset.step(0.3, 0.7, 0.01), 0.7 + 0.01 * (50 * 0.2 - 3 * 0.7) / 2.03);
  const Slider undamped(2, {.stiffness = 50});
  expect_close(undamped.step(0.3, 0.7, 0.01), 0.7 - 0.01 * 15 / 2);
  // Damping a thousand times as strong as an explicit step could bear.
  const Slider stiff(2, {.damping = 4e5});
  expect_close(stiff.step(0, 1, 0.01), 1 - 0.01 * 4e5 / (2 + 0.01 * 4e5));
}

TEST(JointForces, ArmatureAddsMass) {
  const Slider slider(2, {.damping = 3, .armature = 6});
  expect_close(slider.step(0, 0, 0.01, 0, 10), 0.01 * 10 / (8 + 0.03));
  ModelBuilder builder;
  const int wheel = builder.add_link({.inertia = mat33_identity<Real>() * Real(0.5), .mass = 1});
  builder.add_joint_revolute(-1, wheel, {.axis = {0, 0, 1}, .armature = Real(1.5)});
  Simulation simulation(builder.finalize(), "mujoco", Real(0.25));
  simulation.control().joint_f[0] = 4;
  simulation.step();
  expect_close(simulation.state().joint_qd[0], 0.25 * 4 / 2);
}

// The joint feels gear * clamp(gain * clamp(ctrl) + b0 + b1 gear q + b2 gear v).
TEST(JointForces, Actuators) {
  const double h = 0.01, m = 2, q = 0.3, v = 0.7;
  const auto force = [&](const ActuatorConfig& cfg, double ctrl) {
    Slider slider(Real(m), {});
    slider.builder.add_actuator(slider.joint, cfg);
    return (slider.step(q, v, h, ctrl) - v) * m / h;
  };
  const auto expect_force = [&](const ActuatorConfig& cfg, double ctrl, double expected) {
    // The force is a difference of speeds: their rounding is as large as v m / h times that of a speed.
    EXPECT_NEAR(force(cfg, ctrl), expected, kTight * (std::abs(expected) + v * m / h));
  };
  expect_force({.gear = 3}, 5, 15);
  expect_force({.gear = -3, .gain = 2}, 5, -30);
  expect_force({.ctrl_lower = -1, .ctrl_upper = 2}, 5, 2);
  expect_force({.ctrl_lower = -1, .ctrl_upper = 2}, -5, -1);
  expect_force({.gear = 3, .force_lower = -4, .force_upper = 4}, 5, 12);
  expect_force({.gear = 3, .force_lower = -4, .force_upper = 4}, -5, -12);
  const RealN<3> bias{1, -20, -2};
  const double affine = 10 * 0.4 + 1 - 20 * (2 * q) - 2 * (2 * v);
  expect_force({.gear = 2, .gain = 10, .bias = bias}, 0.4, 2 * affine);
  expect_force({.gear = 2, .gain = 10, .bias = bias, .force_lower = -3, .force_upper = 3}, 0.4, 2 * -3);
}

// Two actuators, a joint force and a tendon at one joint add up.
TEST(JointForces, SourcesAddUp) {
  ModelBuilder builder;
  builder.gravity = {};
  std::vector<int> joints;
  for (int i = 0; i < 2; ++i) {
    const int cart = builder.add_link({.mass = Real(2 + i)});
    joints.push_back(builder.add_joint_prismatic(-1, cart, {.axis = {1, 0, 0}}));
  }
  builder.add_actuator(joints[0], {.gear = 2});
  builder.add_actuator(joints[1], {});
  builder.add_actuator(joints[0], {.gain = 3});
  // length = 2 q0 - q1, relaxed between -0.1 and 0.1
  builder.add_tendon_fixed({{joints[0], 2}, {joints[1], -1}},
                           {.stiffness = 100, .damping = 4, .spring_lower = Real(-0.1), .spring_upper = Real(0.1)});
  const Model model = builder.finalize();
  const auto accelerations = [&](double q0, double q1, double v0, double v1) {
    SolverMuJoCo solver(model);
    const State state = model.state();
    const Control control = model.control();
    state.joint_q[0] = Real(q0), state.joint_q[1] = Real(q1);
    state.joint_qd[0] = Real(v0), state.joint_qd[1] = Real(v1);
    control.ctrl[0] = 1, control.ctrl[1] = 10, control.ctrl[2] = 100;
    control.joint_f[0] = 1000;
    const Forward forward = solver.forward(state, control, nullptr, Real(0.01));
    return std::pair<double, double>(forward.qacc[0], forward.qacc[1]);
  };
  const auto expect_tension = [&](double q0, double q1, double v0, double v1, double tension) {
    const auto [a0, a1] = accelerations(q0, q1, v0, v1);
    expect_close(a0, (2 + 300 + 1000 + 2 * tension) / 2);
    expect_close(a1, (10 - tension) / 3, 100);
  };
  expect_tension(0, 0, 0, 0, 0);
  expect_tension(0.04, 0, 0, 0, 0);                      // slack
  expect_tension(0.5, 0.25, 0, 0, -100 * (0.75 - 0.1));  // longer than relaxed
  expect_tension(0, 0.5, 0, 0, -100 * (-0.5 + 0.1));     // shorter
  expect_tension(0, 0, 0.5, 0.25, -4 * 0.75);            // damping acts when slack, too
  expect_tension(0.5, 0.25, 0.5, 0.25, -65 - 4 * 0.75);
}

// Damping of a tendon is explicit, that of joints implicit.
TEST(JointForces, TendonDampingIsExplicit) {
  Slider slider(2, {.axis = {1, 0, 0}});
  slider.builder.add_tendon_fixed({{slider.joint, 3}}, {.damping = 4});
  expect_close(slider.step(0, 1, 0.01), 1 - 0.01 * 3 * 4 * 3 / 2);
}

// Each world falls with its own gravity, in lanes and alone.
TEST(JointForces, GravityOfEachWorld) {
  ModelBuilder ball, builder;
  ball.add_body({.inertia = mat33_identity<Real>(), .mass = 2});
  for (int w = 0; w < 5; ++w) {
    builder.begin_world("", Vec3{Real(w), 0, Real(-w)});
    builder.add_builder(ball);
    builder.end_world();
  }
  Model model = builder.finalize();
  Simulation simulation(model, "mujoco", Real(0.5));
  simulation.step();
  for (int w = 0; w < 5; ++w) {
    expect_close(simulation.state().joint_qd[6 * w], 0.5 * w);
    expect_close(simulation.state().joint_qd[6 * w + 2], -0.5 * w);
  }
  model.set_gravity({0, 8, 0}, 2);
  simulation.reset();
  simulation.step();
  expect_close(simulation.state().joint_qd[6 * 2 + 1], 4);
  expect_close(simulation.state().joint_qd[6 * 2], 0);
  expect_close(simulation.state().joint_qd[6 * 3], 1.5);
}

// -- Forces on bodies.

// A body with a second one fixed to it, both with centres of mass of their own, without gravity; and the whole.
struct Pair {
  ModelBuilder builder;
  Vec3 com0{Real(0.1), 0, Real(0.2)}, com1{Real(0.5), Real(0.25), 0};  // in the first body's frame
  Real mass0 = 2, mass1 = 1;
  Vec3 com;
  Mat33 inertia{};  // about com

  Pair() {
    builder.gravity = {};
    const Mat33 own = mat33_identity<Real>() * Real(0.1);
    const int first = builder.add_body({.com = com0, .inertia = own, .mass = mass0});
    const Vec3 place{Real(0.5), 0, 0};
    const int second = builder.add_link({.com = com1 - place, .inertia = own, .mass = mass1});
    builder.add_joint_fixed(first, second, {.parent_xform = {place, {}}});
    com = (com0 * mass0 + com1 * mass1) / (mass0 + mass1);
    for (const auto& [c, m] : {std::pair{com0, mass0}, std::pair{com1, mass1}}) {
      const Vec3 d = c - com;
      for (int i = 0; i < 3; ++i) {
        inertia[i][i] += Real(0.1) + m * length_squared(d);
        for (int j = 0; j < 3; ++j) inertia[i][j] -= m * d[i] * d[j];
      }
    }
  }

  // From rest, per second: acceleration of the first body's centre of mass, and angular acceleration.
  SpatialVector accelerations(SpatialVector joint_f, SpatialVector body_f0, SpatialVector body_f1) const {
    const double h = kDouble ? 1e-7 : 1e-4;  // the body turns by h^2 in the step, which must not show
    Simulation simulation(builder.finalize(), "mujoco", Real(h));
    const Real* const f = &joint_f.linear.x;
    for (int i = 0; i < 6; ++i) simulation.control().joint_f[i] = f[i];
    simulation.state().body_f[0] = body_f0;
    simulation.state().body_f[1] = body_f1;
    simulation.step();
    SpatialVector a;
    for (int i = 0; i < 6; ++i) (&a.linear.x)[i] = Real(simulation.state().joint_qd[i] / h);
    return a;
  }
  void expect_moves_as_by(SpatialVector found, Vec3 force, Vec3 torque) const {  // torque about the common centre
    const Vec3 angular = inverse(inertia) * torque;
    const Vec3 linear = force / (mass0 + mass1) + cross(angular, com0 - com);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.linear[i], linear[i], kDouble ? 1e-10 : 2e-4) << "linear " << i;
      EXPECT_NEAR(found.angular[i], angular[i], kDouble ? 1e-10 : 2e-4) << "angular " << i;
    }
  }
};

// A wrench on a free joint acts at the centre of mass of its body, forces on bodies at theirs; a body that is fixed to
// another one passes its force on.
TEST(JointForces, WrenchesActAtCentresOfMass) {
  const Pair pair;
  const Vec3 force{3, -2, 5}, torque{Real(0.5), 1, -2};
  pair.expect_moves_as_by(pair.accelerations({force, torque}, {}, {}), force,
                          torque + cross(pair.com0 - pair.com, force));
  pair.expect_moves_as_by(pair.accelerations({}, {force, torque}, {}), force,
                          torque + cross(pair.com0 - pair.com, force));
  pair.expect_moves_as_by(pair.accelerations({}, {}, {force, torque}), force,
                          torque + cross(pair.com1 - pair.com, force));
  pair.expect_moves_as_by(pair.accelerations({force, {}}, {{}, torque}, {-force, {}}), {},
                          torque + cross(pair.com0 - pair.com1, force));
}

// A force on the link of a hinge acts through its arm, and a force on a body that is fixed to the world does nothing.
TEST(JointForces, ForcesOnHingesAndFixedBodies) {
  ModelBuilder builder;
  builder.gravity = {};
  const int post = builder.add_link({.mass = 1}), arm = builder.add_link({.com = {Real(0.5), 0, 0}, .mass = 2});
  builder.add_joint_fixed(-1, post);
  builder.add_joint_revolute(post, arm, {.axis = {0, 0, 1}});
  Simulation simulation(builder.finalize(), "mujoco", Real(0.25));
  simulation.state().body_f[post] = {{7, 7, 7}, {7, 7, 7}};
  simulation.state().body_f[arm] = {{100, 3, 100}, {50, 50, 2}};
  simulation.step();
  expect_close(simulation.state().joint_qd[0], 0.25 * (0.5 * 3 + 2) / (2 * 0.25));
}

// A wrench in world axes keeps its direction while the body turns, also in many steps of one call.
TEST(JointForces, WrenchDoesNotTurnWithTheBody) {
  ModelBuilder builder;
  builder.gravity = {};
  builder.add_body({.com = {Real(0.3), 0, 0}, .inertia = mat33_identity<Real>(), .mass = 2});
  Simulation simulation(builder.finalize(), "mujoco", Real(1) / 1024);
  simulation.state().joint_qd[5] = 3;
  simulation.control().joint_f[0] = 4;  // at the centre of mass: no torque
  simulation.step(1024);
  // To the first order of the step: |w|^2 r h.
  const double tolerance = 9 * 0.3 / 1024 + 1e-4;
  EXPECT_NEAR(simulation.state().joint_qd[0], 4.0 / 2, tolerance);
  EXPECT_NEAR(simulation.state().joint_qd[1], 0, tolerance);
  EXPECT_NEAR(simulation.state().joint_qd[5], 3, kDouble ? 1e-10 : 1e-4);
}

}  // namespace
}  // namespace carom
