// Sensors of MJCF files become rows of a model, and such rows MJCF again. (python/tests holds them against MuJoCo's.)
#include <gtest/gtest.h>

#include <cmath>

#include "carom/builder.h"
#include "carom/error.h"
#include "carom/mjcf.h"

namespace carom {
namespace {

constexpr const char* kRobot = R"(<mujoco>
<option magnetic="1 2 3"/>
<worldbody>
<geom name="floor" type="plane" size="0 0 1"/>
<camera name="eye" pos="0 0 3" fovy="90" resolution="8 6"/>
<body name="torso" pos="0 0 1">
<freejoint/>
<geom name="foot" type="box" size=".1 .2 .3"/>
<site name="foot" type="capsule" size=".1 .2" pos="0 0 .1"/>
<site name="unused"/>
<body name="leg">
<joint name="x" type="slide" axis="1 0 0"/>
<joint name="y" type="slide" axis="0 1 0"/>
<geom name="shin" size=".1" pos=".5 0 0"/>
<site name="imu" pos="1 2 3"/>
</body>
</body>
</worldbody>
<sensor>
<touch name="t" site="foot" cutoff="3" noise=".5"/>
<gyro name="g" site="imu" nsample="4" delay=".02" interp="cubic"/>
<jointvel name="v" joint="y" interval=".1"/>
<framepos name="f" objtype="geom" objname="shin" reftype="xbody" refname="torso"/>
<rangefinder name="r" camera="eye" data="dist normal"/>
<contact name="c" subtree1="torso" geom2="floor" data="found force" num="3" reduce="mindist"/>
<subtreecom name="s" body="leg"/>
</sensor>
</mujoco>
)";

Model loaded(const std::string& text) {
  MjcfSource source;
  source.text = text;
  std::vector<std::string> warnings;
  Model model = load_mjcf(source, {}, &warnings);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  return model;
}

SensorObject object(const Model& m, int s) { return static_cast<SensorObject>(m.sensor_object_type[s]); }
SensorObject reference(const Model& m, int s) { return static_cast<SensorObject>(m.sensor_reference_type[s]); }

// Proves what each kind of object becomes, and that sites which sensors name are shapes behind the geoms.
TEST(MjcfSensors, Rows) {
  const Model m = loaded(kRobot);
  ASSERT_EQ(m.sensor_count, 7);
  EXPECT_EQ(m.options.magnetic, (Vec3{1, 2, 3}));
  EXPECT_EQ(m.shape_count, 5);
  EXPECT_EQ(m.key(Entity::kShape, 3), "foot_2");  // a geom has the name
  EXPECT_EQ(m.key(Entity::kShape, 4), "imu");
  EXPECT_TRUE(m.shape_flags[3] & kShapeIsSite);
  EXPECT_EQ(object(m, 0), SensorObject::kSite);
  EXPECT_EQ(m.sensor_shape[0], 3);
  EXPECT_EQ(m.sensor_cutoff[0], 3);
  EXPECT_EQ(m.sensor_noise[0], Real(0.5));
  EXPECT_EQ(object(m, 1), SensorObject::kFrame);
  EXPECT_EQ(m.sensor_body[1], 1);
  EXPECT_EQ(m.sensor_frame[1].p, (Vec3{1, 2, 3}));
  EXPECT_EQ(m.sensor_samples[1], 4);
  EXPECT_EQ(m.sensor_interpolation[1], static_cast<int>(Interpolation::kCubic));
  EXPECT_EQ(object(m, 2), SensorObject::kJoint);
  EXPECT_EQ(m.sensor_axis[2], 1);         // two slides are one joint
  EXPECT_EQ(m.sensor_interval[2][0], 0);  // which nobody keeps samples for
  EXPECT_EQ(m.sensor_frame[3].p, (Vec3{Real(0.5), 0, 0}));
  EXPECT_EQ(reference(m, 3), SensorObject::kFrame);
  EXPECT_EQ(m.sensor_reference_body[3], 0);
  EXPECT_EQ(m.sensor_data[4], kRayDist | kRayNormal);
  EXPECT_EQ(m.sensor_resolution[4], (Index2{8, 6}));
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(m.sensor_camera[4][k], 3, 1e-5);  // 90 degrees: half the pixels down
  EXPECT_EQ(m.sensor_camera[4][2], 4);
  EXPECT_EQ(object(m, 5), SensorObject::kSubtree);
  EXPECT_EQ(reference(m, 5), SensorObject::kShape);
  EXPECT_EQ(m.sensor_data[5], kContactFound | kContactForce);
  EXPECT_EQ(m.sensor_num[5], 3);
  EXPECT_EQ(m.sensor_reduce[5], static_cast<int>(ContactReduce::kMinDist));
  EXPECT_EQ(object(m, 6), SensorObject::kSubtree);
}

// Proves that rows come back from the file that is written of them.
TEST(MjcfSensors, ComeBack) {
  const Model m = loaded(kRobot), again = loaded(to_mjcf(m));
  ASSERT_EQ(again.sensor_count, m.sensor_count);
  EXPECT_EQ(again.shape_count, m.shape_count);
  EXPECT_EQ(again.options, m.options);
  const auto expect_same = [&](const Array<int>& a, const Array<int>& b, const char* name) {
    for (int s = 0; s < m.sensor_count; ++s) EXPECT_EQ(a[s], b[s]) << name << " of " << m.key(Entity::kSensor, s);
  };
  expect_same(again.sensor_type, m.sensor_type, "type");
  expect_same(again.sensor_object_type, m.sensor_object_type, "object");
  expect_same(again.sensor_reference_type, m.sensor_reference_type, "reference");
  expect_same(again.sensor_body, m.sensor_body, "body");
  expect_same(again.sensor_shape, m.sensor_shape, "shape");
  expect_same(again.sensor_axis, m.sensor_axis, "axis");
  expect_same(again.sensor_data, m.sensor_data, "data");
  expect_same(again.sensor_num, m.sensor_num, "num");
  expect_same(again.sensor_samples, m.sensor_samples, "samples");
  for (int s = 0; s < m.sensor_count; ++s) {
    EXPECT_EQ(again.key(Entity::kSensor, s), m.key(Entity::kSensor, s));
    EXPECT_EQ(again.sensor_frame[s].p, m.sensor_frame[s].p);
    EXPECT_EQ(again.sensor_delay[s], m.sensor_delay[s]);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(again.sensor_camera[s][k], m.sensor_camera[s][k], 1e-5);
  }
}

// Proves that numbers which the builder refuses are said with the line and the sensor.
TEST(MjcfSensors, RefusedWithTheirLine) {
  std::string text = kRobot;
  text.replace(text.find("nsample=\"4\""), 11, "nsample=\"2000000\"");
  try {
    loaded(text);
    FAIL() << "two million samples are taken";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("MJCF:21: <gyro>"), std::string::npos) << what;
    EXPECT_NE(what.find("'g'"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace carom
