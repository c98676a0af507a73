// SmoothMotion against small steps of SolverFeatherstone, which shares the recursions of trees but not the derivative
// of coordinates, nor when joints are held.
#include "dynamics/smooth_motion.h"

#include <gtest/gtest.h>

#include "carom/builder.h"
#include "carom/solver_featherstone.h"
#include "tests/random.h"

namespace carom {
namespace {

// A free body with an arm of every kind of joint, springs, dampers, drives, limits that are passed, and a motor.
ModelBuilder creature(FixedRandom& random) {
  ModelBuilder builder;
  const auto number = [&](double from, double to) { return Real(random.uniform(from, to)); };
  const auto frames = [&] {
    return JointFrames{.parent_xform = {{number(0.1, 0.4), number(-0.2, 0.2), 0}, {}},
                       .child_xform = {{number(-0.4, -0.1), 0, number(-0.1, 0.1)}, {}}};
  };
  std::vector<int> joints;
  const auto link = [&] {
    const int body = builder.add_link({.com = {number(-0.1, 0.1), 0, Real(0.05)}});
    builder.add_shape_box(body, number(0.1, 0.2), number(0.1, 0.2), number(0.05, 0.1));
    return body;
  };
  const int root = link();
  joints.push_back(builder.add_joint_free(root));
  JointDofConfig held{.axis = {0, 1, 0}};
  held.target_ke = number(1, 20), held.target_kd = number(0.1, 1), held.target_pos = number(-1, 1);
  held.armature = 0.01, held.limit_lower = Real(0.4), held.limit_upper = 2;
  const int arm = link();
  joints.push_back(builder.add_joint_revolute(root, arm, held, frames()));
  builder.add_actuator(joints.back(), {.gear = 3});
  JointDofConfig sprung{.axis = {1, 0, 0}};
  sprung.stiffness = number(10, 50), sprung.damping = number(0.1, 1), sprung.friction = number(0.1, 0.5);
  const int slider = link();
  joints.push_back(builder.add_joint_prismatic(arm, slider, sprung, frames()));
  JointDofConfig turning = held;
  turning.limit_lower = -kUnlimited, turning.limit_upper = Real(0.3);
  const int ball = link();
  joints.push_back(builder.add_joint_ball(slider, ball, turning, frames()));
  const int leg = link();
  joints.push_back(builder.add_joint_d6(root, leg, {sprung}, {held}, frames()));
  const int rope = link();
  joints.push_back(builder.add_joint_distance(root, rope, Real(0.5), 1, frames()));
  builder.add_articulation(joints);
  return builder;
}

// Proves rates of coordinates and accelerations, in lanes and one world at a time.
TEST(SmoothMotion, AgreesWithSmallSteps) {
  constexpr Real kStep = 1e-7;
  constexpr int kWorlds = 5;
  FixedRandom random(7);
  ModelBuilder scene;
  const ModelBuilder one = creature(random);
  for (int w = 0; w < kWorlds; ++w) scene.add_world(one);
  const Model model = scene.finalize();
  State state = model.state(), next = model.state();
  const Control control = model.control();
  for (std::int64_t i = 0; i < state.joint_qd.size(); ++i) state.joint_qd[i] = Real(random.uniform(-1, 1));
  for (std::int64_t i = 0; i < control.joint_f.size(); ++i) control.joint_f[i] = Real(random.uniform(-1, 1));
  for (std::int64_t i = 0; i < control.ctrl.size(); ++i) control.ctrl[i] = Real(random.uniform(0, 1));
  for (int b = 0; b < model.body_count; ++b)
    state.body_f[b] = SpatialVector{{1, Real(random.uniform(0, 1)), 0}, {0, Real(0.3), 0}};
  for (int j = 0; j < model.joint_count; ++j) {
    const int q = model.joint_q_start[j];
    if (static_cast<JointType>(model.joint_type[j]) == JointType::kDistance) state.joint_q[q] = Real(1.1);
    if (static_cast<JointType>(model.joint_type[j]) == JointType::kPrismatic) state.joint_q[q] = Real(0.2);
  }
  SolverFeatherstone solver(model);
  solver.step(state, next, control, nullptr, kStep);
  for (const int lanes : {0, 1}) {
    const Queue queue({}, {.lanes = lanes});
    SmoothMotion motion(model, queue);
    const Array<Real> rate(model.joint_coord_count), qdd(model.joint_dof_count);
    motion.eval(motion.all(), state, control, rate, qdd);
    for (int i = 0; i < model.joint_dof_count; ++i) {
      const Real expected = (next.joint_qd[i] - state.joint_qd[i]) / kStep;
      EXPECT_NEAR(qdd[i], expected, 1e-4 * (1 + abs(expected))) << i;
    }
    // The step goes on with the velocities that it leads to.
    State moving = state.clone();
    moving.joint_qd.assign(next.joint_qd);
    motion.eval(motion.all(), moving, control, rate, qdd);
    for (int i = 0; i < model.joint_coord_count; ++i)
      EXPECT_NEAR(rate[i], (next.joint_q[i] - state.joint_q[i]) / kStep, 1e-6) << i;
  }
}

// Proves that worlds that are not chosen are left alone.
TEST(SmoothMotion, LeavesOtherWorldsAlone) {
  FixedRandom random(8);
  ModelBuilder scene;
  const ModelBuilder one = creature(random);
  for (int w = 0; w < 3; ++w) scene.add_world(one);
  const Model model = scene.finalize();
  const Queue queue;
  SmoothMotion motion(model, queue);
  const Array<Real> rate(model.joint_coord_count), qdd(model.joint_dof_count);
  motion.eval(motion.choose(std::vector<int>{1}), model.state(), model.control(), rate, qdd);
  const int dofs = model.joint_dof_count / 3;
  for (int i = 0; i < model.joint_dof_count; ++i) {
    if (i / dofs == 1) continue;
    EXPECT_EQ(qdd[i], 0) << i;
  }
  EXPECT_NE(qdd[dofs + 2], 0);
}

}  // namespace
}  // namespace carom
