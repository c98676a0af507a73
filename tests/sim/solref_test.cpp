// What counts as a solref: both numbers positive, or none. Anything else is the default, for contacts, limits of joints
// and limits of tendons alike. Against MuJoCo: python/tests/test_state.py.
#include <gtest/gtest.h>

#include "carom/carom.h"

namespace carom {
namespace {

// A ball pressed into the ground, and two arms turned beyond their limits: one of the joint, one of a tendon.
State after_some_steps(RealN<2> solref) {
  ModelBuilder builder;
  ShapeConfig cfg;
  cfg.solref = solref;
  builder.add_shape_plane(-1, 0, 0, {.cfg = cfg});
  const int ball = builder.add_body({.xform = {{0, 0, Real(0.0995)}, {}}});
  builder.add_shape_sphere(ball, Real(0.1), {.cfg = cfg});
  const auto add_arm = [&](const JointDofConfig& dof) {
    const int arm = builder.add_link({.com = {Real(0.3), 0, 0}, .inertia = mat33_identity<Real>(), .mass = 1});
    const int joint = builder.add_joint_revolute(-1, arm, dof);
    const Real beyond[] = {Real(1.1)};
    builder.set_joint_q(joint, beyond);
    return joint;
  };
  add_arm({.axis = {0, 1, 0}, .limit_lower = -1, .limit_upper = 1, .limit_solref = solref});
  const TendonJoint runs_over[] = {{.joint = add_arm({.axis = {0, 1, 0}}), .coef = 1}};
  builder.add_tendon_fixed(runs_over, {.limit_lower = -1, .limit_upper = 1, .limit_solref = solref});
  Simulation sim(builder.finalize(), "mujoco", Real(0.002));
  EXPECT_EQ(sim.step(20)[0], 0) << solref[0] << " " << solref[1];
  return sim.state();
}

// Proves that a zero or mixed signs give the motion of the default, to the bit, and that the other forms do not.
TEST(Solref, OneNumberAloneIsTheDefault) {
  const State expected = after_some_steps(kDefaultSolref);
  for (const RealN<2> solref : {RealN<2>{Real(0.05), 0}, {0, Real(0.5)}, {Real(0.05), -1}, {-100, 1}}) {
    const State state = after_some_steps(solref);
    for (std::int64_t i = 0; i < state.joint_q.size(); ++i)
      EXPECT_EQ(state.joint_q[i], expected.joint_q[i]) << i << ": " << solref[0] << " " << solref[1];
  }
  for (const RealN<2> solref : {RealN<2>{Real(0.05), 1}, {0, 0}, {-100, 0}, {0, -10}}) {
    const State state = after_some_steps(solref);
    for (const int i : {2, 7, 8}) {
      EXPECT_TRUE(is_finite(state.joint_q[i]));
      EXPECT_NE(state.joint_q[i], expected.joint_q[i]) << i << ": " << solref[0] << " " << solref[1];
    }
  }
}

}  // namespace
}  // namespace carom
