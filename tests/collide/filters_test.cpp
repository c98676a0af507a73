// Which shapes may touch: groups, masks, filter pairs, parents, what is rigidly connected, and what does not move.
#include <gtest/gtest.h>

#include <set>

#include "carom/carom.h"
#include "collide/filter/pair_filter.h"
#include "tests/sim/collide_first.h"

namespace carom {
namespace {

using Pairs = std::set<std::pair<int, int>>;

// All shapes of these scenes overlap, so a pair that is left makes a contact.
Pairs touching(const ModelBuilder& builder) {
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  const Contacts contacts = pipeline.collide(model.state());
  Pairs pairs;
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    EXPECT_LT(contacts.rigid_contact_shape0[c], contacts.rigid_contact_shape1[c]);
    pairs.emplace(contacts.rigid_contact_shape0[c], contacts.rigid_contact_shape1[c]);
  }
  return pairs;
}

int add_ball(ModelBuilder& builder, const ShapeConfig& cfg = {}) {
  return builder.add_shape_sphere(builder.add_body(), Real(0.5), {.cfg = cfg});
}

// Proves the rule of groups for every combination of signs: 0 nothing, a positive group itself and negative ones, a
// negative group all but itself.
TEST(Filters, Groups) {
  constexpr int kGroups[] = {-2, -1, 0, 1, 2};
  constexpr bool kCollide[5][5] = {// -2     -1     0      1      2
                                   {false, true, false, true, true},
                                   {true, false, false, true, true},
                                   {false, false, false, false, false},
                                   {true, true, false, true, false},
                                   {true, true, false, false, true}};
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 5; ++b) {
      EXPECT_EQ(test_world_and_group_pair(0, 0, kGroups[a], kGroups[b]), kCollide[a][b])
          << kGroups[a] << ", " << kGroups[b];
      ModelBuilder builder;
      for (const int group : {kGroups[a], kGroups[b]}) {
        ShapeConfig cfg;
        cfg.collision_group = group;
        add_ball(builder, cfg);
      }
      EXPECT_EQ(touching(builder).size(), kCollide[a][b] ? 1u : 0u) << kGroups[a] << ", " << kGroups[b];
    }
}

// Proves that one shared bit, either way round, is enough, and no other.
TEST(Filters, Masks) {
  constexpr int kMasks[] = {0, 1, 2, 3};
  for (const int contype0 : kMasks)
    for (const int conaffinity0 : kMasks)
      for (const int contype1 : kMasks)
        for (const int conaffinity1 : kMasks) {
          ModelBuilder builder;
          ShapeConfig first, second;
          first.contype = contype0, first.conaffinity = conaffinity0;
          second.contype = contype1, second.conaffinity = conaffinity1;
          add_ball(builder, first);
          add_ball(builder, second);
          bool share = false;
          for (const int bit : {1, 2})
            share = share || ((contype0 & bit) && (conaffinity1 & bit)) || ((contype1 & bit) && (conaffinity0 & bit));
          EXPECT_EQ(touching(builder).size(), share ? 1u : 0u) << contype0 << conaffinity0 << contype1 << conaffinity1;
        }
}

// Proves that pairs are filtered one by one, in any order of the two, in every world, and with global shapes.
TEST(Filters, ExplicitPairs) {
  ModelBuilder world;
  for (int i = 0; i < 4; ++i) add_ball(world);
  world.add_shape_collision_filter_pair(0, 1);
  world.add_shape_collision_filter_pair(3, 1);
  EXPECT_EQ(touching(world), (Pairs{{0, 2}, {0, 3}, {1, 2}, {2, 3}}));
  ModelBuilder builder;
  const int ground = builder.add_ground_plane();
  builder.replicate(world, 2);
  builder.begin_world();
  const int ball = add_ball(builder);
  builder.add_shape_collision_filter_pair(ball, ground);
  builder.end_world();
  EXPECT_EQ(touching(builder), (Pairs{{1, 3},
                                      {1, 4},
                                      {2, 3},
                                      {3, 4},
                                      {0, 1},
                                      {0, 2},
                                      {0, 3},
                                      {0, 4},
                                      {5, 7},
                                      {5, 8},
                                      {6, 7},
                                      {7, 8},
                                      {0, 5},
                                      {0, 6},
                                      {0, 7},
                                      {0, 8}}));
}

// Proves that worlds never touch each other.
TEST(Filters, WorldsAreApart) {
  ModelBuilder ball, builder;
  add_ball(ball);
  builder.replicate(ball, 3);
  EXPECT_EQ(touching(builder), Pairs{});
}

// Three balls on a chain of hinges; each child's shape says whether it may touch its parent.
ModelBuilder hinged(bool child_filters, bool grandchild_filters) {
  ModelBuilder builder;
  const int a = builder.add_body(), b = builder.add_link(), c = builder.add_link();
  builder.add_joint_revolute(a, b);
  builder.add_joint_revolute(b, c);
  ShapeConfig cfg;
  builder.add_shape_sphere(a, Real(0.5), {.cfg = cfg});
  cfg.collision_filter_parent = child_filters;
  builder.add_shape_sphere(b, Real(0.5), {.cfg = cfg});
  cfg.collision_filter_parent = grandchild_filters;
  builder.add_shape_sphere(c, Real(0.5), {.cfg = cfg});
  return builder;
}

TEST(Filters, Parents) {
  EXPECT_EQ(touching(hinged(true, true)), (Pairs{{0, 2}}));
  EXPECT_EQ(touching(hinged(false, true)), (Pairs{{0, 1}, {0, 2}}));
  EXPECT_EQ(touching(hinged(true, false)), (Pairs{{0, 2}, {1, 2}}));
}

// Proves that shapes of one body, and of bodies fixed to each other, never touch, and that the ground is not a parent.
TEST(Filters, RigidlyConnected) {
  ModelBuilder builder;
  ShapeConfig cfg;
  cfg.collision_filter_parent = false;
  const int body = builder.add_body(), fixed = builder.add_link(), fixed_again = builder.add_link();
  builder.add_joint_fixed(body, fixed);
  builder.add_joint_fixed(fixed, fixed_again);
  for (const int b : {body, body, fixed, fixed_again}) builder.add_shape_sphere(b, Real(0.5), {.cfg = cfg});
  EXPECT_EQ(touching(builder), Pairs{});
  const int other = add_ball(builder, cfg);
  EXPECT_EQ(touching(builder), (Pairs{{0, other}, {1, other}, {2, other}, {3, other}}));
}

// Proves that what does not move does not touch itself: shapes of the world, and bodies fixed to it.
TEST(Filters, StaticShapes) {
  ModelBuilder builder;
  const int ground = builder.add_ground_plane();
  const int post = builder.add_shape_sphere(-1, Real(0.5));
  const int pillar = builder.add_link();
  builder.add_joint_fixed(-1, pillar);
  const int cap = builder.add_shape_sphere(pillar, Real(0.5));
  EXPECT_EQ(touching(builder), Pairs{});
  const int hinged = builder.add_link();
  builder.add_joint_revolute(-1, hinged);
  const int ball = builder.add_shape_sphere(hinged, Real(0.5));
  EXPECT_EQ(touching(builder), (Pairs{{ground, ball}, {post, ball}, {cap, ball}}));
}

// Proves that sites and shapes without collision take no part.
TEST(Filters, SitesAndShapesWithoutCollision) {
  ModelBuilder builder;
  ShapeConfig ghost;
  ghost.has_shape_collision = false;
  add_ball(builder);
  add_ball(builder, ghost);
  builder.add_site(builder.add_body({.inertia = mat33_identity<Real>(), .mass = 1}), {}, ShapeType::kSphere, {1, 1, 1});
  EXPECT_EQ(touching(builder), Pairs{});
}

// Proves that the order in which two shapes were added changes which is first and which way the normal points, and
// nothing else: the force on the second is turned round with it.
TEST(Filters, OrderOfShapes) {
  const auto contact = [](bool sphere_first) {
    ModelBuilder builder;
    const int ball = builder.add_body({.xform = {{0, 0, Real(0.6)}, {}}}), rod = builder.add_body();
    const auto add_sphere = [&] { builder.add_shape_sphere(ball, Real(0.25)); };
    const auto add_capsule = [&] {
      const Quat lying{0, sqrt(Real(0.5)), 0, sqrt(Real(0.5))};
      builder.add_shape_capsule(rod, Real(0.5), 1, {.xform = {{}, lying}});
    };
    if (sphere_first) add_sphere(), add_capsule();
    else add_capsule(), add_sphere();
    const Model model = builder.finalize();
    SolverMuJoCo solver(model);
    return testing::CollidedForward(solver, model.state(), model.control(), Real(0.001)).contacts;
  };
  const Contacts a = contact(true), b = contact(false);
  ASSERT_EQ(a.rigid_contact_count[0], 1);
  ASSERT_EQ(b.rigid_contact_count[0], 1);
  EXPECT_LT(a.rigid_contact_normal[0].z, Real(-0.99));  // from the sphere down to the capsule
  EXPECT_EQ(a.rigid_contact_normal[0], -b.rigid_contact_normal[0]);
  EXPECT_EQ(a.rigid_contact_point[0], b.rigid_contact_point[0]);
  EXPECT_EQ(a.rigid_contact_depth[0], b.rigid_contact_depth[0]);
  EXPECT_NEAR(a.rigid_contact_depth[0], Real(0.15), Real(1e-4));
  EXPECT_LT(a.rigid_contact_force[0].z, 0);
  EXPECT_NEAR(a.rigid_contact_force[0].z, -b.rigid_contact_force[0].z, Real(1e-5) * -a.rigid_contact_force[0].z);
}

}  // namespace
}  // namespace carom
