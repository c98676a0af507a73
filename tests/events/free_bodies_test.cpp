// FreeBodies against the recursions of trees, which know nothing of bodies that are on their own.
#include "events/free_bodies.h"

#include <gtest/gtest.h>

#include "carom/builder.h"
#include "dynamics/smooth_motion.h"
#include "tests/fixed_random.h"

namespace carom {
namespace {

Mat33 some_inertia(FixedRandom& random) {
  const Vec3 a{Real(random.uniform(1, 2)), Real(random.uniform(1, 2)), Real(random.uniform(1, 2))};
  const Real xy = Real(random.uniform(-0.2, 0.2)), yz = Real(random.uniform(-0.2, 0.2));
  return {{a.x, xy, 0}, {xy, a.y, yz}, {0, yz, a.z}};
}

ModelBuilder bodies(FixedRandom& random, int count) {
  ModelBuilder builder;
  for (int b = 0; b < count; ++b) {
    const Vec3 com{Real(random.uniform(-0.3, 0.3)), Real(random.uniform(-0.3, 0.3)), Real(random.uniform(-0.3, 0.3))};
    builder.add_body({.com = com, .inertia = some_inertia(random), .mass = Real(random.uniform(0.5, 3))});
  }
  return builder;
}

// Proves rates and accelerations of bodies that turn about any point, pushed and with torques, in one world and many.
TEST(FreeBodies, AgreeWithTrees) {
  FixedRandom random(11);
  for (const int worlds : {1, 3}) {
    ModelBuilder scene;
    const ModelBuilder one = bodies(random, 5);
    for (int w = 0; w < worlds; ++w) scene.add_world(one);
    const Model model = scene.finalize();
    const Queue queue;
    const State state = model.state();
    const Control control = model.control();
    for (std::int64_t i = 0; i < state.joint_qd.size(); ++i) state.joint_qd[i] = Real(random.uniform(-2, 2));
    for (std::int64_t i = 0; i < control.joint_f.size(); ++i) control.joint_f[i] = Real(random.uniform(-1, 1));
    for (int b = 0; b < model.body_count; ++b) {
      state.body_f[b] = SpatialVector{{1, Real(random.uniform(0, 1)), 0}, {0, Real(0.3), Real(random.uniform(0, 1))}};
      Real* const q = state.joint_q.data() + model.joint_q_start[b];
      const Quat turn = quat_from_rotation_vector(Vec3{Real(random.uniform(-2, 2)), 1, Real(random.uniform(-2, 2))});
      for (int k = 0; k < 3; ++k) q[k] = Real(random.uniform(-1, 1));
      for (int k = 0; k < 4; ++k) q[3 + k] = turn[k];
    }
    std::vector<int> all;
    for (int w = 0; w < worlds; ++w) all.push_back(w);
    SmoothMotion trees(model, queue);
    const SmoothMotion::Choice chosen = trees.choose(all);
    const Array<Real> rate(model.joint_coord_count), qdd(model.joint_dof_count);
    trees.eval(chosen, state, control, rate, qdd);
    const State placed = model.state();
    trees.place(chosen, state.joint_q, state.joint_qd, placed);

    const FreeBodies free(model, queue);
    for (const int w : all) ASSERT_TRUE(free.are_all_of(w));
    const FreeBodies::Choice those = free.choose(all);
    const Array<Real> free_rate(model.joint_coord_count), free_qdd(model.joint_dof_count);
    free.eval(those, state, control, free_rate, free_qdd);
    free.place(those, state);
    for (int i = 0; i < model.joint_coord_count; ++i) EXPECT_NEAR(free_rate[i], rate[i], 1e-13) << i;
    for (int i = 0; i < model.joint_dof_count; ++i) EXPECT_NEAR(free_qdd[i], qdd[i], 1e-12 * (1 + abs(qdd[i]))) << i;
    for (int b = 0; b < model.body_count; ++b) {
      EXPECT_LT(length(state.body_q[b].p - placed.body_q[b].p), 1e-15);
      EXPECT_LT(length(state.body_qd[b].linear - placed.body_qd[b].linear), 1e-15);
      EXPECT_NEAR(abs(dot(state.body_q[b].q, placed.body_q[b].q)), 1, 1e-15);
    }
  }
}

// Proves that what holds or drives a body makes it one for the trees.
TEST(FreeBodies, AreNotHeld) {
  const auto are_free = [](auto change) {
    FixedRandom random(12);
    ModelBuilder builder = bodies(random, 2);
    change(builder);
    const Model model = builder.finalize();
    return FreeBodies(model, Queue()).are_all_of(0);
  };
  EXPECT_TRUE(are_free([](ModelBuilder&) {}));
  EXPECT_FALSE(are_free([](ModelBuilder& b) {
    const int link = b.add_link({.inertia = mat33_diagonal(Vec3{1, 1, 1}), .mass = 1});
    b.add_articulation({b.add_joint_revolute(0, link, {})});
  }));
  EXPECT_FALSE(are_free([](ModelBuilder& b) {
    const int link = b.add_link({.inertia = mat33_diagonal(Vec3{1, 1, 1}), .mass = 1});
    b.add_articulation({b.add_joint_free(link, -1, {}, {.damping = 1})});
  }));
  EXPECT_FALSE(are_free([](ModelBuilder& b) {
    const int link = b.add_link({.inertia = mat33_diagonal(Vec3{1, 1, 1}), .mass = 1});
    b.add_articulation({b.add_joint_free(link, -1, {.parent_xform = {{0, 0, 1}, {}}})});
  }));
}

}  // namespace
}  // namespace carom
