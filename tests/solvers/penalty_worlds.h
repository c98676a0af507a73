// Worlds for tests of the bits of the penalty solvers and SolverXPBD: kinds of structure, whose worlds differ in their
// numbers alone. A world is known by its kind and number, wherever it stands in a model.
#pragma once

#include <string>
#include <vector>

#include "carom/carom.h"
#include "tests/dynamics/particle_scene.h"
#include "tests/random.h"

namespace carom::penalty_worlds {

enum Kind {
  kRobot,
  kHeap,
  kTiedRobot,
  kMachine,
  kStrings,
  kPile,
  kParticles,
};
inline constexpr int kKinds = 7;

// Numbers of worlds of one structure are a little apart.
inline Real scaled(double value, int number) { return Real(value * (1 + 0.02 * (number % 7))); }

// A box with two hinged legs, whose hips have drives and limits. Tied: its feet carry a bar, one by a point and one
// stiffly, and its hips are coupled; some of that is switched off in every fourth world.
inline ModelBuilder robot(bool tied, int number = 0) {
  ModelBuilder scene;
  std::vector<int> legs, hips;
  const int trunk = scene.add_body({.xform = {{0, 0, Real(0.5)}, {}}});
  scene.add_shape_box(trunk, Real(0.2), Real(0.1), Real(0.05));
  for (const Real side : {Real(-1), Real(1)}) {
    const int leg = scene.add_link();
    JointFrames frames;
    frames.parent_xform.p = {side * Real(0.2), 0, Real(-0.05)}, frames.child_xform.p = {0, 0, Real(0.15)};
    JointDofConfig dof{.axis = {0, 1, 0}};
    dof.target_ke = scaled(20, number), dof.target_kd = 1, dof.limit_lower = -1, dof.limit_upper = 1;
    hips.push_back(scene.add_joint_revolute(trunk, leg, dof, frames));
    legs.push_back(leg);
    scene.add_shape_capsule(leg, Real(0.03), Real(0.12));
  }
  if (!tied) return scene;
  const int bar = scene.add_body({.xform = {{0, 0, Real(0.2)}, {}}});
  scene.add_shape_box(bar, Real(0.2), Real(0.02), Real(0.02));
  scene.add_equality_constraint_connect(legs[0], bar, {0, 0, Real(-0.15)}, {.enabled = number % 4 != 3},
                                        Vec3{Real(-0.2), 0, 0});
  scene.add_equality_constraint_weld(legs[1], bar, {Real(0.2), 0, 0}, 1, {{Real(-0.2), 0, Real(-0.15)}, {}});
  scene.add_equality_constraint_joint(hips[0], hips[1], {0, 1, scaled(0.1, number), 0, 0});
  scene.add_sensor(SensorType::kForce, {SensorObject::kSite, scene.add_site(bar)});
  return scene;
}

// Boxes and a ball that fall on each other.
inline ModelBuilder heap() {
  ModelBuilder scene;
  for (int k = 0; k < 3; ++k) {
    const int body = scene.add_body({.xform = {{Real(0.02) * Real(k), 0, Real(0.2 + 0.25 * k)}, {}}});
    if (k == 1) scene.add_shape_sphere(body, Real(0.1));
    else scene.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
  }
  return scene;
}

// Boxes that touch from the beginning, three beside each other and three on top.
inline ModelBuilder pile(int number = 0) {
  ModelBuilder scene;
  ShapeConfig cfg = scene.default_shape_cfg;
  cfg.mu = scaled(0.4, number), cfg.torsional_friction = cfg.rolling_friction = Real(1e-3);
  cfg.restitution = Real(0.3);
  for (int k = 0; k < 6; ++k) {
    const Real x = Real(0.21 * (k % 3) - 0.2 + 0.05 * (k / 3)), z = Real(0.1 + 0.2 * (k / 3));
    const int box = scene.add_body({.xform = {{x, Real(0.01 * k), z}, {}}});
    scene.add_shape_box(box, Real(0.1), Real(0.1), Real(0.1), {.cfg = cfg});
  }
  return scene;
}

// A trunk with joints of all kinds: a driven arm with a box fixed to its end, a slide that is coupled to it, a ball and
// a universal joint whose pendulums carry the ends of a bar, which closes a loop, and a d6 with three axes.
inline ModelBuilder machine(int number = 0) {
  ModelBuilder scene;
  const Mat33 I = mat33_diagonal<Real>({Real(4e-3), Real(3e-3), Real(2e-3)});
  const int trunk = scene.add_body({.xform = {{0, 0, Real(0.6)}, {}}});
  scene.add_shape_box(trunk, Real(0.15), Real(0.1), Real(0.05));
  const auto link_at = [&](Vec3 com, double mass) {
    return scene.add_link({.com = com, .inertia = I, .mass = scaled(mass, number)});
  };
  const auto at = [](double x, double y, double z) {
    return JointFrames{.parent_xform = {{Real(x), Real(y), Real(z)}, {}}};
  };

  const int arm = link_at({Real(0.1), 0, 0}, 0.4), hand = scene.add_link();
  JointDofConfig shoulder{.axis = {0, 1, 0}};
  shoulder.target_ke = 5, shoulder.target_kd = Real(0.3), shoulder.target_pos = Real(-0.3), shoulder.effort_upper = 2;
  shoulder.friction = Real(0.05), shoulder.armature = scaled(0.01, number);
  const int hinge = scene.add_joint_revolute(trunk, arm, shoulder, at(0.2, 0, 0));
  scene.add_joint_fixed(arm, hand, at(0.2, 0, 0));
  scene.add_shape_box(hand, Real(0.04), Real(0.04), Real(0.04));

  JointDofConfig rail{.axis = {0, 1, 0}};
  rail.stiffness = 20, rail.damping = Real(0.5), rail.limit_lower = Real(-0.2), rail.limit_upper = Real(0.2);
  const int slide = scene.add_joint_prismatic(trunk, link_at({}, 0.3), rail, at(0, 0, 0.15));
  scene.add_equality_constraint_joint(slide, hinge, {0, Real(0.3), 0, Real(0.05), 0}, {.enabled = number % 3 != 2});

  JointDofConfig turning{.axis = {1, 0, 0}};
  turning.damping = Real(0.01), turning.limit_upper = scaled(0.6, number);
  JointDofConfig swing{.axis = {1, 0, 0}}, spread{.axis = {0, 1, 0}};
  swing.damping = Real(0.02), swing.limit_lower = Real(-0.7), swing.limit_upper = Real(0.7);
  const int left = link_at({0, 0, Real(-0.12)}, 0.2), right = link_at({0, 0, Real(-0.12)}, 0.2);
  scene.add_joint_ball(trunk, left, turning, at(-0.2, 0, 0));
  scene.add_joint_universal(trunk, right, swing, spread, at(-0.2, 0.2, 0));
  const int bar =
      scene.add_body({.xform = {{Real(-0.2), Real(0.1), Real(0.36)}, {}}, .inertia = I, .mass = scaled(0.3, number)});
  for (const int end : {0, 1})
    scene.add_equality_constraint_connect(end ? right : left, bar, {0, 0, Real(-0.24)}, {},
                                          Vec3{0, Real(end ? 0.1 : -0.1), 0});

  JointDofConfig along{.axis = {0, 0, 1}}, about{.axis = {1, 0, 0}}, across{.axis = {0, 1, 0}};
  along.stiffness = 200, along.damping = 2, about.target_kd = Real(0.1), across.stiffness = 1;
  const int joint =
      scene.add_joint_d6(trunk, link_at({0, 0, Real(-0.1)}, 0.3), {along}, {about, across}, at(0, 0, -0.1));

  const int motor = scene.add_actuator(
      hinge, {.gear = scaled(1.5, number), .gain = 2, .bias = {0, Real(-0.5), Real(-0.05)}, .force_upper = Real(1.5)});
  scene.add_actuator(joint, {.axis = 1, .gain = Real(0.2), .ctrl_lower = -1, .ctrl_upper = 1});
  scene.add_sensor(SensorType::kActuatorFrc, {SensorObject::kActuator, motor});
  scene.add_sensor(SensorType::kJointActuatorFrc, {SensorObject::kJoint, hinge});
  scene.add_sensor(SensorType::kJointLimitFrc, {SensorObject::kJoint, slide});
  return scene;
}

// A ball that is kept at some distance from the origin, and two bodies at some distance from each other.
inline ModelBuilder strings(int number = 0) {
  ModelBuilder scene;
  const int bob = scene.add_link({.xform = {{Real(0.3), 0, Real(0.6)}, {}}});
  scene.add_shape_sphere(bob, Real(0.08));
  scene.add_articulation({scene.add_joint_distance(-1, bob, Real(0.5), scaled(0.7, number))});
  const int one = scene.add_body({.xform = {{2, 0, Real(0.5)}, {}}});
  const int two = scene.add_link({.xform = {{Real(2.4), 0, Real(0.5)}, {}}});
  scene.add_shape_box(one, Real(0.08), Real(0.08), Real(0.08));
  scene.add_shape_sphere(two, Real(0.08));
  scene.add_joint_distance(one, two, Real(0.3), scaled(0.4, number));
  return scene;
}

inline ModelBuilder scene_of(int kind, int number = 0) {
  switch (kind) {
    case kRobot: return robot(false, number);
    case kHeap: return heap();
    case kTiedRobot: return robot(true, number);
    case kMachine: return machine(number);
    case kStrings: return strings(number);
    case kPile: return pile(number);
    default: return world_of_particles(0);
  }
}

// Worlds of the given kinds on one plane.
inline Model model_of(const std::vector<int>& kinds, const std::vector<int>& numbers, Device device = {}) {
  ModelBuilder all;
  all.add_ground_plane();
  for (std::size_t w = 0; w < kinds.size(); ++w) all.add_world(scene_of(kinds[w], numbers[w]));
  return all.finalize(device);
}

// Each world's first body gets a push that depends on the number of its world; on the CPU.
inline void push(const State& state, const std::vector<int>& numbers) {
  for (std::size_t w = 0; w < numbers.size(); ++w) {
    SeededRandom random(numbers[w] + 1);
    const State mine = state.world(static_cast<int>(w));
    for (int k = 0; k < 3; ++k) mine.body_qd[0].linear[k] = Real(random.uniform(-1, 1));
    for (int k = 0; k < 3; ++k) mine.body_qd[0].angular[k] = Real(random.uniform(-3, 3));
  }
}

}  // namespace carom::penalty_worlds
