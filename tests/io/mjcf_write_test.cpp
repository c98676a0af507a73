// Models become MJCF and MJCF the same models again, through the C++ door; arguments of add_mjcf().
// (python/tests holds the dynamics against MuJoCo's.)
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/builder.h"
#include "carom/error.h"
#include "carom/mjcf.h"

namespace carom {
namespace {

constexpr const char* kCrane =
    "<mujoco><option timestep=\".01\" gravity=\"0 0 -3\"/><worldbody><geom type=\"plane\" size=\"0 0 1\"/>"
    "<body name=\"mast\" pos=\"0 0 1\"><freejoint/><geom size=\".2\"/><body name=\"boom\" pos=\".5 0 0\">"
    "<joint name=\"swing\" axis=\"0 0 1\" range=\"-90 90\" ref=\"10\" damping=\".5\"/>"
    "<joint name=\"lift\" axis=\"0 1 1\" pos=\"0 0 .1\"/><geom type=\"capsule\" size=\".1 "
    ".4\"/></body></body></worldbody>"
    "<actuator><position joint=\"swing\" kp=\"3\"/></actuator></mujoco>";

MjcfSource text_source(const std::string& mjcf) {
  MjcfSource source;
  source.text = mjcf;
  return source;
}

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class T>
void expect_same_numbers(const Array<T>& a, const Array<T>& b, double tolerance) {
  ASSERT_EQ(a.size() * sizeof(T), b.size() * sizeof(T));
  const auto* x = reinterpret_cast<const Real*>(&a[0]);
  const auto* y = reinterpret_cast<const Real*>(&b[0]);
  for (std::size_t i = 0; i < a.size() * sizeof(T) / sizeof(Real); ++i) EXPECT_NEAR(x[i], y[i], tolerance);
}

// Proves that what is written is read back: frames, two joints on one body with a massless link between, options.
TEST(MjcfWrite, ModelsComeBack) {
  const double tolerance = 20 * std::numeric_limits<Real>::epsilon();
  const Model model = load_mjcf(text_source(kCrane));
  const Model again = load_mjcf(text_source(to_mjcf(model)));
  EXPECT_EQ(again.body_count, 3);  // with the link
  EXPECT_EQ(again.options, model.options);
  EXPECT_EQ(again.gravity[0], model.gravity[0]);
  expect_same_numbers(again.joint_X_p, model.joint_X_p, tolerance);
  expect_same_numbers(again.joint_X_c, model.joint_X_c, tolerance);
  expect_same_numbers(again.joint_axis, model.joint_axis, tolerance);
  expect_same_numbers(again.joint_q, model.joint_q, tolerance);
  expect_same_numbers(again.body_mass, model.body_mass, tolerance * 100);
  expect_same_numbers(again.actuator_bias, model.actuator_bias, tolerance);
  EXPECT_EQ(again.find_joint("swing"), model.find_joint("swing"));
}

// Proves that save_mjcf() writes a file, and says why it cannot.
TEST(MjcfWrite, Files) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "mjcf_write_test";
  std::filesystem::create_directories(folder);
  const Model model = load_mjcf(text_source(kCrane));
  save_mjcf(model, (folder / "crane.xml").string());
  EXPECT_EQ(load_mjcf((folder / "crane.xml").string()).body_count, 3);
  const std::string error = error_of([&] { save_mjcf(model, (folder / "none" / "crane.xml").string()); });
  EXPECT_NE(error.find("cannot be written"), std::string::npos) << error;
  std::filesystem::remove_all(folder);
}

// Proves that what MJCF cannot say is refused by name.
TEST(MjcfWrite, RefusesByName) {
  ModelBuilder builder;
  builder.add_shape_cone(builder.add_body({.mass = 1, .key = "top"}), 1, 1, {.key = "hat"});
  const std::string error = error_of([&] { to_mjcf(builder.finalize()); });
  EXPECT_NE(error.find("shape 'hat' is a cone"), std::string::npos) << error;
}

// Proves that what users say counts over the file: places, names, groups, densities, floating bases.
TEST(MjcfArguments, CountOverTheFile) {
  MjcfSource source = text_source(kCrane);
  source.floating = false;
  source.density = 500;
  ModelBuilder builder;
  const MjcfArgs args{.enable_self_collisions = false, .collision_group = 4};
  builder.begin_world("", Vec3{0, 0, -3});
  builder.gravity = {0, 0, -3};
  EXPECT_TRUE(add_mjcf(builder, source, args, {.xform = {{7, 0, 0}, {}}, .key_prefix = "a/"}).empty());
  builder.end_world();
  const Model model = builder.finalize();
  EXPECT_EQ(static_cast<JointType>(model.joint_type[0]), JointType::kFixed);
  EXPECT_EQ(model.shape_collision_group[1], 4);
  EXPECT_NEAR(model.body_q[model.find_body("a/boom")].p.x, 7.5, 1e-6);
  EXPECT_NEAR(model.body_mass[0], 500 * 4.0 / 3 * 3.14159265358979 * 0.008, 1e-4);
  source.density = -1;
  EXPECT_NE(error_of([&] { add_mjcf(builder, source); }).find("density must be 0 or more"), std::string::npos);
}

// Proves that a model reads no file outside of its root.
TEST(MjcfArguments, RootIsNotLeft) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "mjcf_root_test";
  std::filesystem::create_directories(folder / "inside");
  std::ofstream(folder / "part.xml") << kCrane;
  MjcfSource source = text_source("<mujoco>\n<include file=\"../part.xml\"/></mujoco>");
  source.folder = (folder / "inside").string();
  EXPECT_EQ(read_mjcf(source).model.name_body.size(), 3u);
  source.root = source.folder;
  const std::string error = error_of([&] { read_mjcf(source); });
  EXPECT_NE(error.find("MJCF:2: <include>: file '"), std::string::npos) << error;
  EXPECT_NE(error.find("(root)"), std::string::npos) << error;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace carom
