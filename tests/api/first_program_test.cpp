// The public door alone: the first program of the README, and the world-entity pattern with plain loops.
#include <carom/carom.h>
#include <gtest/gtest.h>

namespace {

carom::Model many_arms(int worlds) {
  carom::ModelBuilder robot;
  const int base = robot.add_body({.mass = 1, .key = "base"});
  const int arm = robot.add_link({.mass = 2, .key = "arm"});
  robot.add_joint_revolute(base, arm, {.axis = {0, 1, 0}}, {.key = "hinge"});

  carom::ModelBuilder builder;
  builder.add_ground_plane();
  builder.replicate(robot, worlds);
  return builder.finalize();
}

// The README's program builds and moves its worlds.
TEST(Api, FirstProgram) {
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
