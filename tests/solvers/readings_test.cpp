// What the penalty solvers and SolverXPBD tell sensors: actuators, efforts, limits, and what welds carry.
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

class PenaltyReadings : public PenaltySolvers {};

constexpr double kG = 9.81;

// Of the instant from which a step begins, in worlds with numbers of their own.
TEST_P(PenaltyReadings, ActuatorsAndLimits) {
  ModelBuilder scene;
  scene.gravity = {};
  const int worlds = 9;
  for (int w = 0; w < worlds; ++w) {
    scene.begin_world();
    const int arm = scene.add_link({.inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 1});
    JointDofConfig dof{.axis = {0, 0, 1}};
    dof.target_ke = 10, dof.target_pos = Real(0.5), dof.effort_upper = 12;
    dof.limit_lower = Real(-0.2), dof.limit_upper = Real(0.3), dof.limit_ke = 1000;
    const int hinge = scene.add_joint_revolute(-1, arm, dof);
    scene.add_articulation({hinge});
    const std::string name = std::to_string(w);
    const int motor = scene.add_actuator(hinge, {.gear = 2, .gain = 3, .force_upper = 4}, "motor_" + name);
    scene.add_sensor(SensorType::kActuatorFrc, {SensorObject::kActuator, motor}, {}, {}, "force_" + name);
    scene.add_sensor(SensorType::kJointActuatorFrc, {SensorObject::kJoint, hinge}, {}, {}, "effort_" + name);
    scene.add_sensor(SensorType::kJointLimitFrc, {SensorObject::kJoint, hinge}, {}, {}, "limit_" + name);
    scene.end_world();
  }
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  const auto start = [&](int w) { return Real(-0.43 + 0.1 * w); };
  for (int w = 0; w < worlds; ++w) {
    sim.state().joint_q[w] = start(w), sim.state().joint_qd[w] = Real(0.01 * w);
    sim.control().ctrl[w] = Real(0.25 * w);
  }
  sim.step();
  const SolverForces& f = sim.solver().forces();
  for (int w = 0; w < worlds; ++w) {
    const double q = start(w), v = 0.01 * w, force = std::min(3 * 0.25 * w, 4.0);
    EXPECT_NEAR(f.actuator_length[w], 2 * q, 1e-6) << "world " << w;
    EXPECT_NEAR(f.actuator_velocity[w], 2 * v, 1e-6);
    EXPECT_NEAR(f.actuator_force[w], force, 1e-6);
    EXPECT_NEAR(f.joint_actuator_force[w], std::min(2 * force + 10 * (0.5 - q), 12.0), 1e-5);
    const double beyond = q < -0.2 ? -0.2 - q : std::max(q - 0.3, 0.0), towards = q < -0.2 ? -v : v;
    EXPECT_NEAR(f.joint_limit_force[w], beyond > 0 ? 1000 * beyond + model.joint_limit_kd[w] * towards : 0, 1e-3);
  }
}

// A weight that is welded to the world beside its centre of mass, and one that hangs on a connect.
TEST_P(PenaltyReadings, WhatWeldsCarry) {
  const double m = 2, away = 0.3;
  ModelBuilder scene;
  const Mat33 I = mat33_diagonal<Real>({Real(0.02), Real(0.02), Real(0.02)});
  const int beam = scene.add_body({.xform = {{Real(away), 0, 1}, {}}, .inertia = I, .mass = Real(m)});
  scene.add_equality_constraint_weld(-1, beam, {Real(-away), 0, 0}, 1, {{Real(away), 0, 1}, {}});
  const int bob = scene.add_body({.xform = {{2, 0, 1}, {}}, .inertia = I, .mass = Real(m)});
  scene.add_equality_constraint_connect(bob, -1, {0, 0, Real(0.2)});
  scene.add_sensor(SensorType::kForce, {SensorObject::kSite, scene.add_site(beam)}, {}, {}, "at_beam");
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.002));
  sim.step(500);
  const SolverForces& f = sim.solver().forces();
  const double weight = m * kG;
  // On the first body: the world, and the bob.
  EXPECT_LT(length(f.equality_force[0].linear - Vec3{0, 0, Real(-weight)}), 0.005 * weight);
  EXPECT_LT(length(f.equality_force[0].angular - Vec3{0, Real(weight * away), 0}), 0.005 * weight);
  EXPECT_LT(length(f.equality_point1[0] - Vec3{0, 0, 1}), 1e-3);
  EXPECT_LT(length(f.equality_force[1].linear - Vec3{0, 0, Real(weight)}), 0.005 * weight);
  EXPECT_LT(length(f.equality_force[1].angular), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All, PenaltyReadings, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
