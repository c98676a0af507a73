// Worlds taken apart: which trees become parts, which stay together, and what they share.
#include "dynamics/parts.h"

#include <gtest/gtest.h>

#include "scenes/scenes.h"

namespace carom {
namespace {

Parts parts_of(const Model& model, int most_dofs) { return find_parts(HostModel(model), most_dofs); }

TEST(Parts, ASmallWorldIsOne) {
  ModelBuilder builder;
  builder.replicate(scenes::walker(), 3);
  const Parts parts = parts_of(builder.finalize(), 25);
  ASSERT_EQ(parts.archetypes.size(), 1u);
  EXPECT_EQ(parts.archetypes[0].parts.size(), 3u);
  EXPECT_EQ(parts.world_start, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_FALSE(parts.is_split());
}

// Trees of equal structure share an archetype, in one world and in several; bodies that cannot move are in none.
TEST(Parts, ALargeWorldIsItsTrees) {
  ModelBuilder world;
  for (const char* name : {"a/", "b/", "c/"}) world.add_builder(scenes::walker(), {.key_prefix = name});
  for (int i = 0; i < 4; ++i) world.add_body({.inertia = mat33_identity<Real>(), .mass = 1});
  const int fixed = world.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  world.add_joint_fixed(-1, fixed);
  ModelBuilder builder;
  builder.replicate(world, 2);
  const Model model = builder.finalize();
  const Parts parts = parts_of(model, 50);
  ASSERT_EQ(parts.archetypes.size(), 2u);
  EXPECT_EQ(parts.archetypes[0].parts.size(), 6u);
  EXPECT_EQ(parts.archetypes[1].parts.size(), 8u);
  EXPECT_EQ(parts.world_start, (std::vector<int>{0, 7, 14}));
  EXPECT_TRUE(parts.is_split());
  std::vector<int> times(model.body_count, 0), dofs(model.joint_dof_count, 0);
  std::vector<char> numbered(parts.count(), 0);
  for (const PartArchetype& archetype : parts.archetypes)
    for (const PartRows& part : archetype.parts) {
      EXPECT_FALSE(numbered[part.id]);
      numbered[part.id] = 1;
      EXPECT_EQ(part.id < 7 ? 0 : 1, part.world);
      for (int b = 0; b < part.count(Entity::kBody); ++b) ++times[part.body(b, parts.bodies.data())];
      for (int i = 0; i < part.count(Entity::kJointDof); ++i) ++dofs[part.begin(Entity::kJointDof) + i];
      for (const TreeJoint& joint : archetype.joints)
        EXPECT_EQ(model.joint_child[part.begin(Entity::kJoint) + joint.joint],
                  part.body(joint.child, parts.bodies.data()));
    }
  for (int b = 0; b < model.body_count; ++b)
    EXPECT_EQ(times[b], b == fixed || b == fixed + model.body_count / 2 ? 0 : 1);
  for (const int count : dofs) EXPECT_EQ(count, 1);
}

int add_slider(ModelBuilder& builder, int parent) {
  const int link = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  builder.add_joint_prismatic(parent, link, {});
  return link;
}

// A tendon ties two of three trees together; joints of two others stand among each other.
TEST(Parts, WhatBelongsTogetherStaysTogether) {
  ModelBuilder builder;
  for (int i = 0; i < 3; ++i) add_slider(builder, -1);
  builder.add_tendon_fixed({{.joint = 0, .coef = 1}, {.joint = 1, .coef = -1}});
  const int first = add_slider(builder, -1), second = add_slider(builder, -1);
  add_slider(builder, first);
  add_slider(builder, second);
  const Parts parts = parts_of(builder.finalize(), 1);
  std::vector<int> sizes;
  for (const PartArchetype& archetype : parts.archetypes)
    for (const PartRows& part : archetype.parts) sizes.push_back(part.count(Entity::kJointDof));
  EXPECT_EQ(sizes, (std::vector<int>{2, 1, 4}));
}

// Bodies of a tree may stand anywhere.
TEST(Parts, BodiesApart) {
  ModelBuilder builder;
  int links[4];
  for (int& link : links) link = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  builder.add_joint_revolute(-1, links[0], {});
  builder.add_joint_revolute(links[0], links[2], {});
  builder.add_joint_revolute(-1, links[1], {});
  builder.add_joint_revolute(links[1], links[3], {});
  const Parts parts = parts_of(builder.finalize(), 2);
  ASSERT_EQ(parts.archetypes.size(), 1u);
  ASSERT_EQ(parts.archetypes[0].parts.size(), 2u);
  EXPECT_EQ(parts.bodies, (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(parts.archetypes[0].parts[0].listed, 0);
  EXPECT_EQ(parts.archetypes[0].parts[1].listed, 2);
  EXPECT_EQ(parts.archetypes[0].joints[1].parent, 0);
  EXPECT_EQ(parts.archetypes[0].joints[1].child, 1);
}

}  // namespace
}  // namespace carom
