// A humanoid of capsules and spheres. Sizes, ranges, gears and stiffnesses are those of the humanoid that comes with
// MuJoCo (model/humanoid/humanoid.xml, after Tassa, Erez and Todorov, IROS 2012). Coordinates and actuators are in the
// same order, so that both can be run side by side.
#include <numbers>

#include "scenes/scenes.h"

namespace carom::inline CAROM_PRECISION::scenes {

namespace {

Transform at(Vec3 p) { return {p, {}}; }

// Brings +z to the line along v, upwards: capsules have no front, and the turn to -z would not be unique.
Quat turn_z_to(Vec3 v) {
  const Vec3 u = normalize(v.z < 0 ? -v : v);
  return normalize(Quat{-u.y, u.x, 0, 1 + u.z});
}

struct Hinge {
  const char* key;
  Vec3 axis;
  Real lower, upper;  // [deg]
  Real stiffness, damping;
  Real gear;
};

// Adds parts to a builder, right ones as they are given and left ones as their mirror image in the plane y = 0.
// In the initial pose all bodies have the axes of the world.
class Figure {
 public:
  explicit Figure(Real height) {
    ShapeConfig& cfg = builder.default_shape_cfg;
    cfg.contact_margin = 0;
    cfg.mu = Real(0.7);
    cfg.condim = 1;  // parts slide on each other; the ground asks for friction
    cfg.solref = {Real(0.015), 1};
    cfg.solimp = {Real(0.9), Real(0.99), Real(0.003), Real(0.5), 2};
    torso = builder.add_link({.xform = at({0, 0, height}), .key = "torso"});
    joints.push_back(builder.add_joint_free(torso, -1, {.key = "root"}));
  }

  void mirror(bool on) {
    side_ = on ? -1 : 1;
    suffix_ = on ? "_left" : "_right";
  }

  // A body at `offset` from its parent, moved by hinges through `anchor` in its own frame.
  int add(int parent, const char* key, Vec3 offset, const char* joint, Vec3 anchor, const std::vector<Hinge>& hinges) {
    const Vec3 p = point(offset), a = point(anchor);
    const int child = builder.add_link({.xform = at(builder.columns().body_q[parent].p + p), .key = key + suffix_});
    std::vector<JointDofConfig> axes;
    for (const Hinge& hinge : hinges) axes.push_back(dof(hinge));
    joints.push_back(builder.add_joint_d6(parent, child, {}, axes,
                                          {.parent_xform = at(p + a), .child_xform = at(a), .key = joint + suffix_}));
    for (std::size_t i = 0; i < hinges.size(); ++i)
      builder.add_actuator(joints.back(),
                           {.axis = static_cast<int>(i), .gear = hinges[i].gear, .ctrl_lower = -1, .ctrl_upper = 1},
                           hinges[i].key + suffix_);
    return child;
  }

  int capsule(int body, const char* key, Vec3 from, Vec3 to, Real radius) {
    const Vec3 a = point(from), b = point(to);
    return builder.add_shape_capsule(body, radius, length(b - a) / 2,
                                     {.xform = {(a + b) * Real(0.5), turn_z_to(b - a)}, .key = key + suffix_});
  }

  int sphere(int body, const char* key, Vec3 centre, Real radius) {
    return builder.add_shape_sphere(body, radius, {.xform = at(point(centre)), .key = key + suffix_});
  }

  void tendon(const char* key, std::initializer_list<TendonJoint> over, const TendonConfig& cfg) {
    builder.add_tendon_fixed(over, cfg, key + suffix_);
  }

  ModelBuilder builder;
  int torso;
  std::vector<int> joints;

 private:
  Vec3 point(Vec3 p) const { return {p.x, side_ * p.y, p.z}; }

  JointDofConfig dof(const Hinge& hinge) const {
    constexpr Real kDegree = std::numbers::pi_v<Real> / 180;
    const Vec3 a = hinge.axis;
    return {.axis = {side_ * a.x, a.y, side_ * a.z},  // an axis of rotation is mirrored like this
            .limit_lower = hinge.lower * kDegree,
            .limit_upper = hinge.upper * kDegree,
            .damping = hinge.damping,
            .armature = Real(0.01),
            .stiffness = hinge.stiffness,
            .limit_solimp = {0, Real(0.99), Real(0.01), Real(0.5), 2}};
  }

  Real side_ = 1;
  std::string suffix_;  // none until the sides begin
};

// Returns {waist shape, pelvis body}.
std::pair<int, int> add_trunk(Figure& figure) {
  figure.capsule(figure.torso, "chest", {0, Real(-0.07), 0}, {0, Real(0.07), 0}, Real(0.07));
  figure.capsule(figure.torso, "waist_upper", {Real(-0.01), Real(-0.06), Real(-0.12)},
                 {Real(-0.01), Real(0.06), Real(-0.12)}, Real(0.06));
  figure.sphere(figure.torso, "head", {0, 0, Real(0.19)}, Real(0.09));

  const int waist =
      figure.add(figure.torso, "waist", {Real(-0.01), 0, Real(-0.26)}, "abdomen", {0, 0, Real(0.065)},
                 {{"abdomen_z", {0, 0, 1}, -45, 45, 20, 5, 40}, {"abdomen_y", {0, 1, 0}, -75, 30, 10, 5, 40}});
  const int waist_shape = figure.capsule(waist, "waist_lower", {0, Real(-0.06), 0}, {0, Real(0.06), 0}, Real(0.06));

  const int pelvis = figure.add(waist, "pelvis", {0, 0, Real(-0.165)}, "pelvis", {0, 0, Real(0.1)},
                                {{"abdomen_x", {1, 0, 0}, -35, 35, 10, 5, 40}});
  figure.capsule(pelvis, "hips", {Real(-0.02), Real(-0.07), 0}, {Real(-0.02), Real(0.07), 0}, Real(0.09));
  return {waist_shape, pelvis};
}

void add_leg(Figure& figure, int pelvis, int waist_shape) {
  const int thigh = figure.add(pelvis, "thigh", {0, Real(-0.1), Real(-0.04)}, "hip", {},
                               {{"hip_x", {1, 0, 0}, -30, 10, 10, 5, 40},
                                {"hip_z", {0, 0, 1}, -60, 35, 10, 5, 40},
                                {"hip_y", {0, 1, 0}, -150, 20, 10, 5, 120}});
  const int hip = figure.joints.back();
  const int thigh_shape = figure.capsule(thigh, "thigh", {}, {0, Real(0.01), Real(-0.34)}, Real(0.06));
  figure.builder.add_shape_collision_filter_pair(waist_shape, thigh_shape);  // they overlap when the hip bends

  const int shin = figure.add(thigh, "shin", {0, Real(0.01), Real(-0.4)}, "knee", {0, 0, Real(0.02)},
                              {{"knee", {0, -1, 0}, -160, 2, 1, Real(0.2), 80}});
  const int knee = figure.joints.back();
  const int shin_shape = figure.capsule(shin, "shin", {}, {0, 0, Real(-0.3)}, Real(0.049));

  // The two axes of an ankle do not meet: a body without mass and shapes carries the second one.
  const int ankle = figure.add(shin, "ankle", {0, 0, Real(-0.39)}, "ankle_y", {0, 0, Real(0.08)},
                               {{"ankle_y", {0, 1, 0}, -50, 50, 6, Real(0.2), 20}});
  const int foot = figure.add(ankle, "foot", {}, "ankle_x", {0, 0, Real(0.04)},
                              {{"ankle_x", {1, 0, Real(0.5)}, -50, 50, 3, Real(0.2), 20}});
  const int soles[] = {
      figure.capsule(foot, "sole_1", {Real(-0.07), Real(-0.01), 0}, {Real(0.14), Real(-0.03), 0}, Real(0.027)),
      figure.capsule(foot, "sole_2", {Real(-0.07), Real(0.01), 0}, {Real(0.14), Real(0.03), 0}, Real(0.027))};
  for (const int sole : soles) figure.builder.add_shape_collision_filter_pair(shin_shape, sole);

  figure.tendon("hamstring", {{.joint = hip, .coef = Real(0.5), .axis = 2}, {.joint = knee, .coef = Real(-0.5)}},
                {.limit_lower = Real(-0.3), .limit_upper = 2});
}

void add_arm(Figure& figure) {
  const Real u = Real(0.16), l = Real(0.17);  // along each axis: the arm points down and outwards, the hand forwards
  const int upper = figure.add(
      figure.torso, "upper_arm", {0, Real(-0.17), Real(0.06)}, "shoulder", {},
      {{"shoulder_1", {2, 1, 1}, -85, 60, 1, Real(0.2), 20}, {"shoulder_2", {0, -1, 1}, -85, 60, 1, Real(0.2), 20}});
  figure.capsule(upper, "upper_arm", {}, {u, -u, -u}, Real(0.04));
  const int lower = figure.add(upper, "lower_arm", {Real(0.18), Real(-0.18), Real(-0.18)}, "elbow", {},
                               {{"elbow", {0, -1, 1}, -100, 50, 0, Real(0.2), 40}});
  figure.capsule(lower, "lower_arm", {Real(0.01), Real(0.01), Real(0.01)}, {l, l, l}, Real(0.031));
  figure.sphere(lower, "hand", {Real(0.18), Real(0.18), Real(0.18)}, Real(0.04));
}

}  // namespace

ModelBuilder humanoid(Real height) {
  Figure figure(height);
  const auto [waist_shape, pelvis] = add_trunk(figure);
  for (const bool left : {false, true}) {
    figure.mirror(left);
    add_leg(figure, pelvis, waist_shape);
  }
  for (const bool left : {false, true}) {
    figure.mirror(left);
    add_arm(figure);
  }
  figure.builder.add_articulation(figure.joints, "humanoid");
  return figure.builder;
}

ModelBuilder humanoids(int worlds, Real height) {
  ModelBuilder builder;
  ShapeConfig ground;
  ground.contact_margin = 0;
  builder.add_ground_plane(0, {.cfg = ground, .key = "ground"});
  builder.replicate(humanoid(height), worlds);
  return builder;
}

}  // namespace carom::inline CAROM_PRECISION::scenes
