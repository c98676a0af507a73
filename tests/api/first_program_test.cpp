// The public door alone: the first program of the README, and the world-entity pattern with plain loops.
#include <carom/carom.h>
#include <gtest/gtest.h>

#include <cmath>

namespace {

carom::Model many_arms(int worlds) {
  carom::ModelBuilder robot;
  const int ball = robot.add_body({.xform = {{0, 0, 0.5}, {}}, .key = "ball"});
  const int arm = robot.add_link({.key = "arm"});
  const int hinge = robot.add_joint_revolute(ball, arm, {.axis = {0, 1, 0}}, {.key = "hinge"});
  robot.add_shape_sphere(ball, 0.2);
  robot.add_shape_capsule(arm, 0.05, 0.3);
  robot.add_actuator(hinge, {.gear = 20, .ctrl_lower = -1, .ctrl_upper = 1}, "motor");

  carom::ModelBuilder builder;
  builder.add_ground_plane();
  builder.replicate(robot, worlds);
  return builder.finalize();
}

// The README's program: the balls fall to the ground, and the arms turn where there is a control.
TEST(Api, FirstProgram) {
  const carom::Model model = many_arms(64);
  carom::Simulation sim(model, "mujoco", 0.005);
  for (int world = 0; world < 64; world += 2) sim.control().ctrl[model.find_actuator("motor", world)] = 0.5;
  const auto& status = sim.step(200);
  for (int world = 0; world < 64; ++world) {
    EXPECT_EQ(status[world], 0) << "world " << world;
    const carom::Real z = sim.state().body_q[model.find_body("ball", world)].p.z;
    EXPECT_TRUE(z > 0.15 && z < 1) << "world " << world << ": " << z;
    const carom::Real angle = sim.state().joint_q[model.joint_coord_world_start[world] + 7];
    if (world % 2 == 0) EXPECT_GT(std::abs(angle), 0.1) << "world " << world;
    else EXPECT_NEAR(angle, 0, 1e-3) << "world " << world;
  }
  EXPECT_GT(sim.contacts().rigid_contact_count[0], 0);
}

// Poses follow from joint coordinates, world by world.
TEST(Api, MovesOneWorldByItsCoordinates) {
  const carom::Model model = many_arms(64);
  const carom::State state = model.state();
  state.joint_q[model.joint_coord_world_start[63] + 7] = carom::Real(0.5);
  carom::eval_fk(model, state.joint_q, state.joint_qd, state);
  EXPECT_NEAR(state.body_q[model.find_body("arm", 63)].q.y, 0.24740395925452294, 1e-6);
  EXPECT_EQ(state.body_q[model.find_body("arm", 62)].q.y, 0);
}

// Every body is met once by (world, body in world).
TEST(Api, WorldEntityLoops) {
  const carom::Model model = many_arms(5);
  std::vector<int> visits(model.body_count, 0);
  for (int world = 0; world < model.world_count; ++world) {
    const int start = model.body_world_start[world];
    for (int body = 0; body < model.body_world_start[world + 1] - start; ++body) ++visits[start + body];
  }
  EXPECT_EQ(visits, std::vector<int>(model.body_count, 1));
}

}  // namespace
