// URDF becomes models: each rule against numbers that are worked out by hand, through the C++ door.
// (python/tests holds them against MuJoCo's reader, and urdf_errors_test.cpp has what is refused.)
#include "carom/urdf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "carom/error.h"
#include "io/urdf_text.h"

namespace carom {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kTolerance = 20 * std::numeric_limits<Real>::epsilon();

void expect_near(Vec3 a, Vec3 b, double tolerance = kTolerance) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << k;
}

JointType type_of(const Model& m, const char* joint) {
  return static_cast<JointType>(m.joint_type[m.find_joint(joint)]);
}

// Proves that rpy turns about the fixed axes x, y, z: with a right angle each, x goes to -z, y to y, z to x.
TEST(Urdf, AnglesAreAboutFixedAxes) {
  const Model m = load_robot(
      link("a") + link("b") +
      joint("j", "fixed", "a", "b", "<origin xyz='1 2 3' rpy='" + kRight + " " + kRight + " " + kRight + "'/>"));
  const Transform X = m.body_q[m.find_body("b")];
  expect_near(X.p, {1, 2, 3});
  expect_near(rotate(X.q, Vec3{1, 0, 0}), {0, 0, -1});
  expect_near(rotate(X.q, Vec3{0, 1, 0}), {0, 1, 0});
  expect_near(rotate(X.q, Vec3{0, 0, 1}), {1, 0, 0});
}

// Proves that inertia is that about the origin of its frame, in its axes: a quarter turn about z swaps x and y.
TEST(Urdf, InertialsHaveFrames) {
  const Model m = load_robot(
      "<link name='a'><inertial><origin xyz='1 0 0' rpy='0 0 " + kRight +
      "'/><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial></link>");
  EXPECT_NEAR(m.body_mass[0], 2, kTolerance);
  expect_near(m.body_com[0], {1, 0, 0});
  const Mat33 I = m.body_inertia[0];
  expect_near({I[0][0], I[1][1], I[2][2]}, {2, 1, Real(2.5)});
  expect_near({I[0][1], I[0][2], I[1][2]}, {Real(-0.1), Real(-0.3), Real(0.2)});
}

// Proves that every type of joint becomes its own, with limits, efforts and dynamics, and the axis as a direction.
TEST(Urdf, JointsOfAllTypes) {
  const std::string numbers =
      "<axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='30' velocity='4'/><dynamics damping='.5' "
      "friction='.25'/>";
  std::string text = link("a");
  const char* types[] = {"revolute", "continuous", "prismatic", "floating", "planar"};
  for (const char* type : types) text += link(type) + joint(std::string(type) + "_joint", type, "a", type, numbers);
  const Model m = load_robot(text);
  EXPECT_EQ(type_of(m, "revolute_joint"), JointType::kRevolute);
  EXPECT_EQ(type_of(m, "continuous_joint"), JointType::kRevolute);
  EXPECT_EQ(type_of(m, "prismatic_joint"), JointType::kPrismatic);
  EXPECT_EQ(type_of(m, "floating_joint"), JointType::kFree);
  EXPECT_EQ(type_of(m, "planar_joint"), JointType::kD6);
  const auto dof = [&](const char* name) { return m.joint_qd_start[m.find_joint(name)]; };
  for (const char* limited : {"revolute_joint", "prismatic_joint"}) {
    EXPECT_EQ(m.joint_limit_lower[dof(limited)], -1);
    EXPECT_EQ(m.joint_limit_upper[dof(limited)], 2);
    EXPECT_EQ(m.joint_effort_lower[dof(limited)], -30);
    EXPECT_EQ(m.joint_effort_upper[dof(limited)], 30);
    EXPECT_EQ(m.joint_velocity_limit[dof(limited)], JointDofConfig{}.velocity_limit);  // no solver has any
    EXPECT_EQ(m.joint_damping[dof(limited)], Real(0.5));
    EXPECT_EQ(m.joint_friction[dof(limited)], Real(0.25));
    expect_near(m.joint_axis[dof(limited)], {0, 0, 1});
  }
  EXPECT_EQ(m.joint_limit_lower[dof("continuous_joint")], -kUnlimited);
  EXPECT_EQ(m.joint_effort_upper[dof("continuous_joint")], 30);
  const int planar = dof("planar_joint");
  EXPECT_EQ(m.joint_dof_dim[m.find_joint("planar_joint")][0], 2);
  expect_near(m.joint_axis[planar], {1, 0, 0});
  expect_near(m.joint_axis[planar + 1], {0, 1, 0});
  expect_near(m.joint_axis[planar + 2], {0, 0, 1});
}

// Proves that a joint that follows another begins where it follows to, and is held there by an equality.
TEST(Urdf, MimicsFollow) {
  const Model m =
      load_robot(link("a") + link("b") + link("c") + link("d") +
                 joint("second", "revolute", "b", "c", "<mimic joint='third' multiplier='2' offset='.5'/>") +
                 joint("first", "revolute", "a", "b") +
                 joint("third", "prismatic", "a", "d", "<mimic joint='first' multiplier='-3' offset='1'/>"));
  ASSERT_EQ(m.equality_constraint_count, 2);
  EXPECT_EQ(m.equality_constraint_joint1[0], m.find_joint("second"));
  EXPECT_EQ(m.equality_constraint_joint2[0], m.find_joint("third"));
  EXPECT_EQ(m.equality_constraint_polycoef[0], (RealN<5>{Real(0.5), 2, 0, 0, 0}));
  EXPECT_EQ(m.joint_q[m.joint_q_start[m.find_joint("third")]], 1);
  EXPECT_EQ(m.joint_q[m.joint_q_start[m.find_joint("second")]], Real(2.5));
}

// Proves that shapes have the sizes of the file, halved where ours are half ones, and that visuals neither touch nor
// weigh.
TEST(Urdf, ShapesOfAllKinds) {
  const auto shape = [](const char* element, const char* geometry) {
    return text("<", element, " name='", element, "'><origin xyz='0 0 1'/><geometry>", geometry, "</geometry></",
                element, ">");
  };
  const Model m = load_robot(
      "<link name='a'>" + shape("collision", "<box size='2 4 6'/>") + shape("collision", "<sphere radius='3'/>") +
      shape("collision", "<cylinder radius='1' length='5'/>") + shape("collision", "<capsule radius='1' length='7'/>") +
      shape("visual", "<box size='1 1 1'/>") + "</link>");
  ASSERT_EQ(m.shape_count, 5);
  const ShapeType types[] = {ShapeType::kBox, ShapeType::kSphere, ShapeType::kCylinder, ShapeType::kCapsule,
                             ShapeType::kBox};
  const Vec3 scales[] = {{1, 2, 3}, {3, 0, 0}, {1, Real(2.5), 0}, {1, Real(3.5), 0}, {Real(0.5), Real(0.5), Real(0.5)}};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(static_cast<ShapeType>(m.shape_type[i]), types[i]);
    expect_near(m.shape_scale[i], scales[i]);
    expect_near(m.shape_transform[i].p, {0, 0, 1});
    EXPECT_EQ((m.shape_flags[i] & kShapeCollidesShapes) != 0, i < 4);
    EXPECT_EQ((m.shape_flags[i] & kShapeVisible) != 0, i == 4);  // colliders are hidden behind what is to be seen
  }
  EXPECT_EQ(m.find_shape("collision_3"), 2);  // names are unique
  // Density 1000 of what collides, since there is no <inertial>.
  EXPECT_NEAR(m.body_mass[0] / 1000, 48 + 36 * kPi + 5 * kPi + (7 + 4.0 / 3) * kPi, 1e-3);
}

// Proves that the mass of the file can be left out, and that a link that has its own is not made heavier by shapes.
TEST(Urdf, MassesAreThoseOfTheFileOrOfShapes) {
  const std::string heavy =
      "<link name='a'><inertial><mass value='7'/></inertial><collision><geometry><box size='1 1 1'/>"
      "</geometry></collision></link>";
  EXPECT_EQ(load_robot(heavy).body_mass[0], 7);
  UrdfArgs args;
  args.ignore_inertial_definitions = true;
  EXPECT_NEAR(load_robot(heavy, args).body_mass[0], 1000, 0.1);
}

// Proves that a root stands or floats as the user says, and that one called "world" is no body.
TEST(Urdf, RootsStandOrFloat) {
  UrdfArgs args;
  const auto root = [&](const std::string& robot) {
    return static_cast<JointType>(load_robot(robot, args).joint_type[0]);
  };
  const std::string on_world = "<link name='world'/>" + link("a");
  const std::string fixed = on_world + joint("j", "fixed", "world", "a", "<origin xyz='0 0 2'/>");
  const std::string floats = on_world + joint("j", "floating", "world", "a", "<origin xyz='0 0 2'/>");
  EXPECT_EQ(root(link("a")), JointType::kFixed);
  EXPECT_EQ(root(floats), JointType::kFree);
  EXPECT_EQ(load_robot(floats).body_count, 1);
  EXPECT_EQ(load_robot(floats).joint_q[2], 2);
  args.floating = true;
  EXPECT_EQ(root(link("a")), JointType::kFree);
  EXPECT_EQ(root(fixed), JointType::kFree);
  args.floating = false;
  EXPECT_EQ(root(floats), JointType::kFixed);
}

// Proves that links which fixed joints hold become one body with their masses, shapes and joints, or none on the world.
TEST(Urdf, FixedJointsAreCollapsed) {
  const std::string box = "<collision><geometry><box size='1 1 1'/></geometry></collision>";
  const std::string text = link("a") + link("b", box) + link("c") +
                           joint("ab", "continuous", "a", "b", "<origin xyz='1 0 0'/>") + link("e") +
                           joint("be", "fixed", "b", "e", "<origin xyz='0 0 4'/>") +
                           joint("ec", "continuous", "e", "c", "<origin xyz='0 3 0'/>");
  UrdfArgs args;
  args.collapse_fixed_joints = true;
  const Model m = load_robot(text, args), apart = load_robot(text);
  ASSERT_EQ(m.body_count, 2);  // a stands on the world
  EXPECT_EQ(m.body_mass[0], 2);
  expect_near(m.body_com[0], {0, 0, 2});
  EXPECT_NEAR(m.body_inertia[0][0][0], 2 + 2 * 4, 1e-5);  // two of 1, each a mass of 1 in a distance of 2
  EXPECT_NEAR(m.body_inertia[0][2][2], 2, 1e-5);
  expect_near(m.joint_X_p[m.find_joint("ec")].p, {0, 3, 4});
  expect_near(m.body_q[m.find_body("c")].p, apart.body_q[apart.find_body("c")].p);
}

// Proves that a scale counts for lengths, masses stay, and inertia grows with the square.
TEST(Urdf, ScaleIsOfLengths) {
  UrdfArgs args;
  args.scale = 2;
  const Model m =
      load_robot(link("a") + link("b", "<collision><geometry><sphere radius='1'/></geometry></collision>") +
                     joint("j", "prismatic", "a", "b", "<origin xyz='1 0 0'/><limit lower='-1' upper='3'/>"),
                 args);
  EXPECT_EQ(m.body_mass[1], 1);
  EXPECT_EQ(m.body_inertia[1][0][0], 4);
  EXPECT_EQ(m.shape_scale[0].x, 2);
  expect_near(m.joint_X_p[1].p, {2, 0, 0});
  EXPECT_EQ(m.joint_limit_upper[0], 6);
}

// Proves that transmissions of both notations are actuators with their reduction as gear.
TEST(Urdf, TransmissionsAreActuators) {
  const std::string robot = link("a") + link("b") + joint("j", "continuous", "a", "b");
  const Model m =
      load_robot(robot +
                 "<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='j'>"
                 "<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name='motor'>"
                 "<mechanicalReduction>50</mechanicalReduction></actuator></transmission>"
                 "<transmission type='SimpleTransmission' name='old'><actuator name='motor'/><joint name='j'/>"
                 "<mechanicalReduction> -3 </mechanicalReduction></transmission>");
  ASSERT_EQ(m.actuator_count, 2);
  EXPECT_EQ(m.actuator_gear[0], 50);
  EXPECT_EQ(m.actuator_gear[1], -3);
  EXPECT_EQ(m.actuator_joint[0], m.find_joint("j"));
  EXPECT_EQ(m.key(Entity::kActuator, 1), "motor_2");
}

// Proves which shapes never touch: those that are held together and those behind the next joint, what stands still, and
// without self-collisions all that move.
TEST(Urdf, ShapesOfNeighboursDoNotTouch) {
  const std::string ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
  const std::string robot = "<link name='world'>" + ball + "</link>" + link("a", ball) + link("b", ball) +
                            link("c", ball) + link("d", ball) + joint("wa", "fixed", "world", "a") +
                            joint("ab", "continuous", "a", "b") + joint("bc", "fixed", "b", "c") +
                            joint("cd", "continuous", "c", "d");
  const auto pairs = [&](const UrdfArgs& args) {
    const Model m = load_robot(robot, args);
    std::vector<std::array<int, 2>> all;
    for (std::int64_t i = 0; i < m.shape_collision_filter_pairs.size(); ++i)
      all.push_back({m.shape_collision_filter_pairs[i][0], m.shape_collision_filter_pairs[i][1]});
    return all;
  };
  // Shapes in depth-first order: world 0, a 1, b 2, c 3, d 4. The builder keeps children from parents by itself.
  using Pairs = std::vector<std::array<int, 2>>;
  EXPECT_EQ(pairs({}), (Pairs{{0, 1}, {1, 3}, {2, 4}}));
  UrdfArgs args;
  args.enable_self_collisions = false;
  EXPECT_EQ(pairs(args), (Pairs{{0, 1}, {1, 3}, {2, 4}}));  // b, c and d are neighbours anyway
}

// Proves that what the file does not say comes from the builder, and that z of the file is up in it.
TEST(Urdf, BuildersGiveDefaults) {
  ModelBuilder builder(Axis::kY);
  builder.default_shape_cfg.mu = Real(0.25);
  builder.default_joint_cfg.armature = Real(0.125);
  UrdfSource source;
  source.text = robot(link("a", "<collision><geometry><sphere radius='1'/></geometry></collision>") + link("b") +
                      joint("j", "continuous", "a", "b", "<origin xyz='0 0 1'/>"));
  EXPECT_TRUE(add_urdf(builder, source, {}, {.xform = {{5, 0, 0}, {}}, .key_prefix = "left/"}).empty());
  const Model m = builder.finalize();
  EXPECT_EQ(m.shape_material_mu[0], Real(0.25));
  EXPECT_EQ(m.joint_armature[0], Real(0.125));
  expect_near(m.body_q[m.find_body("left/b")].p, {5, 1, 0});
}

// Proves that what is not understood, and leaves the motion alone, is a warning with its line, once for each kind.
TEST(Urdf, UnknownElementsAreWarnings) {
  std::vector<std::string> warnings;
  load_robot(link("a") + "\n<gazebo/>\n<gazebo/><material name='red'><color rgba='1 0 0 1'/></material>", {},
             &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "URDF:3: <gazebo>: is not read (2 times)");
}

}  // namespace
}  // namespace carom
