#include "scenes/scenes.h"

#include <cmath>
#include <cstdint>

namespace carom::inline CAROM_PRECISION::scenes {

namespace {

Transform at(Real x, Real y, Real z) { return {{x, y, z}, {}}; }

std::string numbered(const char* name, int i) { return name + std::to_string(i); }

}  // namespace

ModelBuilder walker() {
  ModelBuilder builder;
  const int trunk = builder.add_link({.xform = at(0, 0, Real(0.45)), .key = "trunk"});
  builder.add_shape_box(trunk, Real(0.3), Real(0.15), Real(0.05), {.key = "trunk_box"});
  builder.add_shape_sphere(trunk, Real(0.06), {.xform = at(Real(0.3), 0, 0), .key = "trunk_front"});
  std::vector<int> joints{builder.add_joint_free(trunk, -1, {.key = "root"})};

  // A head on the trunk makes the twentieth link.
  const int head = builder.add_link({.xform = at(Real(0.4), 0, Real(0.5)), .key = "head"});
  builder.add_shape_sphere(head, Real(0.05), {.key = "head_ball"});
  joints.push_back(builder.add_joint_revolute(
      trunk, head, {.axis = {0, 1, 0}, .limit_lower = Real(-0.8), .limit_upper = Real(0.8)},
      {.parent_xform = at(Real(0.36), 0, Real(0.05)), .child_xform = at(Real(-0.04), 0, 0), .key = "neck"}));

  for (int leg = 0; leg < 6; ++leg) {
    const Real side = leg % 2 ? 1 : -1, along = Real(0.25) * (leg / 2 - 1);
    const int hip = builder.add_link({.key = numbered("hip_", leg)});
    builder.add_shape_sphere(hip, Real(0.03), {.key = numbered("hip_ball_", leg)});
    joints.push_back(builder.add_joint_revolute(
        trunk, hip, {.axis = {0, 0, 1}, .limit_lower = Real(-0.6), .limit_upper = Real(0.6), .armature = Real(0.01)},
        {.parent_xform = at(along, side * Real(0.15), 0), .key = numbered("yaw_", leg)}));

    const int thigh = builder.add_link({.key = numbered("thigh_", leg)});
    builder.add_shape_capsule(thigh, Real(0.02), Real(0.08),
                              {.xform = at(0, 0, Real(-0.1)), .key = numbered("thigh_rod_", leg)});
    joints.push_back(builder.add_joint_revolute(
        hip, thigh, {.axis = {1, 0, 0}, .limit_lower = Real(-1), .limit_upper = Real(1), .armature = Real(0.01)},
        {.parent_xform = at(0, side * Real(0.05), 0), .key = numbered("roll_", leg)}));

    const int shank = builder.add_link({.key = numbered("shank_", leg)});
    builder.add_shape_capsule(shank, Real(0.015), Real(0.1),
                              {.xform = at(0, 0, Real(-0.12)), .key = numbered("shank_rod_", leg)});
    if (leg < 4)
      builder.add_shape_sphere(shank, Real(0.02), {.xform = at(0, 0, Real(-0.24)), .key = numbered("foot_", leg)});
    joints.push_back(builder.add_joint_revolute(
        thigh, shank, {.axis = {1, 0, 0}, .limit_lower = Real(-2), .limit_upper = 0, .armature = Real(0.01)},
        {.parent_xform = at(0, 0, Real(-0.2)), .key = numbered("knee_", leg)}));
  }
  builder.add_articulation(joints, "walker");
  return builder;
}

ModelBuilder chain(int links) {
  ModelBuilder builder;
  std::vector<int> joints;
  int parent = -1;
  for (int i = 0; i < links; ++i) {
    const int link = builder.add_link({.key = numbered("link_", i)});
    builder.add_shape_capsule(link, Real(0.02), Real(0.06),
                              {.xform = at(0, 0, Real(-0.1)), .key = numbered("rod_", i)});
    const Vec3 axis = i % 2 ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
    joints.push_back(builder.add_joint_revolute(
        parent, link, {.axis = axis},
        {.parent_xform = at(0, 0, i == 0 ? Real(2) : Real(-0.2)), .key = numbered("hinge_", i)}));
    parent = link;
  }
  builder.add_articulation(joints, "chain");
  return builder;
}

ModelBuilder cart_pole() {
  ModelBuilder builder;
  const int cart = builder.add_link({.key = "cart"});
  builder.add_shape_box(cart, Real(0.2), Real(0.1), Real(0.05), {.key = "cart_box"});
  const int pole = builder.add_link({.key = "pole"});
  builder.add_shape_capsule(pole, Real(0.02), Real(0.3), {.xform = at(0, 0, Real(0.3)), .key = "pole_rod"});
  const int slider = builder.add_joint_prismatic(-1, cart, {.axis = {1, 0, 0}, .limit_lower = -2, .limit_upper = 2},
                                                 {.parent_xform = at(0, 0, 1), .key = "slider"});
  const int hinge = builder.add_joint_universal(cart, pole, {.axis = {0, 1, 0}}, {.axis = {1, 0, 0}}, {.key = "hinge"});
  builder.add_articulation({slider, hinge}, "cart_pole");
  return builder;
}

ModelBuilder joint_zoo() {
  ModelBuilder builder;
  const auto link = [&](const char* key, Vec3 com) {
    return builder.add_link({.com = com, .inertia = mat33_identity<Real>(), .mass = 1, .key = key});
  };
  const Quat tilt = normalize(Quat{Real(0.2), Real(-0.1), Real(0.3), Real(0.9)});
  const JointFrames frames{.parent_xform = {{Real(0.1), Real(0.2), Real(-0.3)}, tilt},
                           .child_xform = {{Real(-0.2), Real(0.05), Real(0.1)}, conjugate(tilt)}};
  const auto named = [&](const char* key) {
    JointFrames copy = frames;
    copy.key = key;
    return copy;
  };
  const int base = link("base", {Real(0.1), 0, 0});
  const int a = link("a", {0, Real(0.1), 0}), b = link("b", {0, 0, Real(0.1)}),
            c = link("c", {Real(0.1), Real(0.1), 0});
  const int d = link("d", {0, Real(-0.1), 0}), e = link("e", {Real(0.05), 0, 0}), f = link("f", {0, 0, Real(-0.2)});
  const int g = link("g", {Real(0.3), 0, 0});
  const JointDofConfig x{.axis = {1, 0, 0}}, y{.axis = {0, 1, 0}}, z{.axis = {0, 0, 1}};
  const int joints[] = {
      builder.add_joint_free(base, -1, named("free")),
      builder.add_joint_revolute(base, a, {.axis = {1, 2, Real(-0.5)}}, named("revolute")),
      builder.add_joint_prismatic(a, b, {.axis = {0, 1, 1}}, named("prismatic")),
      builder.add_joint_ball(b, c, {}, named("ball")),
      builder.add_joint_fixed(base, d, named("fixed")),
      builder.add_joint_universal(d, e, z, x, named("universal")),
      builder.add_joint_d6(e, f, {x, z}, {y, x, z}, named("d6")),
      builder.add_joint_distance(base, g, Real(0.1), 2, named("distance")),
  };
  builder.add_articulation(joints, "zoo");
  return builder;
}

ModelBuilder bin(int bodies, BinOf shape, const BinArgs& args) {
  const Real scale = args.scale, half = scale * args.half;  // [m]
  const Real wall = scale * Real(0.1), high = scale * 4, size = scale * Real(0.05);
  ModelBuilder builder;
  builder.default_shape_cfg = args.material;
  builder.add_ground_plane();
  for (const Real side : {Real(-1), Real(1)}) {
    const Real away = side * (half + wall);
    builder.add_shape_box(-1, wall, half + 2 * wall, high, {.xform = at(away, 0, high)});
    builder.add_shape_box(-1, half + 2 * wall, wall, high, {.xform = at(0, away, high)});
  }
  std::uint32_t bits = 1;
  const auto random = [&] {  // in [-1, 1), a linear congruential generator (Numerical Recipes)
    bits = bits * 1664525u + 1013904223u;
    return static_cast<Real>(bits >> 8) / Real(1 << 23) - 1;
  };
  const Real apart = scale * (shape == BinOf::kSpheres ? Real(0.115) : Real(0.19));
  const int row = static_cast<int>(2 * half / apart);
  for (int i = 0; i < bodies; ++i) {
    const auto along = [&](int place) { return apart * (place - Real(row - 1) / 2) + scale * Real(0.005) * random(); };
    const Real x = along(i % row), y = along(i / row % row), z = apart * (i / (row * row) + Real(0.6));
    Quat q{};
    if (shape == BinOf::kBoxes) {
      const Real a = random(), b = random(), c = random();
      q = normalize(Quat{a, b, c, Real(0.5)});
    }
    const int body = builder.add_body({.xform = {{x, y, z}, q}, .key = numbered("body_", i)});
    if (shape == BinOf::kSpheres) builder.add_shape_sphere(body, size);
    else builder.add_shape_box(body, size, size, size);
  }
  return builder;
}

ModelBuilder pyramid(int base, const ShapeConfig& material) {
  constexpr Real kHalf = Real(0.5);  // [m]
  ModelBuilder builder;
  builder.default_shape_cfg = material;
  builder.add_ground_plane();
  for (int row = 0; row < base; ++row)
    for (int i = 0; i < base - row; ++i) {
      const Real x = kHalf * (2 * i + row + 1 - base), z = kHalf * (2 * row + 1);
      builder.add_shape_box(builder.add_body({.xform = at(x, 0, z)}), kHalf, kHalf, kHalf);
    }
  return builder;
}

ModelBuilder two_worlds() {
  ModelBuilder builder;
  builder.add_ground_plane(0, {.key = "ground"});

  builder.begin_world("balls");
  const int ball0 = builder.add_body({.xform = at(0, 0, 1), .mass = Real(1.1), .key = "ball0"});
  const int ball1 = builder.add_body({.xform = at(0, 0, 3), .mass = Real(1.2), .key = "ball1"});
  builder.add_shape_sphere(ball0, Real(0.5));
  builder.add_shape_sphere(ball1, Real(0.5));
  builder.end_world();

  builder.begin_world("hinge");
  const int base = builder.add_body({.xform = at(0, 0, 1), .mass = 1, .key = "base"});
  const int arm = builder.add_link({.mass = 2, .key = "arm"});
  builder.add_joint_revolute(base, arm, {.axis = {0, 1, 0}}, {.parent_xform = at(Real(0.5), 0, 0), .key = "hinge"});
  builder.add_shape_box(base);
  builder.add_shape_box(arm);
  builder.end_world();

  builder.add_shape_box(-1, 1, 1, 1, {.xform = at(5, 0, 1), .key = "static_box"});
  return builder;
}

}  // namespace carom::inline CAROM_PRECISION::scenes
