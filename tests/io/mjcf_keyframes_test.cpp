// Keyframes, custom numbers and texts, and lengths of tendons around geoms, through the C++ door. (python/tests holds
// them against MuJoCo.)
#include <gtest/gtest.h>

#include <cmath>

#include "carom/error.h"
#include "carom/mjcf.h"

namespace carom {
namespace {

ReadMjcf read(const std::string& mjcf) {
  MjcfSource source;
  source.text = mjcf;
  return read_mjcf(source);
}

// Proves that a keyframe is in carom's conventions: a body that spins about its own z axis while it stands on its side
// spins about the world's y axis, and its centre of mass moves where it is not the origin.
TEST(MjcfKeyframes, AreStatesOfTheModel) {
  MjcfSource source;
  source.text =
      "<mujoco><worldbody><body mocap='true' pos='9 8 7'/><body><freejoint/><geom size='.1' pos='0 0 2'/></body>"
      "<body><joint type='slide'/><geom size='.1'/></body></worldbody>"
      "<keyframe><key name='k' time='3' qpos='1 2 3 1 -1 0 0 5' qvel='0 0 0 1 0 3 4'/></keyframe></mujoco>";
  const std::vector<Keyframe> keys = load_keyframes(source);
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].name, "k");
  EXPECT_EQ(keys[0].time, 3);
  const double half = std::sqrt(0.5);
  const std::vector<double> q{9, 8, 7, 0, 0, 0, 1, 1, 2, 3, -half, 0, 0, half, 5};
  // Body axes: w = (1, 0, 3), centre (0, 0, 2), so v = w x c = (0, -2, 0); then a quarter turn about -x: y to -z, z to
  // y.
  const std::vector<double> qd{0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 3, 0, 4};
  ASSERT_EQ(keys[0].joint_q.size(), q.size());
  ASSERT_EQ(keys[0].joint_qd.size(), qd.size());
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(keys[0].joint_q[i], q[i], 1e-6) << i;
  for (std::size_t i = 0; i < qd.size(); ++i) EXPECT_NEAR(keys[0].joint_qd[i], qd[i], 1e-6) << i;
  EXPECT_EQ(import_mjcf(read(source.text).model).builder.count(Entity::kJoint), 3);
}

// Proves that a hundred million keyframes are an error, and soon.
TEST(MjcfKeyframes, ManyAreAnError) {
  EXPECT_THROW(read("<mujoco><size nkey='100000000'/><worldbody><body><joint/><geom size='.1'/></body></worldbody>"
                    "</mujoco>"),
               Error);
}

// Proves that numbers, texts (also in CDATA) and tuples are found by name.
TEST(MjcfCustom, IsReadByName) {
  const MjcfCustom custom =
      read(
          "<mujoco><custom><numeric name='n' data='1 2' size='3'/><text name='t'><![CDATA[<a>]]></text>"
          "<tuple name='u'><element objtype='body' objname='world' prm='4'/></tuple></custom></mujoco>")
          .custom;
  EXPECT_EQ(custom.numbers.at("n"), (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(custom.texts.at("t"), "<a>");
  EXPECT_EQ(custom.tuples.at("u").at(0).name, "world");
  EXPECT_EQ(custom.tuples.at("u").at(0).number, 4);
}

double length_around(const std::string& geom, const std::string& around) {
  return read("<mujoco><worldbody><body><joint/>" + geom +
              "<site name='side' pos='0 -1 0'/></body><site name='p' pos='-2 0 0'/><site name='q' pos='2 0 0'/>"
              "</worldbody><tendon><spatial><site site='p'/><geom geom='g' " +
              around + "/><site site='q'/></spatial></tendon></mujoco>")
      .model.tendon_length0.at(0);
}

// Proves closed forms. Round a circle of radius 1 between points at a distance of 2 from its centre: two tangents of
// sqrt(3) and an arc of pi - 2 acos(1/2). Round an axis that leans by 45 degrees the same way climbs. Past a geom that
// is below the straight line it is straight.
TEST(MjcfTendons, LengthsAroundGeomsAreThoseOfGeometry) {
  const double pi = 3.14159265358979323846, flat = 2 * std::sqrt(3.0) + pi / 3;
  EXPECT_NEAR(length_around("<geom name='g' size='1'/>", "sidesite='side'"), flat, 1e-6);
  EXPECT_NEAR(length_around("<geom name='g' type='cylinder' size='1 3'/>", "sidesite='side'"), flat, 1e-6);
  EXPECT_NEAR(length_around("<geom name='g' size='.5' pos='0 -1 0'/>", ""), 4, 1e-6);
  const double a = std::sqrt(2.0), turn = pi - 2 * std::acos(1 / a), plane = 2 * std::sqrt(a * a - 1) + turn;
  EXPECT_NEAR(length_around("<geom name='g' type='cylinder' size='1 3' euler='0 45 0'/>", "sidesite='side'"),
              std::sqrt(plane * plane + 8), 1e-6);
}

}  // namespace
}  // namespace carom
