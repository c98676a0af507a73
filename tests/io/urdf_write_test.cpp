// Models become URDF and URDF the same models again; what URDF cannot say is listed by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "carom/error.h"
#include "carom/mjcf.h"
#include "io/urdf_text.h"

namespace carom {
namespace {

constexpr double kTolerance = 20 * std::numeric_limits<Real>::epsilon();

Model read_again(const WrittenUrdf& written, std::vector<std::string>* warnings = nullptr) {
  UrdfSource source;
  source.text = written.text;
  std::vector<std::string> unseen;
  return load_urdf(source, {}, warnings ? warnings : &unseen);
}

template <class T>
void expect_same(const Array<T>& a, const Array<T>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  const auto* x = reinterpret_cast<const Real*>(&a[0]);
  const auto* y = reinterpret_cast<const Real*>(&b[0]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()) * sizeof(T) / sizeof(Real); ++i)
    EXPECT_NEAR(x[i], y[i], kTolerance * std::max(Real(1), std::abs(x[i]))) << what << " " << i;
}

bool is_listed(const WrittenUrdf& written, const std::string& line) {
  return std::find(written.lost.begin(), written.lost.end(), line) != written.lost.end();
}

const std::string kArm =
    "<link name='world'><collision name='floor'><origin xyz='0 0 -1'/><geometry><box size='9 9 "
    "1'/></geometry></collision>"
    "</link>" +
    link("base",
         "<collision name='foot'><geometry><cylinder radius='.2' length='.1'/></geometry></collision>"
         "<visual name='shell'><geometry><sphere radius='.3'/></geometry></visual>") +
    joint("free", "floating", "world", "base", "<origin xyz='0 0 2' rpy='.1 .2 .3'/>") + link("upper") +
    joint("shoulder", "revolute", "base", "upper",
          "<origin xyz='0 .1 .2' rpy='.4 1.5707963 -2'/><axis xyz='0 .6 .8'/>"
          "<limit lower='-1' upper='2' effort='30' velocity='5'/><dynamics damping='.5' friction='.1'/>") +
    "<link name='hand'><inertial><origin xyz='.1 .2 .3' rpy='1 2 3'/><mass value='.5'/><inertia ixx='.3' iyy='.2' "
    "izz='.25' "
    "ixy='.01' ixz='-.02' iyz='.03'/></inertial></link>" +
    joint("wrist", "continuous", "upper", "hand", "<origin xyz='0 0 .5'/>") + link("finger") +
    joint("slide", "prismatic", "hand", "finger",
          "<limit lower='0' upper='.1' effort='3' velocity='1'/><mimic joint='wrist' multiplier='-2' offset='.05'/>") +
    link("tool") + joint("weld", "fixed", "finger", "tool", "<origin xyz='1 0 0' rpy='0 0 1'/>") +
    "<transmission name='m'><joint name='wrist'/><actuator "
    "name='m'><mechanicalReduction>7</mechanicalReduction></actuator>"
    "</transmission>";

// Proves that a robot of all joints that URDF has is written and read back to the same numbers, and nothing is lost.
TEST(UrdfWrite, RobotsComeBack) {
  const Model model = load_robot(kArm);
  const WrittenUrdf written = to_urdf(model);
  EXPECT_TRUE(written.lost.empty()) << written.lost.front();
  std::vector<std::string> warnings;
  const Model again = read_again(written, &warnings);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  expect_same(again.joint_type, model.joint_type, "joint_type");
  expect_same(again.joint_X_p, model.joint_X_p, "joint_X_p");
  expect_same(again.joint_axis, model.joint_axis, "joint_axis");
  expect_same(again.joint_q, model.joint_q, "joint_q");
  expect_same(again.joint_limit_lower, model.joint_limit_lower, "joint_limit_lower");
  expect_same(again.joint_effort_upper, model.joint_effort_upper, "joint_effort_upper");
  expect_same(again.joint_velocity_limit, model.joint_velocity_limit, "joint_velocity_limit");
  expect_same(again.joint_damping, model.joint_damping, "joint_damping");
  expect_same(again.joint_friction, model.joint_friction, "joint_friction");
  expect_same(again.body_q, model.body_q, "body_q");
  expect_same(again.body_mass, model.body_mass, "body_mass");
  expect_same(again.body_com, model.body_com, "body_com");
  expect_same(again.body_inertia, model.body_inertia, "body_inertia");
  expect_same(again.shape_scale, model.shape_scale, "shape_scale");
  expect_same(again.shape_transform, model.shape_transform, "shape_transform");
  expect_same(again.equality_constraint_polycoef, model.equality_constraint_polycoef, "polycoef");
  expect_same(again.actuator_gear, model.actuator_gear, "gear");
  for (const char* name : {"free", "shoulder", "wrist", "slide", "weld"})
    EXPECT_EQ(again.find_joint(name), model.find_joint(name));
  EXPECT_EQ(again.find_shape("shell"), model.find_shape("shell"));
}

// Proves that several axes of one body become a chain with the same coordinates, and a joint beside its body's frame
// moves that frame and nothing else: centres of mass stay where they are.
TEST(UrdfWrite, ChainsHaveTheSameCoordinates) {
  MjcfSource source;
  source.text =
      "<mujoco><worldbody><body name='a' pos='0 0 1'><joint name='x' axis='1 0 0' range='-90 90'/><joint name='y' "
      "axis='0 1 "
      "0'/><geom size='.1' pos='.3 0 0'/><body name='b' pos='1 0 0' euler='0 0 30'><joint name='z' axis='0 0 1' "
      "pos='.1 .2 "
      "0'/><geom size='.1' pos='0 .3 0'/></body></body></worldbody></mujoco>";
  std::vector<std::string> warnings;
  const Model model = load_mjcf(source, {}, &warnings);
  const WrittenUrdf written = to_urdf(model);
  const Model again = read_again(written);
  ASSERT_EQ(again.joint_dof_count, 3);
  EXPECT_EQ(again.body_count, 3);  // with a link between x and y
  EXPECT_TRUE(is_listed(written, "frames of bodies, which are those of their joints: 'b'"));
  for (const char* name : {"a", "b"}) {
    const int mine = model.find_body(name), other = again.find_body(name);
    const Vec3 p = transform_point(model.body_q[mine], model.body_com[mine]);
    const Vec3 q = transform_point(again.body_q[other], again.body_com[other]);
    EXPECT_LT(length(p - q), 1e-6) << name;
    EXPECT_NEAR(model.body_mass[mine], again.body_mass[other], 1e-6);
  }
  EXPECT_NEAR(again.joint_limit_upper[again.joint_qd_start[again.find_joint("x")]], 1.5707963, 1e-6);
}

// Proves that all that has no word in URDF is listed by kind and name, and the rest is written.
TEST(UrdfWrite, LossesAreListed) {
  ModelBuilder builder;
  builder.gravity = {0, 0, -1};
  builder.add_ground_plane(0, {.key = "ground"});
  const int ball = builder.add_link({.mass = 1, .key = "ball"}), arm = builder.add_link({.mass = 1, .key = "arm"});
  const int swing = builder.add_joint_ball(-1, ball, {}, {.key = "swing"});
  const int hinge = builder.add_joint_revolute(ball, arm, {.armature = Real(0.1), .stiffness = 3}, {.key = "hinge"});
  builder.add_articulation({swing, hinge});
  builder.add_shape_ellipsoid(arm, 1, 1, 1, {.key = "egg"});
  builder.add_site(arm, {}, ShapeType::kSphere, {1, 1, 1}, "mark");
  builder.add_actuator(hinge, {.bias = {0, -1, 0}}, "servo");
  builder.add_equality_constraint_connect(-1, arm, {}, {.key = "loop"});
  builder.set_joint_q(hinge, std::array{Real(0.5)});
  const WrittenUrdf written = to_urdf(builder.finalize());
  for (const char* line :
       {"shapes of type plane: 'ground'", "shapes of type ellipsoid: 'egg'", "sites: 'mark'",
        "ball joints, which are fixed: 'swing'", "armature of joints: 'hinge'", "springs of joints: 'hinge'",
        "actuators that are no motors of a joint: 'servo'", "equality constraints of type connect: 'loop'",
        "coordinates at first: 'hinge' 0.5", "gravity"})
    EXPECT_TRUE(is_listed(written, line)) << line;
  EXPECT_EQ(read_again(written).body_count, 2);
}

// Proves that shapes which would touch, or not touch, other than in the model are listed in pairs.
TEST(UrdfWrite, ContactsThatDifferAreListed) {
  const std::string ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
  ModelBuilder builder;
  UrdfSource source;
  source.text = robot(link("a", ball) + link("b", ball) + link("c", ball) + joint("ab", "continuous", "a", "b") +
                      joint("bc", "continuous", "b", "c"));
  add_urdf(builder, source);
  EXPECT_TRUE(to_urdf(builder.finalize()).lost.empty());
  builder.add_shape_collision_filter_pair(0, 2);
  const WrittenUrdf written = to_urdf(builder.finalize());
  ASSERT_EQ(written.lost.size(), 1u);
  EXPECT_EQ(written.lost[0], "that shapes do not touch: 'shape_0' and 'shape_2'");
}

// Proves that a file and its meshes are saved beside each other and read back, from any axis that is up; and that one
// of several worlds must be named.
TEST(UrdfWrite, FilesWithMeshes) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "urdf_write_test";
  std::filesystem::create_directories(folder);
  ModelBuilder one(Axis::kY);
  const auto mesh = std::make_shared<const Mesh>(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                                 std::vector<int>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3});
  const int body = one.add_body({.xform = {{1, 2, 3}, {}}, .mass = 1, .lock_inertia = true});
  one.add_shape_convex_hull(body, mesh, {1, 2, 3}, {.key = "hull"});
  const std::string path = (folder / "part.urdf").string();
  EXPECT_TRUE(save_urdf(one.finalize(), path).empty());
  ASSERT_TRUE(std::filesystem::exists(folder / "part_meshes" / "mesh_0.obj"));
  UrdfSource source;
  source.path = path;
  ModelBuilder again(Axis::kY);
  add_urdf(again, source);
  const Model model = again.finalize();
  EXPECT_LT(length(model.body_q[0].p - Vec3{1, 2, 3}), 1e-6);
  EXPECT_EQ(static_cast<ShapeType>(model.shape_type[0]), ShapeType::kConvexHull);
  EXPECT_EQ(model.body_mass[0], 1);
  ModelBuilder two(Axis::kY);
  two.replicate(one, 2);
  EXPECT_THROW(to_urdf(two.finalize()), Error);
  EXPECT_FALSE(to_urdf(two.finalize(), 1).text.empty());
  EXPECT_THROW(save_urdf(one.finalize(), (folder / "none" / "part.urdf").string()), Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace carom
