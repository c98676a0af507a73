// The two sides of a state belong together: poses are those of the joint coordinates from the first look on, and what
// is written to either side is seen by whoever reads the state next.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "carom/carom.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

constexpr Real kDt = Real(0.002);
constexpr Real kTight = sizeof(Real) == 8 ? Real(1e-12) : Real(2e-6);

template <class T>
bool same_bits(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

// Poses and twists are those that eval_fk makes of the joint coordinates, to the bit.
void expect_in_line(const Model& model, const State& state, const char* when) {
  const State other = model.state();
  other.assign(state);
  eval_fk(model, state.joint_q, state.joint_qd, other);
  EXPECT_TRUE(same_bits(state.body_q, other.body_q)) << when;
  EXPECT_TRUE(same_bits(state.body_qd, other.body_qd)) << when;
}

// A different robot in every second world, and every world in a pose of its own.
Model different_worlds() {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 9; ++w) {
    ModelBuilder chain = scenes::chain(5);
    for (int j = 0; j < 3; ++j) {
      const Real angle[] = {Real(0.1) * Real(w + j)};
      chain.set_joint_q(j, angle);
    }
    builder.add_world(w % 2 ? scenes::humanoid(Real(1.3) + Real(0.01) * Real(w)) : chain);
  }
  return builder.finalize();
}

// Proves that the first look at a state is right: new, reset, restored, loaded from a file.
TEST(StateInLine, FromTheFirstLookOn) {
  const Model model = different_worlds();
  expect_in_line(model, model.state(), "state()");
  const State humanoid = model.state().world(1);
  EXPECT_GT(humanoid.body_q[1].p.z, 1) << "where the torso carries it";

  Simulation sim(model, "mujoco", kDt);
  expect_in_line(model, sim.state(), "Simulation()");
  const Simulation::Snapshot start = sim.snapshot();
  sim.step(5);
  expect_in_line(model, sim.state(), "step()");
  std::vector<std::uint8_t> mask(model.world_count, 0);
  mask[2] = mask[5] = 1;
  sim.reset(mask);
  expect_in_line(model, sim.state(), "reset(mask)");
  EXPECT_TRUE(same_bits(sim.state().world(5).body_q, model.state().world(5).body_q));
  sim.reset();
  expect_in_line(model, sim.state(), "reset()");
  sim.step();
  sim.restore(start);
  expect_in_line(model, sim.state(), "restore()");
  EXPECT_TRUE(same_bits(sim.state().body_q, model.body_q));

  const std::string path = testing::TempDir() + "state_in_line_" + (sizeof(Real) == 8 ? "f64" : "f32") + ".carom";
  model.save(path);
  const Model loaded = load(path);
  std::filesystem::remove(path);
  expect_in_line(loaded, loaded.state(), "load()");
  EXPECT_TRUE(same_bits(loaded.body_q, model.body_q));
}

// Proves that robots that stand over the floor do not touch it in the first contacts.
TEST(StateInLine, NothingIsSunkInTheFloor) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 256; ++w) builder.add_world(scenes::walker(), {.xform = {{0, 0, Real(0.1)}, {}}});
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  const Contacts& contacts = pipeline.collide(model.state());
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c)
    EXPECT_NE(contacts.rigid_contact_shape0[c], 0) << "shape " << contacts.rigid_contact_shape1[c];
}

// A ball that flies freely, an arm on a hinge that is fixed to the world, and a cart with a link on it.
struct Yard {
  Model model;
  int ball = 0, arm = 1, cart = 2, rider = 3;

  Yard() {
    ModelBuilder builder;
    builder.add_ground_plane();
    builder.begin_world();
    builder.add_body({.xform = {{0, 0, 3}, {}}, .mass = 1, .key = "ball"});
    builder.add_shape_sphere(0, Real(0.5));
    const auto link = [&] { return builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1}); };
    link(), link(), link();
    builder.add_joint_revolute(-1, arm, {.axis = {0, 1, 0}}, {.parent_xform = {{5, 0, 3}, {}}});
    builder.add_joint_free(cart);
    builder.add_joint_revolute(cart, rider, {.axis = {0, 0, 1}}, {.parent_xform = {{1, 0, 0}, {}}});
    builder.end_world();
    model = builder.finalize();
    model.set_gravity({});
  }
};

// Proves that joint coordinates written by hand are seen by collisions, queries, Jacobians and Simulation::state().
TEST(StateInLine, WrittenJointsMoveBodies) {
  const Yard yard;
  const Model& model = yard.model;
  State state = model.state();
  state.joint_q[2] = Real(0.4);
  CollisionPipeline pipeline(model);
  ASSERT_EQ(pipeline.collide(state).rigid_contact_count[0], 1);
  EXPECT_NEAR(pipeline.collide(state).rigid_contact_depth[0], 0.1, kTight);
  expect_in_line(model, state, "collide()");

  state.joint_q[2] = Real(0.75);
  EXPECT_NEAR(ShapeQuery(model).distance(state, 0, 1).distance, 0.25, kTight);
  state.joint_q[2] = Real(0.8);
  EXPECT_NEAR(ShapeQuery(model).ray_cast(state, {0, 0, 9}, {0, 0, -1}, 100, 0).point.z, 1.3, kTight);

  state.joint_q[7] = Real(1.2);
  eval_jacobian(model, state, make_jacobian(model));
  expect_in_line(model, state, "eval_jacobian()");

  Simulation sim(model, "mujoco", kDt);
  sim.state().joint_q[7] = Real(0.3);
  sim.state().joint_qd[6] = 2;
  expect_in_line(model, sim.state(), "Simulation::state()");
  EXPECT_NEAR(sim.state().body_qd[yard.arm].angular.y, 2, kTight);
}

// Proves that bodies written by hand are seen by steps: a free one to the last digits, one on a hinge by its angle, and
// what hangs on a body comes along.
TEST(StateInLine, WrittenBodiesMoveJoints) {
  const Yard yard;
  Simulation sim(yard.model, "mujoco", kDt);
  const State& state = sim.state();
  const Quat turn = quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.7));
  state.body_q[yard.ball] = {{4, 5, 6}, quat_from_axis_angle(Vec3{1, 0, 0}, Real(0.2))};
  state.body_qd[yard.ball] = {{1, 2, 3}, {}};
  state.body_q[yard.arm].q = turn;
  state.body_q[yard.cart].p = {7, 8, 9};
  EXPECT_EQ(sim.step()[0], 0);
  EXPECT_NEAR(state.joint_q[0], 4 + kDt, 10 * kTight);
  EXPECT_NEAR(state.joint_q[1], 5 + 2 * kDt, 10 * kTight);
  EXPECT_NEAR(state.joint_q[2], 6 + 3 * kDt, 10 * kTight);
  EXPECT_NEAR(state.joint_q[7], 0.7, kTight);
  EXPECT_NEAR(state.body_q[yard.cart].p.x, 7, kTight);
  EXPECT_NEAR(state.body_q[yard.rider].p.x, 8, kTight) << "carried along";
  EXPECT_NEAR(state.body_q[yard.rider].p.z, 9, kTight);
  expect_in_line(yard.model, state, "step()");
}

// Proves that the last word counts where both sides were written, joint by joint, and that a pose that was not kept is
// reported.
TEST(StateInLine, BothSidesWritten) {
  const Yard yard;
  const Model& model = yard.model;
  Simulation sim(model, "mujoco", kDt);
  const State& state = sim.state();
  state.joint_q[7] = Real(0.5);           // of the arm
  state.body_q[yard.ball].p = {4, 5, 6};  // another joint's body
  EXPECT_EQ(sim.step()[0], 0);
  EXPECT_NEAR(state.joint_q[7], 0.5, kTight);
  EXPECT_NEAR(state.joint_q[0], 4, kTight);

  state.joint_q[0] = 1;
  state.body_q[yard.ball].p = {2, 5, 6};
  EXPECT_EQ(sim.step()[0], kStatusPoseNotKept) << "the joint's coordinates count";
  EXPECT_NEAR(state.joint_q[0], 1, kTight);
  EXPECT_EQ(sim.step()[0], 0) << "reported once";

  state.joint_q[0] = 1;
  eval_fk(model, state.joint_q, state.joint_qd, state);
  state.body_q[yard.ball].p = {3, 5, 6};
  EXPECT_EQ(sim.step()[0], 0);
  EXPECT_NEAR(state.joint_q[0], 3, kTight) << "written after eval_fk";
}

// Proves that a body that is written to where its joint cannot go is reported by every reader that has a status.
TEST(StateInLine, PosesOutOfReachAreReported) {
  const Yard yard;
  const Model& model = yard.model;
  const auto away = [&] {
    const State state = model.state();
    state.body_q[yard.arm].p = {5, 1, 3};
    return state;
  };
  SolverMuJoCo solver(model);
  const State state = away();
  solver.step(state, state, model.control(), nullptr, kDt);
  EXPECT_EQ(solver.status()[0], kStatusPoseNotKept);
  EXPECT_NEAR(state.body_q[yard.arm].p.y, 0, kTight);
  CollisionPipeline pipeline(model);
  pipeline.collide(away());
  EXPECT_EQ(pipeline.status()[0], kStatusPoseNotKept);
  EXPECT_EQ(pipeline.status()[1], 0);
  pipeline.collide(model.state());
  EXPECT_EQ(pipeline.status()[0], 0);

  ModelBuilder post;
  post.add_joint_fixed(-1, post.add_link({.mass = 1}));
  post.add_shape_sphere(0, 1);
  const Model fixed = post.finalize();
  const State moved = fixed.state();
  moved.body_q[0].p = {0, 0, 1};
  ImpulseResolver resolver(fixed);
  CollisionPipeline none(fixed);
  const Contacts contacts = none.collide(fixed.state());
  resolver.resolve(moved, moved, contacts);
  EXPECT_EQ(resolver.status()[0], kStatusPoseNotKept);
}

// Proves that a state remembers what was written when it is copied before anybody has looked at it.
TEST(StateInLine, CopiesBeforeTheFirstLook) {
  const Model model = different_worlds();
  const State from = model.state(), to = model.state();
  for (int w = 0; w < model.world_count; ++w) from.world(w).joint_q[2] += Real(0.25);
  std::vector<std::uint8_t> mask(model.world_count, 0);
  mask[3] = 1;
  to.copy_worlds(from, mask);
  const State copy = from.clone();
  model.align(to);
  model.align(copy);
  expect_in_line(model, to, "copy_worlds()");
  expect_in_line(model, copy, "clone()");
  EXPECT_FALSE(same_bits(to.world(3).body_q, model.state().world(3).body_q));
  EXPECT_TRUE(same_bits(to.world(3).body_q, copy.world(3).body_q));
  EXPECT_TRUE(same_bits(to.world(4).body_q, model.state().world(4).body_q));
}

// Proves that nothing changes when nothing was written, and that poses follow a moved global parent.
TEST(StateInLine, NothingWritten) {
  const Model model = different_worlds();
  SolverMuJoCo solver(model);
  const State state = model.state();
  for (int i = 0; i < 3; ++i) solver.step(state, state, model.control(), nullptr, kDt);
  const State before = state.clone();
  model.align(state);
  EXPECT_TRUE(same_bits(before.joint_q, state.joint_q) && same_bits(before.joint_qd, state.joint_qd));
  EXPECT_TRUE(same_bits(before.body_q, state.body_q) && same_bits(before.body_qd, state.body_qd));

  ModelBuilder builder;
  const int table = builder.add_link({.mass = 1});
  builder.begin_world();
  builder.add_joint_revolute(table, builder.add_link({.mass = 1}), {.axis = {0, 0, 1}},
                             {.parent_xform = {{1, 0, 0}, {}}});
  builder.end_world();
  const Model hung = builder.finalize();
  const State moved = hung.state();
  moved.body_q[table].p = {0, 0, 2};
  hung.align(moved);
  EXPECT_NEAR(moved.body_q[1].p.x, 1, kTight);
  EXPECT_NEAR(moved.body_q[1].p.z, 2, kTight);
}

// Proves that edits of a model keep its initial state in line, and that states made before follow the new frames of its
// joints.
TEST(StateInLine, EditedModels) {
  const Yard yard;
  const Model& model = yard.model;
  const State old = model.state();
  model.edit([&](ModelNumbers& numbers) {
    numbers.joint_q[1] = 2;
    numbers.joint_q[7] = Real(0.6);
    numbers.joint_X_p[1].p = {6, 0, 3};
  });
  expect_in_line(model, model.state(), "edit()");
  EXPECT_NEAR(model.body_q[yard.ball].p.y, 2, kTight);
  EXPECT_NEAR(model.body_q[yard.arm].p.x, 6, kTight);
  EXPECT_NEAR(model.body_q[yard.arm].q.y, sin(Real(0.3)), kTight);
  old.body_q[yard.ball].p = {0, 0, 4};
  CollisionPipeline(model).collide(old);
  expect_in_line(model, old, "an older state");
  EXPECT_NEAR(old.body_q[yard.arm].p.x, 6, kTight);
  EXPECT_NEAR(old.joint_q[2], 4, kTight) << "written to the other side meanwhile";
}

}  // namespace
}  // namespace carom
