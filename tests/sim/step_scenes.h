// Worlds for tests of steps: seven kinds of structure, each with as many worlds as one likes, which differ in their
// numbers alone, and what is done to them while they are stepped. A world is known by its number: kind, parameters,
// initial state and inputs follow from it, wherever the world stands in a model.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "carom/carom.h"
#include "tests/fixed_random.h"

namespace carom::step_scenes {

inline Transform at(Real x, Real y, Real z) { return {{x, y, z}, {}}; }
// A capsule's axis, which is z, along x.
inline Quat along_x() { return {0, Real(0.70710678118654752), 0, Real(0.70710678118654752)}; }

// The numbers of one world. Compilers evaluate the arguments of a call in an order of their own, so a call takes one
// number at most; lists in braces are in order.
class Numbers {
 public:
  explicit Numbers(int number) : random_(77 + static_cast<std::uint64_t>(number)) {}

  Real near(double value, double spread = 0.25) { return Real(value) * (1 + Real(spread) * random_.next()); }
  Real any(double size) { return Real(size) * random_.next(); }
  bool one_in(int n) { return random_.next_bits() % static_cast<unsigned>(n) == 0; }

 private:
  FixedRandom random_;
};

// Limits, damping and springs that some worlds have and others do not.
inline JointDofConfig joint_numbers(Numbers& n, Vec3 axis, double range) {
  JointDofConfig dof{.axis = axis};
  dof.limit_lower = n.one_in(4) ? -kUnlimited : -n.near(range);
  dof.limit_upper = n.one_in(4) ? kUnlimited : n.near(range);
  dof.limit_margin = n.one_in(3) ? n.near(0.02) : Real(0);
  dof.damping = n.one_in(3) ? Real(0) : n.near(0.05);
  dof.armature = n.one_in(3) ? Real(0) : n.near(0.005);
  dof.stiffness = n.one_in(3) ? Real(0) : n.near(0.5);
  dof.spring_ref = n.any(0.1);
  if (n.one_in(3)) dof.limit_solref = {-n.near(800), -n.near(30)};
  return dof;
}
inline ShapeConfig shape_numbers(Numbers& n) {
  ShapeConfig cfg;
  cfg.density = n.near(1000);
  cfg.thickness = Real(1e-5);
  cfg.mu = n.near(0.8);
  cfg.solref = n.one_in(4) ? RealN<2>{-n.near(3000), -n.near(60)} : RealN<2>{n.near(0.02), n.near(1)};
  cfg.solimp = {Real(0.9), Real(0.95), n.near(0.001), Real(0.5), n.one_in(4) ? Real(3) : Real(2)};
  cfg.solmix = n.near(1);
  cfg.contact_margin = n.near(0.004);
  cfg.gap = n.one_in(2) ? cfg.contact_margin : cfg.contact_margin / 2;
  return cfg;
}
inline ActuatorConfig servo_numbers(Numbers& n) {
  const Real gain = n.near(3);
  return {.gear = n.near(1.2),
          .gain = gain,
          .bias = {0, -gain, -n.near(0.1)},
          .ctrl_lower = -1,
          .ctrl_upper = 1,
          .force_lower = -4,
          .force_upper = n.near(4)};
}

// A trunk with four legs of two links, whose thighs may touch each other.
inline ModelBuilder walker(int number) {
  Numbers n(number);
  ModelBuilder builder;
  const Transform standing{{n.any(0.1), 0, n.near(0.42, 0.05)}, {}};
  const int trunk = builder.add_link({.xform = standing, .com = {0, n.any(0.01), 0}});
  const Real half = n.near(0.15, 0.1);
  builder.add_shape_capsule(trunk, Real(0.06), half, {.xform = {{}, along_x()}, .cfg = shape_numbers(n)});
  std::vector<int> joints{builder.add_joint_free(trunk)};
  for (int leg = 0; leg < 4; ++leg) {
    const Real side = leg % 2 ? Real(0.07) : Real(-0.07), along = leg / 2 ? half : -half;
    const Real thigh_length = n.near(0.16, 0.1), shank_length = n.near(0.16, 0.1);
    const int thigh = builder.add_link(), shank = builder.add_link();
    ShapeConfig rod = shape_numbers(n);
    const ShapeConfig foot = shape_numbers(n);
    rod.condim = 1;
    builder.add_shape_capsule(thigh, n.near(0.025), thigh_length / 2 - Real(0.03),
                              {.xform = at(0, 0, -thigh_length / 2), .cfg = rod});
    builder.add_shape_sphere(shank, n.near(0.025), {.xform = at(0, 0, -shank_length), .cfg = foot});
    const JointDofConfig swing = joint_numbers(n, {0, 1, 0}, 0.9), spread = joint_numbers(n, {1, 0, 0}, 0.4);
    joints.push_back(builder.add_joint_universal(trunk, thigh, swing, spread, {.parent_xform = at(along, side, 0)}));
    builder.add_actuator(joints.back(), servo_numbers(n));
    joints.push_back(builder.add_joint_revolute(thigh, shank, joint_numbers(n, {0, 1, 0}, 1.2),
                                                {.parent_xform = at(0, 0, -thigh_length)}));
    const Real bent = n.any(0.4);
    builder.set_joint_q(joints.back(), std::span(&bent, 1));
    builder.add_actuator(joints.back(), servo_numbers(n));
  }
  builder.add_articulation(joints);
  return builder;
}

// Links that hang from the world between two bars, with a ball joint, a body that is fixed to another one, and two
// tendons.
inline ModelBuilder chain(int number) {
  Numbers n(number);
  ModelBuilder builder;
  std::vector<int> joints;
  int parent = -1;
  for (int i = 0; i < 6; ++i) {
    const Real length = n.near(0.16, 0.2);
    const int link = builder.add_link({.com = {n.any(0.01), 0, -length / 2}, .mass = n.near(0.05)});
    builder.add_shape_capsule(link, Real(0.03), length / 2 - Real(0.035),
                              {.xform = at(0, 0, -length / 2), .cfg = shape_numbers(n)});
    const JointFrames frames{.parent_xform = at(0, 0, i == 0 ? Real(1.4) : -length)};
    const JointDofConfig dof = joint_numbers(n, i % 2 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, 0.5);
    JointDofConfig ball;
    ball.damping = dof.damping, ball.armature = dof.armature;
    joints.push_back(i == 3 ? builder.add_joint_ball(parent, link, ball, frames)
                            : builder.add_joint_revolute(parent, link, dof, frames));
    parent = link;
  }
  const int tip = builder.add_link({.mass = n.near(0.05)});
  builder.add_shape_sphere(tip, Real(0.05), {.cfg = shape_numbers(n)});
  joints.push_back(builder.add_joint_fixed(parent, tip, {.parent_xform = at(n.any(0.05), 0, Real(-0.2))}));
  builder.add_articulation(joints);
  for (const Real side : {Real(-0.085), Real(0.085)}) {
    const Quat along_y{Real(0.70710678118654752), 0, 0, Real(0.70710678118654752)};
    builder.add_shape_capsule(-1, Real(0.05), Real(0.3),
                              {.xform = {{side, 0, Real(0.7)}, along_y}, .cfg = shape_numbers(n)});
  }
  const TendonConfig rope{.limit_lower = n.one_in(3) ? -kUnlimited : -n.near(0.3), .limit_upper = n.near(0.3)};
  builder.add_tendon_fixed({{joints[0], n.near(1)}, {joints[2], -n.near(1)}}, rope);
  const TendonConfig band{.stiffness = n.one_in(3) ? Real(0) : n.near(0.2),
                          .damping = n.near(0.01),
                          .spring_lower = Real(-0.1),
                          .spring_upper = Real(0.1)};
  builder.add_tendon_fixed({{joints[1], n.near(1)}, {joints[4], n.near(0.5)}}, band);
  builder.add_actuator(joints[0], servo_numbers(n));
  return builder;
}

// Spheres and capsules that fall on each other.
inline ModelBuilder pile(int number) {
  Numbers n(number);
  ModelBuilder builder;
  for (int i = 0; i < 6; ++i) {
    const Vec3 p{n.any(0.08), n.any(0.08), Real(0.15) + Real(0.22) * Real(i)};
    const Quat turn{n.any(1), n.any(1), n.any(1), Real(0.5)};
    const int body = builder.add_body({.xform = {p, normalize(turn)},
                                       .com = {n.any(0.01), 0, 0},
                                       .inertia = mat33_identity<Real>() * Real(1e-3),
                                       .mass = n.near(0.3)});
    ShapeConfig cfg = shape_numbers(n);
    constexpr int kCondims[] = {3, 1, 3, 4, 3, 6};
    cfg.condim = kCondims[i];
    cfg.priority = i == 2 ? 1 : 0;
    const Real half = n.near(0.08);
    if (i % 2) builder.add_shape_capsule(body, n.near(0.06), half, {.cfg = cfg});
    else builder.add_shape_sphere(body, n.near(0.08), {.cfg = cfg});
  }
  return builder;
}

// Cranks with dry friction, two of which a rod connects, while the third follows one of them; tendons that are coupled
// and pulled; bodies whose weight is carried; a ball on the ground that is welded to a crank. Constraints are switched
// on in some worlds alone.
inline ModelBuilder linkage(int number) {
  Numbers n(number);
  ModelBuilder builder;
  std::vector<int> cranks, joints;
  for (int i = 0; i < 3; ++i) {
    const int crank = builder.add_link({.com = {0, 0, n.near(0.1)},
                                        .inertia = mat33_identity<Real>() * n.near(0.002),
                                        .mass = n.near(0.3),
                                        .gravcomp = n.one_in(2) ? n.near(0.6) : Real(0)});
    JointDofConfig dof = joint_numbers(n, {0, 1, 0}, 1.5);
    dof.friction = n.one_in(3) ? Real(0) : n.near(0.05);
    dof.friction_solref = {n.near(0.02), n.near(1)};
    const Transform place = at(Real(0.4) * Real(i), 0, Real(0.4));
    joints.push_back(builder.add_joint_revolute(-1, crank, dof, {.parent_xform = place}));
    builder.add_articulation({joints.back()});
    cranks.push_back(crank);
  }
  const int rod = builder.add_link({.inertia = mat33_identity<Real>() * n.near(0.002), .mass = n.near(0.2)});
  const Real half = n.near(0.1);
  builder.add_shape_capsule(rod, Real(0.02), half, {.xform = {{}, along_x()}, .cfg = shape_numbers(n)});
  const int elbow =
      builder.add_joint_revolute(cranks[0], rod, {.axis = {0, 1, 0}}, {.parent_xform = at(0, 0, Real(0.2))});
  builder.add_articulation({elbow});
  builder.add_equality_constraint_connect(rod, cranks[1], {Real(0.4), 0, 0},
                                          {.enabled = !n.one_in(4), .solref = {n.near(0.02), n.near(1)}},
                                          Vec3{0, 0, Real(0.2)});
  const RealN<5> gear{n.any(0.1), n.near(-0.5), n.any(0.2), 0, n.any(0.1)};
  builder.add_equality_constraint_joint(joints[2], joints[0], gear, {.enabled = !n.one_in(4)});
  const TendonConfig rough{.friction = n.one_in(2) ? n.near(0.02) : Real(0)};
  const int rope = builder.add_tendon_fixed({{joints[0], n.near(1)}, {joints[2], n.near(0.5)}}, rough);
  const int band = builder.add_tendon_fixed({{joints[1], n.near(1)}, {elbow, n.near(0.5)}});
  const RealN<5> pulls{0, n.near(0.5), n.any(0.1), 0, 0};
  builder.add_equality_constraint_tendon(band, rope, pulls, {.enabled = n.one_in(2)});
  builder.add_actuator_tendon(rope, servo_numbers(n));
  builder.add_actuator(joints[1], servo_numbers(n));
  const Vec3 hangs{n.any(0.1), 0, n.near(0.1, 0.05)};
  const int ball = builder.add_body({.xform = {hangs, {}}, .com = {n.any(0.01), 0, 0}});
  builder.add_shape_sphere(ball, Real(0.1), {.cfg = shape_numbers(n)});
  const Vec3 anchor{0, 0, n.near(0.1)};
  const Real torquescale = n.near(0.5), apart = n.near(0.5);
  builder.add_equality_constraint_weld(ball, cranks[2], anchor, torquescale, at(apart, 0, 0),
                                       {.enabled = n.one_in(3), .solref = {n.near(0.1), 1}});
  return builder;
}

// Two rods that strings, muscles and a crank pull at, round a post and a ball, and a box on the ground that a string
// holds and actuators push; activations of every sort.
inline ModelBuilder harness(int number) {
  Numbers n(number);
  ModelBuilder builder;
  std::vector<int> rods, joints;
  for (int i = 0; i < 2; ++i) {
    const Vec3 com{n.near(0.2), 0, n.any(0.02)};
    rods.push_back(
        builder.add_link({.com = com, .inertia = mat33_identity<Real>() * n.near(0.01), .mass = n.near(0.5)}));
    const JointDofConfig dof = joint_numbers(n, {n.any(0.2), 1, 0}, 1.2);
    joints.push_back(builder.add_joint_revolute(i == 0 ? -1 : rods[0], rods[i], dof,
                                                {.parent_xform = i == 0 ? at(0, 0, Real(0.8)) : at(Real(0.4), 0, 0)}));
  }
  builder.add_articulation(joints);
  const Vec3 stands{Real(0.6), n.any(0.1), n.near(0.1, 0.05)};
  const int box = builder.add_body({.xform = {stands, {}}, .com = {n.any(0.02), 0, 0}});
  builder.add_shape_sphere(box, Real(0.1), {.cfg = shape_numbers(n)});
  const int pan = builder.add_link({.inertia = mat33_identity<Real>() * n.near(0.01), .mass = n.near(0.3)});
  JointDofConfig loose;
  loose.damping = n.near(0.02);
  const int pivot = builder.add_joint_ball(-1, pan, loose, {.parent_xform = at(Real(-0.5), 0, Real(0.6))});
  builder.add_articulation({pivot});

  const auto point = [&](int body, Real x, Real z) {
    return TendonPoint{.body = body, .xform = at(x, n.any(0.05), z)};
  };
  TendonPoint post{.type = TendonPointType::kCylinder, .xform = {{Real(0.1), 0, 1}, along_x()}, .radius = n.near(0.06)};
  if (n.one_in(2)) post.has_side = true, post.side = {Real(0.1), n.any(0.3), n.near(1.3)};
  TendonPoint ball{.type = TendonPointType::kSphere, .body = rods[0], .xform = at(Real(0.4), 0, 0)};
  ball.radius = n.near(0.04);
  const TendonPoint pulley{.type = TendonPointType::kPulley, .divisor = n.near(2)};
  const TendonConfig band{.limit_lower = n.one_in(2) ? -kUnlimited : n.near(0.7),
                          .limit_upper = n.near(1.4),
                          .stiffness = n.near(4),
                          .damping = n.near(0.2),
                          .spring_lower = n.near(0.3),
                          .spring_upper = Real(0.5)};
  const TendonPoint wall = point(-1, Real(-0.2), Real(1.1)), elbow = point(rods[0], Real(0.3), Real(0.05)),
                    hand = point(rods[1], Real(0.3), Real(0.05)), corner = point(box, 0, Real(0.1));
  const int string = builder.add_tendon_spatial({wall, post, elbow, ball, hand}, band);
  const TendonConfig rough{.friction = n.one_in(2) ? n.near(0.1) : Real(0)};
  const int hoist = builder.add_tendon_spatial({wall, hand, pulley, hand, corner}, rough);
  const RealN<5> length{n.near(1), 0, 0, 0, 0};
  builder.add_equality_constraint_tendon(hoist, -1, length, {.enabled = n.one_in(2), .solref = {n.near(0.1), 1}});

  ActuatorConfig muscle{.law = ActuatorLaw::kMuscle, .dynamics = ActuatorDynamics::kMuscle};
  muscle.muscle[2] = n.near(0.6), muscle.muscle[3] = n.near(1.3), muscle.muscle[4] = n.near(3);
  muscle.time = {n.near(0.02), n.near(0.05), n.one_in(2) ? n.near(0.2) : Real(0)};
  builder.add_actuator_tendon(string, muscle);
  ActuatorConfig slow = servo_numbers(n);
  slow.dynamics = ActuatorDynamics::kFilterExact;
  slow.time = {n.near(0.03), 0, 0}, slow.act_early = n.one_in(2);
  builder.add_actuator(joints[1], slow);
  ActuatorConfig grows = servo_numbers(n);
  grows.dynamics = ActuatorDynamics::kIntegrator, grows.act_lower = -n.near(0.1), grows.act_upper = n.near(0.1);
  grows.wrench = {{n.any(1), n.any(1), n.any(1)}, {n.any(0.1), n.any(0.1), n.any(0.1)}};
  builder.add_actuator_site({rods[1], at(Real(0.3), 0, 0)}, BodyPose{rods[0], at(Real(0.1), 0, 0)}, grows);
  ActuatorConfig thrust{.gain_slope = {0, -n.near(0.1)}};
  thrust.wrench = {{0, 0, n.near(0.5)}, {0, n.any(0.1), 0}};
  builder.add_actuator_site({box, at(0, 0, Real(0.05))}, {}, thrust);
  ActuatorConfig twist = servo_numbers(n);
  twist.gear = Real(0.2), twist.wrench = {{}, {n.any(1), n.any(1), n.near(1)}}, twist.in_parent = n.one_in(2);
  builder.add_actuator(pivot, twist);
  const Real rod = n.near(0.6);
  builder.add_actuator_slider_crank({rods[0], at(Real(0.2), 0, 0)}, {pan, at(0, 0, Real(0.1))}, rod, servo_numbers(n));
  return builder;
}

// A belt that turns as it is told, things on it that stick, slide unevenly and are pulled down, and a crane whose
// springs, dampers and tendon are not linear, with efforts that are bounded. In a fluid some are ellipsoids.
inline ModelBuilder factory(int number) {
  Numbers n(number);
  ModelBuilder builder;
  const int belt = builder.add_link({.xform = at(0, 0, Real(0.3)), .is_kinematic = true});
  const int axis = builder.add_joint_revolute(-1, belt, {.axis = {0, 0, 1}}, {.parent_xform = at(0, 0, Real(0.3))});
  builder.add_articulation({axis});
  ShapeConfig moving = shape_numbers(n);
  moving.adhesion = n.one_in(2) ? n.near(3) : Real(0);
  moving.surface_velocity = {{n.any(0.5), n.any(0.5), 0}, {0, 0, n.any(1)}};
  const int top = builder.add_shape_box(belt, Real(0.6), Real(0.6), Real(0.05), {.cfg = moving});
  const auto thing = [&](Real x, int condim) {
    const Vec3 stands{x, n.any(0.2), Real(0.46)};
    const int body = builder.add_body({.xform = {stands, {}}, .com = {n.any(0.02), 0, 0}});
    ShapeConfig cfg = shape_numbers(n);
    cfg.condim = condim, cfg.adhesion = n.one_in(2) ? n.near(2) : Real(0);
    cfg.fluid_ellipsoid = condim != 4;
    return std::array{body, builder.add_shape_capsule(body, Real(0.1), n.near(0.05), {.cfg = cfg})};
  };
  const auto left = thing(Real(-0.25), 3), middle = thing(0, 6), right = thing(Real(0.25), 4);
  ContactPairArgs uneven{.condim = 6,
                         .friction = {n.near(0.6), n.near(0.2), n.near(0.02), n.near(0.01), n.near(0.004)}};
  uneven.solref_friction = {n.near(0.03), 1}, uneven.margin = n.near(0.001), uneven.adhesion = n.near(1);
  builder.add_contact_pair(top, middle[1], uneven);
  builder.add_actuator_body(right[0], {.gain = n.near(4)});
  builder.add_actuator_body(left[0], {.gain = n.near(2), .bias = {n.near(1), 0, -n.near(0.5)}});

  std::vector<int> arms, joints;
  for (int i = 0; i < 3; ++i) {
    arms.push_back(builder.add_link({.gravcomp = n.near(0.7)}));
    ShapeConfig round = shape_numbers(n);
    round.fluid_ellipsoid = i > 0, round.fluid_coef = {Real(0.5), Real(0.3), 1, Real(0.8), Real(0.6)};
    builder.add_shape_sphere(arms[i], Real(0.05), {.xform = at(Real(0.2), 0, 0), .cfg = round});
    JointDofConfig dof = joint_numbers(n, {0, i == 1 ? Real(0) : Real(1), i == 1 ? Real(1) : Real(0)}, 1.5);
    dof.stiffness_poly = {n.any(0.5), n.near(0.5)}, dof.damping_poly = {n.near(0.05), n.near(0.02)};
    dof.gravcomp_by_motor = n.one_in(2);
    dof.effort_lower = -n.near(0.5), dof.effort_upper = n.near(1);
    joints.push_back(builder.add_joint_revolute(i == 0 ? -1 : arms[i - 1], arms[i], dof,
                                                {.parent_xform = i == 0 ? at(1, 0, 1) : at(Real(0.3), 0, 0)}));
    builder.add_actuator(joints[i], servo_numbers(n));
  }
  builder.add_articulation(joints);
  JointDofConfig loose;
  loose.stiffness = n.near(1), loose.stiffness_poly = {n.any(0.2), n.near(0.5)};
  loose.damping = n.near(0.02), loose.damping_poly = {n.near(0.02), n.near(0.01)};
  const int pan = builder.add_link({.inertia = mat33_identity<Real>() * n.near(0.01), .mass = n.near(0.3)});
  builder.add_articulation({builder.add_joint_ball(-1, pan, loose, {.parent_xform = at(-1, 0, 1)})});
  TendonConfig heavy{.stiffness = n.near(2), .stiffness_poly = {n.any(1), n.near(1)}, .damping = n.near(0.1)};
  heavy.damping_poly = {n.near(0.1), n.near(0.1)}, heavy.armature = n.near(0.1);
  heavy.effort_lower = -n.near(0.2), heavy.effort_upper = n.near(0.3);
  const TendonPoint wall{.xform = at(Real(0.8), Real(0.2), 1)},
      elbow{.body = arms[0], .xform = at(Real(0.2), 0, Real(0.05))},
      hand{.body = arms[2], .xform = at(Real(0.2), 0, Real(0.05))};
  const int string = builder.add_tendon_spatial({wall, elbow, hand}, heavy);
  const int fixed = builder.add_tendon_fixed({{joints[0], n.near(0.5)}, {joints[2], -n.near(0.5)}}, heavy);
  for (const int tendon : {string, string, fixed}) builder.add_actuator_tendon(tendon, servo_numbers(n));
  return builder;
}

// Things that stay bent: a table, a lamp and two arms whose springs yield, and strings that do, under a stone that
// falls. A bob hangs on the second arm by a rope, in some worlds by a rod.
inline ModelBuilder scrapyard(int number) {
  Numbers n(number);
  ModelBuilder builder;
  const auto yielding = [&](Vec3 axis, double stiffness, double yield) {
    JointDofConfig dof{.axis = axis};
    dof.stiffness = n.near(stiffness), dof.damping = n.near(0.1), dof.spring_ref = n.any(yield);
    dof.spring_yield = n.one_in(4) ? Real(0) : n.near(yield);
    return dof;
  };
  const int table = builder.add_link(), lamp = builder.add_link();
  builder.add_shape_box(table, Real(0.3), Real(0.3), Real(0.02), {.cfg = shape_numbers(n)});
  builder.add_shape_sphere(lamp, Real(0.05), {.xform = at(0, Real(0.1), Real(0.1)), .cfg = shape_numbers(n)});
  const int leg =
      builder.add_joint_prismatic(-1, table, yielding({0, 0, 1}, 600, 0.02), {.parent_xform = at(0, 0, Real(0.3))});
  const int socket =
      builder.add_joint_ball(table, lamp, yielding({1, 0, 0}, 1, 0.1), {.parent_xform = at(Real(0.2), 0, Real(0.1))});
  builder.add_articulation({leg, socket});
  std::vector<int> arms, joints;
  for (int i = 0; i < 2; ++i) {
    arms.push_back(builder.add_link());
    builder.add_shape_sphere(arms[i], Real(0.05), {.xform = at(Real(0.2), 0, 0), .cfg = shape_numbers(n)});
    const JointFrames frames{.parent_xform = i == 0 ? at(1, 0, Real(0.6)) : at(Real(0.25), 0, 0)};
    const JointDofConfig dof = yielding({0, 1, 0}, 3, 0.1);
    joints.push_back(builder.add_joint_revolute(i == 0 ? -1 : arms[0], arms[i], dof, frames));
  }
  const int bob = builder.add_link();
  builder.add_shape_sphere(bob, Real(0.04), {.cfg = shape_numbers(n)});
  const Real rope = n.near(0.2), shortest = n.one_in(2) ? rope - Real(0.01) : Real(-1);
  joints.push_back(
      builder.add_joint_distance(arms[1], bob, shortest, rope, {.parent_xform = at(Real(0.2), 0, Real(-0.1))}));
  builder.set_joint_q(joints.back(), std::vector<Real>{0, 0, Real(-0.2), 0, 0, 0, 1});
  builder.add_articulation(joints);
  const Real stone_x = n.any(0.1), stone_y = n.any(0.1);  // one after the other: compilers order arguments as they like
  const int stone = builder.add_body({.xform = at(stone_x, stone_y, Real(0.42))});
  builder.add_shape_sphere(stone, Real(0.08), {.cfg = shape_numbers(n)});
  TendonConfig string{.stiffness = n.near(20), .damping = n.near(0.2)};
  string.spring_yield = n.near(0.03);
  string.spring_upper = n.near(0.3);
  const TendonPoint wall{.xform = at(1, Real(0.2), 1)}, hand{.body = arms[1], .xform = at(Real(0.2), 0, 0)},
      shade{.body = lamp, .xform = at(0, Real(0.1), Real(0.1))};
  builder.add_tendon_spatial({wall, hand}, string);
  string.spring_lower = string.spring_upper / 2;
  builder.add_tendon_spatial({hand, shade}, string);
  builder.add_tendon_fixed({{joints[0], n.near(1)}, {joints[1], -n.near(0.5)}}, string);
  return builder;
}

// With every input and state, some of whose numbers some worlds do not use.
inline ActuatorConfig motor_numbers(Numbers& n) {
  ActuatorConfig cfg{.law = ActuatorLaw::kDcMotor, .force_lower = -n.near(2), .force_upper = n.near(2)};
  cfg.inputs = kInputPosition | kInputVelocity | kInputForce | kInputVoltage;
  cfg.controller = {.kp = n.near(2), .kv = n.near(0.2), .ki = n.near(1), .integral_max = n.near(0.1)};
  cfg.controller.slew_max = n.near(4);
  DcMotorConfig& m = cfg.motor;
  m.resistance = n.near(2), m.constant = n.near(0.5), m.voltage_max = n.one_in(2) ? n.near(3) : Real(0);
  m.current_time = n.near(0.03), m.current_rate_max = n.one_in(2) ? n.near(20) : Real(0);
  m.heat_resistance = n.near(1), m.heat_capacity = n.near(0.1), m.heat_coefficient = n.near(0.01);
  m.cogging = n.any(0.1), m.cogging_poles = 9, m.cogging_phase = n.any(1);
  m.bristle_stiffness = n.near(3), m.bristle_damping = n.near(0.1), m.bristle_coulomb = n.near(0.2);
  m.bristle_static = n.near(0.3), m.bristle_speed = n.near(0.1);
  return cfg;
}

// An arm, a head on a ball joint and a ball on the ground: pid controllers, motors, orientations, delays.
inline ModelBuilder workshop(int number) {
  Numbers n(number);
  ModelBuilder builder;
  const int ball = builder.add_body({.xform = at(Real(0.6), 0, Real(0.1))});
  builder.add_shape_sphere(ball, Real(0.1), {.cfg = shape_numbers(n)});
  std::vector<int> arms, joints;
  for (int i = 0; i < 2; ++i) {
    arms.push_back(builder.add_link());
    builder.add_shape_sphere(arms[i], Real(0.05), {.xform = at(Real(0.2), 0, 0), .cfg = shape_numbers(n)});
    const JointDofConfig dof = joint_numbers(n, {0, i == 1 ? Real(0) : Real(1), i == 1 ? Real(1) : Real(0)}, 0.5);
    joints.push_back(builder.add_joint_revolute(i == 0 ? -1 : arms[0], arms[i], dof,
                                                {.parent_xform = i == 0 ? at(0, 0, 1) : at(Real(0.3), 0, 0)}));
  }
  const int head = builder.add_link({.inertia = mat33_identity<Real>() * n.near(0.01), .mass = n.near(0.3)});
  joints.push_back(builder.add_joint_ball(arms[1], head, {.damping = n.near(0.02)}, {.parent_xform = at(0, 0, 1)}));
  builder.add_articulation(joints);

  ActuatorConfig pid{.law = ActuatorLaw::kPid, .force_upper = n.near(2)};
  pid.inputs = kInputPosition | kInputForce, pid.delay = n.near(0.01), pid.delay_samples = 4;
  pid.controller = {.kp = n.near(3), .kv = n.near(0.2), .ki = n.near(1)};
  pid.interpolation = Interpolation::kCubic;
  builder.add_actuator(joints[0], pid);
  builder.add_actuator(joints[1], motor_numbers(n));
  ActuatorConfig slow = servo_numbers(n);
  slow.delay = n.near(0.007), slow.delay_samples = 3, slow.interpolation = Interpolation::kLinear;
  builder.add_actuator(joints[1], slow);
  ActuatorConfig turn{.gain = n.near(0.2), .bias = {n.any(0.01), 0, -n.near(0.02)}, .law = ActuatorLaw::kOrientation};
  turn.dynamics = ActuatorDynamics::kIntegrator, turn.force_upper = n.near(0.1);
  builder.add_actuator(joints[2], turn);
  turn.dynamics = ActuatorDynamics::kNone, turn.inputs = kInputQuaternion;
  turn.delay = n.near(0.01), turn.delay_samples = 2;
  builder.add_actuator_site({head, at(0, Real(0.1), 0)}, BodyPose{arms[0], at(0, 0, Real(0.1))}, turn);
  ActuatorConfig twist = motor_numbers(n);
  twist.wrench = {{}, {n.any(0.2), n.any(0.2), n.near(0.2)}};
  builder.add_actuator(joints[2], twist);
  return builder;
}

// A cart on a slider with a pole on a universal joint that falls to the ground.
inline ModelBuilder cart_pole(int number) {
  Numbers n(number);
  ModelBuilder builder;
  const int cart = builder.add_link({.inertia = mat33_identity<Real>(), .mass = n.near(1)});
  const int pole = builder.add_link();
  const Real half = n.near(0.3);
  builder.add_shape_capsule(pole, Real(0.03), half, {.xform = at(0, 0, half), .cfg = shape_numbers(n)});
  const JointDofConfig rail = joint_numbers(n, {1, 0, 0}, 0.05);
  const int slider = builder.add_joint_prismatic(-1, cart, rail, {.parent_xform = at(0, 0, n.near(0.2))});
  const JointDofConfig pitch = joint_numbers(n, {0, 1, 0}, 3), roll = joint_numbers(n, {1, 0, 0}, 3);
  const int hinge = builder.add_joint_universal(cart, pole, pitch, roll);
  const Real lean[] = {n.any(0.6), n.any(0.6)};
  builder.set_joint_q(hinge, lean);
  builder.add_articulation({slider, hinge});
  builder.add_actuator(slider, servo_numbers(n));
  return builder;
}

// A figure on the ground whose hinge and ball joints are driven.
inline ModelBuilder mannequin(int number) {
  Numbers n(number);
  ModelBuilder builder;
  const auto drive = [&] {
    JointDofConfig dof{.axis = {0, 1, 0}, .target_pos = n.any(0.8), .target_vel = n.any(0.2)};
    dof.target_ke = n.one_in(3) ? Real(0) : n.near(2), dof.target_kd = n.near(0.05), dof.damping = n.near(0.02);
    return dof;
  };
  const int trunk = builder.add_body({.xform = at(0, 0, Real(0.1))});
  builder.add_shape_sphere(trunk, Real(0.1), {.cfg = shape_numbers(n)});
  std::vector<int> joints;
  int parent = -1;
  for (int i = 0; i < 3; ++i) {
    const int limb = builder.add_link();
    builder.add_shape_capsule(limb, Real(0.04), Real(0.1), {.xform = at(0, 0, Real(0.12)), .cfg = shape_numbers(n)});
    const JointFrames frames{.parent_xform = at(i == 0 ? Real(0.5) : Real(0), 0, i == 0 ? Real(0.1) : Real(0.25))};
    joints.push_back(i == 1 ? builder.add_joint_revolute(parent, limb, drive(), frames)
                            : builder.add_joint_ball(parent, limb, drive(), frames));
    parent = limb;
  }
  builder.add_articulation(joints);
  return builder;
}

struct Kind {
  const char* name;
  ModelBuilder (*make)(int number);
};
// The first kByNumber are those of numbers modulo kByNumber.
inline constexpr std::array<Kind, 10> kKinds{{{"walker", walker},
                                              {"chain", chain},
                                              {"pile", pile},
                                              {"cart_pole", cart_pole},
                                              {"linkage", linkage},
                                              {"harness", harness},
                                              {"factory", factory},
                                              {"scrapyard", scrapyard},
                                              {"workshop", workshop},
                                              {"mannequin", mannequin}}};

inline constexpr int kByNumber = 4;

// A model of worlds with these numbers, in this order; each is of the kind of its number unless one is named.
struct Worlds {
  Model model;
  std::vector<int> number;

  const std::vector<int>& start(Entity entity) const { return model.layout->start[static_cast<int>(entity)]; }
};

inline ModelBuilder build_world(int number, int kind = -1) {
  return kKinds[kind < 0 ? number % kByNumber : kind].make(number);
}

inline Worlds make_worlds(const std::vector<int>& numbers, int kind = -1, Device device = {},
                          const ModelOptions& options = {}) {
  ModelBuilder builder;
  ShapeConfig ground;
  ground.thickness = Real(1e-5);
  builder.add_ground_plane(0, {.cfg = ground});
  builder.options = options;
  for (const int number : numbers) builder.add_world(build_world(number, kind));
  Worlds worlds{builder.finalize(device), numbers};
  for (std::size_t w = 0; w < numbers.size(); ++w) {
    Numbers n(1000 + numbers[w]);
    const Real tilt = n.any(0.5), down = -n.near(9.81, 0.2);
    worlds.model.set_gravity({tilt, 0, down}, static_cast<int>(w));
  }
  return worlds;
}

inline constexpr Real kDt = Real(1) / 256;  // its sums are exact
inline constexpr int kPhases = 5;

// Worlds that a phase sends back to their start: one of five in one phase; the mask of the others is empty.
inline std::vector<std::uint8_t> worlds_to_reset(const Worlds& worlds, int phase) {
  std::vector<std::uint8_t> mask;
  for (std::size_t w = 0; w < worlds.number.size() && phase == 3; ++w) mask.push_back(worlds.number[w] % 5 == 2);
  return mask;
}

// Sets the inputs of a phase in all worlds, and sends some of them back to their start.
inline void begin_phase(const Worlds& worlds, Simulation& simulation, int phase) {
  const State state = simulation.state();
  const Control control = simulation.control();
  const std::vector<std::uint8_t> mask = worlds_to_reset(worlds, phase);
  if (!mask.empty()) simulation.reset(mask);
  for (std::size_t w = 0; w < worlds.number.size(); ++w) {
    FixedRandom random(static_cast<std::uint64_t>(10000 + kPhases * worlds.number[w] + phase));
    const auto fill = [&](Real* values, Entity entity, int per_row, Real size) {
      const std::vector<int>& start = worlds.start(entity);
      for (int i = start[w] * per_row; i < start[w + 1] * per_row; ++i) values[i] = size * random.next();
    };
    fill(control.ctrl.data(), Entity::kCtrl, 1, Real(1.2));
    fill(control.joint_f.data(), Entity::kJointDof, 1, worlds.number[w] % 3 ? Real(0.1) : Real(0));
    // Only some worlds of a group are pushed.
    fill(reinterpret_cast<Real*>(state.body_f.data()), Entity::kBody, 6,
         worlds.number[w] % 3 == 1 ? Real(0.1) : Real(0));
    if (phase == 0) fill(state.joint_qd.data(), Entity::kJointDof, 1, Real(0.5));
  }
}

// Of two arrays on the CPU; memcmp of nothing must not be asked.
template <class T>
bool same_bits(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

// Of the numbers that make up the state of each world, in the order of the worlds' numbers.
inline std::uint64_t world_hash(const Worlds& worlds, const State& state, int w) {
  Hash hash;
  const auto add = [&](const auto& array, Entity entity) {
    const auto part = array.slice(worlds.start(entity)[w], worlds.start(entity)[w + 1]);
    hash.add(static_cast<std::uint64_t>(part.bytes()));
    hash.add_bytes(part.data(), static_cast<std::size_t>(part.bytes()));
  };
  add(state.joint_q, Entity::kJointCoord);
  add(state.joint_qd, Entity::kJointDof);
  add(state.joint_qdd, Entity::kJointDof);
  add(state.body_q, Entity::kBody);
  return hash.value();
}

}  // namespace carom::step_scenes
