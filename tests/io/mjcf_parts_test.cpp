// Parts of MJCF models that are copied, attached, fused and scaled, and assets that are made or read: counts and closed
// forms, through the C++ door. (python/tests holds the numbers against MuJoCo's compiler.)
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "carom/error.h"
#include "carom/mjcf.h"

namespace carom {
namespace {

using Names = std::vector<std::string>;

ReadMjcf read(const std::string& bodies, const std::string& before = "", const std::string& after = "",
              const std::string& folder = "") {
  MjcfSource source;
  source.text = "<mujoco>" + before + "<worldbody>" + bodies + "</worldbody>" + after + "</mujoco>";
  source.folder = folder;
  return read_mjcf(source);
}

// A folder that is gone afterwards.
struct Folder {
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "mjcf_parts_test";
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path / name, std::ios::binary) << content;
  }
};

// Proves that copies of bodies come with copies of what refers to them alone, after all others.
TEST(MjcfParts, ReplicateCopiesReferences) {
  const CompiledMjcf m =
      read(
          "<replicate count='2' offset='1 0 0'><body name='a'><joint name='j'/><geom size='.1'/></body></replicate>"
          "<body name='z'><joint name='k'/><geom size='.1'/></body>",
          "", "<actuator><motor name='m' joint='j'/><motor name='n' joint='k'/></actuator>")
          .model;
  EXPECT_EQ(m.name_body, (Names{"world", "a0", "a1", "z"}));
  EXPECT_EQ(m.name_actuator, (Names{"n", "m0", "m1"}));
  EXPECT_EQ(m.body_pos[6], 1);
}

// Proves that a body of another file comes with its mesh and its actuator, by its own angles, and that what is left out
// is a warning.
TEST(MjcfParts, AttachTakesPartsOfFiles) {
  const Folder folder;
  folder.write(
      "child.xml",
      "<mujoco><compiler angle='radian'/><option timestep='1'/><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 "
      "0 0 1'/></asset><worldbody><body name='a'><joint name='j' range='-1 1'/><geom type='mesh' mesh='m'/></body>"
      "<body name='b'><joint name='k'/><geom size='.1'/></body></worldbody><actuator><motor name='u' joint='j'/>"
      "</actuator><equality><joint joint1='j' joint2='k'/></equality></mujoco>");
  const ReadMjcf result = read("<attach model='c' body='a' prefix='p/'/>",
                               "<asset><model name='c' file='child.xml'/></asset>", "", folder.path.string());
  EXPECT_EQ(result.model.name_body, (Names{"world", "p/a"}));
  EXPECT_EQ(result.model.name_actuator, (Names{"p/u"}));
  EXPECT_EQ(result.model.jnt_range[1], 1);
  EXPECT_EQ(result.model.mesh_vertnum, (std::vector<int>{4}));
  EXPECT_EQ(result.model.opt_timestep, 0.002);
  EXPECT_EQ(result.warnings.size(), 2u);  // the equality and the time step
}

// Proves that fused bodies keep the mass and its centre.
TEST(MjcfParts, StaticBodiesAreFused) {
  const CompiledMjcf m =
      read(
          "<body><joint/><geom size='.1' mass='1'/><body pos='0 0 2'><geom size='.1' mass='3'/></body>"
          "</body>",
          "<compiler fusestatic='true'/>")
          .model;
  ASSERT_EQ(m.body_mass.size(), 2u);
  EXPECT_DOUBLE_EQ(m.body_mass[1], 4);
  EXPECT_DOUBLE_EQ(m.body_ipos[5], 1.5);
}

// Proves that a scaled ball has the cube of the mass and the fifth power of the inertia.
TEST(MjcfParts, FramesScale) {
  const std::string ball = "<body pos='1 0 0'><joint/><geom size='.1'/></body>";
  const CompiledMjcf m = read(ball + "<frame scale='2'>" + ball + "</frame>").model;
  EXPECT_DOUBLE_EQ(m.body_mass[2], 8 * m.body_mass[1]);
  EXPECT_NEAR(m.body_inertia[6], 32 * m.body_inertia[3], 1e-12);
  EXPECT_EQ(m.body_pos[6], 2);
}

// Proves that a box that is stretched by 2, 3 and 5 is the box with these sides, along axes of its own, and that what
// hangs on it stands at the stretched place.
TEST(MjcfParts, FramesStretch) {
  const std::string frame = "<frame scale='2 3 5' scaling='geometry'>";
  const CompiledMjcf m =
      read(frame +
           "<body><joint type='slide' axis='0 1 0' range='-1 1'/><geom type='box' size='.1 .2 .3' "
           "euler='0 0 90'/><body pos='1 1 1' euler='90 0 0'><body pos='1 1 1'/></body></body></frame>")
          .model;
  const double x = 0.3, y = 0.4, z = 1.5;  // the box is turned: its x is the y of the frame
  const double expected[] = {x, y, z};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(m.geom_size[k], expected[k], 1e-12);
  const double mass = 1000 * 8 * x * y * z;
  EXPECT_NEAR(m.body_mass[1], mass, 1e-9);
  EXPECT_NEAR(m.body_inertia[3], mass * (y * y + z * z) / 3, 1e-9);
  EXPECT_NEAR(m.jnt_range[1], 3, 1e-12);
  const double places[] = {2, 3, 5, 2, 5, 3};  // of a body that is turned about x
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(m.body_pos[6 + k], places[k], 1e-12);
}

// Proves that a servo at twice the size and 3 times the mass swings as fast: kp is a force by a length, M L / L.
TEST(MjcfParts, ServosScale) {
  const CompiledMjcf m =
      read("<frame scale='2' massscale='3'><body><joint name='j' type='slide'/><geom size='.1'/></body></frame>", "",
           "<actuator><position joint='j' kp='5' kv='7' ctrlrange='-1 1' forcerange='-11 11'/></actuator>"
           "<keyframe><key qpos='.5' ctrl='.25'/></keyframe>")
          .model;
  EXPECT_DOUBLE_EQ(m.actuator_gainprm[0], 15);
  EXPECT_DOUBLE_EQ(m.actuator_biasprm[1], -15);
  EXPECT_DOUBLE_EQ(m.actuator_biasprm[2], -21);
  EXPECT_DOUBLE_EQ(m.actuator_ctrlrange[1], 2);
  EXPECT_DOUBLE_EQ(m.actuator_forcerange[1], 66);
  EXPECT_DOUBLE_EQ(m.key_qpos[0], 1);
  EXPECT_DOUBLE_EQ(m.key_ctrl[0], 0.5);
}

// Proves that builtin balls are closed (V - E + F = 2), and that what they miss of the ball falls by a quarter with
// each level in the end, since edges are halved.
TEST(MjcfParts, BuiltinBalls) {
  const double ball = 4 * std::acos(-1.0) / 3;
  double missing = ball, share = 1;
  for (int level = 0; level <= 3; ++level) {
    const std::string asset = "<asset><mesh name='m' builtin='sphere' params='" + std::to_string(level) + "'/></asset>";
    const CompiledMjcf m = read("<body><joint/><geom type='mesh' mesh='m' density='1'/></body>", asset).model;
    const int faces = m.mesh_facenum[0];
    EXPECT_EQ(faces, 20 << 2 * level);
    EXPECT_EQ(m.mesh_vertnum[0] - faces * 3 / 2 + faces, 2);
    const double now = ball - m.body_mass[1];
    EXPECT_LT(now / missing, share);
    share = now / missing;
    missing = now;
  }
  EXPECT_NEAR(share, 0.25, 0.005);
}

// Proves that pictures become heights, the last row first, and that a broken one is an Error with its element.
TEST(MjcfParts, PicturesAreHeights) {
  constexpr unsigned char kPicture[] = {
      // rows of 0, 100 and 50, 200
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
      0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0x57, 0xdd, 0x52, 0xf8, 0x00, 0x00, 0x00,
      0x0e, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x48, 0x61, 0x30, 0x3a, 0x01, 0x00, 0x02, 0xc2, 0x01,
      0x5f, 0x89, 0xcb, 0xe3, 0xb2, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  const std::string content(reinterpret_cast<const char*>(kPicture), sizeof kPicture);
  const Folder folder;
  folder.write("h.png", content);
  const std::string asset = "<asset><hfield name='h' file='h.png' size='1 1 1 1'/></asset>";
  const CompiledMjcf m = read("", asset, "", folder.path.string()).model;
  EXPECT_EQ(m.hfield_data, (std::vector<float>{0.25f, 1, 0, 0.5f}));
  // Every prefix is cut off somewhere, and none is a crash.
  for (std::size_t length = 0; length < content.size() - 12; ++length) {
    folder.write("h.png", content.substr(0, length));
    EXPECT_THROW(read("", asset, "", folder.path.string()), Error) << length;
  }
}

}  // namespace
}  // namespace carom
