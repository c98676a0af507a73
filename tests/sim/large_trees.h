// Kinematic trees with more degrees of freedom than a word of a set of blocks has room for, for tests of steps.
#pragma once

#include <array>

#include "carom/carom.h"

namespace carom::large_trees {

inline constexpr Real kLength = Real(0.1), kRadius = Real(0.02);  // of a link [m]

inline int add_capsule(ModelBuilder& builder) {
  const Quat along_x{0, Real(0.70710678118654752), 0, Real(0.70710678118654752)};
  const int link = builder.add_link();
  builder.add_shape_capsule(link, kRadius, kLength / 2 - kRadius, {.xform = {{}, along_x}});
  return link;
}
// The joint of two links, at their ends.
inline JointFrames ends() {
  return {.parent_xform = {{kLength / 2, 0, 0}, {}}, .child_xform = {{-kLength / 2, 0, 0}, {}}};
}

// A free link and so many ball joints: 3 joints + 6 degrees of freedom. It lies in coils of twelve links that rest on
// each other, the lowest one on the ground.
inline ModelBuilder rope(int joints, Real height = kRadius) {
  ModelBuilder builder;
  int parent = add_capsule(builder);
  builder.set_joint_q(builder.add_joint_free(parent),
                      std::array{Real(0), Real(0), height, Real(0), Real(0), Real(0), Real(1)});
  // The same turn at every joint makes a helix; its axis is tilted so that a coil rises by a little less than a
  // diameter.
  const Real turn = Real(0.52), rise = Real(0.031);
  const Quat q = quat_from_axis_angle(normalize(Vec3{rise, 0, 1}), turn);
  for (int i = 0; i < joints; ++i) {
    const int link = add_capsule(builder);
    builder.set_joint_q(builder.add_joint_ball(parent, link, {}, ends()), std::array{q.x, q.y, q.z, q.w});
    parent = link;
  }
  return builder;
}

// The same with plates that lie on it, one on the other: with more than 62 joints several parts of one island.
inline ModelBuilder laden_rope(int joints, int plates) {
  ModelBuilder builder = rope(joints);
  const Model model = builder.finalize();
  const State state = model.state();
  Vec3 top = state.body_q[0].p;
  for (int b = 1; b < model.body_count; ++b)
    if (state.body_q[b].p.z > top.z) top = state.body_q[b].p;
  for (int i = 0; i < plates; ++i) {
    const Real z = top.z + kRadius + Real(0.049) + Real(0.099) * Real(i);
    builder.add_shape_box(builder.add_body({.xform = {{0, Real(0.19), z}, {}}}), Real(0.4), Real(0.4), Real(0.05));
  }
  return builder;
}

// A free link with branches of ball joints, which lie on the ground beside each other and touch: contacts couple what
// the mass matrix does not.
inline ModelBuilder fringe(int branches, int joints) {
  ModelBuilder builder;
  const int root = add_capsule(builder);
  builder.set_joint_q(builder.add_joint_free(root),
                      std::array{Real(0), Real(0), Real(0.0195), Real(0), Real(0), Real(0), Real(1)});
  for (int b = 0; b < branches; ++b) {
    JointFrames frames = ends();
    frames.parent_xform.p.y = Real(0.039) * (b - Real(branches - 1) / 2);
    int parent = root;
    for (int i = 0; i < joints; ++i) {
      const int link = add_capsule(builder);
      builder.add_joint_ball(parent, link, {}, i == 0 ? frames : ends());
      parent = link;
    }
  }
  return builder;
}

// Hinges from the world on, in two directions by turns, as an upright zigzag that touches a ground at kChainGround;
// with limits every eleventh turn up and down is beyond them. Without armature the mass matrix of so many in a row is
// not positive definite to single precision.
inline constexpr Real kChainGround = Real(0.28);
inline ModelBuilder chain(int hinges, bool limits) {
  ModelBuilder builder;
  int parent = -1;
  for (int i = 0; i < hinges; ++i) {
    const int link = add_capsule(builder);
    JointDofConfig hinge{.axis = i % 2 ? Vec3{0, 1, 0} : Vec3{0, 0, 1}, .armature = 1};
    if (limits) hinge.limit_lower = -Real(0.1), hinge.limit_upper = Real(0.1);
    JointFrames frames = ends();
    if (i == 0) frames.parent_xform = {{0, 0, kChainGround}, quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.025))};
    const Real bend = i / 4 % 11 == 0 ? Real(0.12) : Real(0.05), angle = i % 2 == 0 ? 0 : i / 2 % 2 ? bend : -bend;
    builder.set_joint_q(builder.add_joint_revolute(parent, link, hinge, frames), std::array{angle});
    parent = link;
  }
  return builder;
}

}  // namespace carom::large_trees
