// Sensors as rows of a model: what is given arrives, also in copies, worlds and files; what makes no sense is refused.
#include <gtest/gtest.h>

#include "carom/carom.h"
#include "io/native/model_format.h"
#include "misuse.h"

namespace carom {
namespace {

using Ints = std::vector<int>;
template <class T>
std::vector<T> values(const Array<T>& array) {
  return {array.begin(), array.end()};
}
SensedObject shape(int index) { return {.type = SensorObject::kShape, .index = index}; }
SensedObject body(int index) { return {.type = SensorObject::kBody, .index = index}; }
SensedObject subtree(int index) { return {.type = SensorObject::kSubtree, .index = index}; }
SensedObject frame(int index, const Transform& X = {}) {
  return {.type = SensorObject::kFrame, .index = index, .xform = X};
}

ModelBuilder robot() {
  ModelBuilder b;
  const int foot = b.add_body({.mass = 1, .key = "foot"});
  const int sole = b.add_shape_sphere(foot, 1, {.key = "sole"});
  b.add_sensor_contact(body(foot), {}, {.data = kContactFound | kContactForce, .num = 3}, "touches");
  b.add_sensor_contact(shape(sole), subtree(-1), {.reduce = ContactReduce::kNetForce}, "net");
  b.add_sensor(SensorType::kFramePos, frame(-1, {{1, 2, 3}, {}}), frame(foot), {.cutoff = 4}, "place");
  b.add_sensor(SensorType::kClock, {}, {}, {.noise = 5, .delay = 6, .samples = 7});
  return b;
}

// Proves that copies point to what belongs to them, that what is fixed to the world is placed with a copy, and that
// sensors have memory as they need it.
TEST(SensorRows, Arrive) {
  ModelBuilder scene;
  scene.add_ground_plane();
  scene.add_world(robot());
  scene.add_world(robot(), {.xform = {{10, 0, 0}, {}}});
  const Model model = scene.finalize();
  EXPECT_EQ(model.sensor_count, 8);
  EXPECT_EQ(values(model.sensor_body), (Ints{0, -1, -1, -1, 1, -1, -1, -1}));
  EXPECT_EQ(values(model.sensor_shape), (Ints{-1, 1, -1, -1, -1, 2, -1, -1}));
  EXPECT_EQ(values(model.sensor_reference_body), (Ints{-1, -1, 0, -1, -1, -1, 1, -1}));
  EXPECT_EQ(model.sensor_frame[2].p, (Vec3{1, 2, 3}));
  EXPECT_EQ(model.sensor_frame[6].p, (Vec3{11, 2, 3}));
  EXPECT_EQ(values(model.sensor_num), (Ints{3, 1, 1, 1, 3, 1, 1, 1}));
  EXPECT_EQ(model.sensor_data[4], kContactFound | kContactForce);
  EXPECT_EQ(model.sensor_cutoff[6], 4);
  EXPECT_EQ(model.find_sensor("net", 1), 5);
  EXPECT_EQ(model.key(Entity::kSensor, 7), "sensor_3");
  try {
    model.find_sensor("touch");
    FAIL() << "there is no such sensor";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("near are 'touches', 'place', 'net'"), std::string::npos) << error.what();
  }
  // A time of each contact sensor; of the clock its readings and its time, a time to wait, and 7 samples with theirs.
  EXPECT_EQ(values(model.sensor_memory_start), (Ints{0, 1, 2, 2, 19, 20, 21, 21, 38}));
  EXPECT_EQ(model.state().sensor_memory.size(), 38);
  EXPECT_EQ(model.state().world(1).sensor_memory.size(), 19);
  EXPECT_EQ(encode_model(decode_model(encode_model(model), {})), encode_model(model));
}

const Misuse kMisuses[] = {
    {"ShapeOfNobody", [](ModelBuilder& b) { b.add_sensor_contact(shape(99), {}); }, {"sensor 0", "shape 99"}},
    {"ShapeOfAnotherWorld",
     [](ModelBuilder& b) { b.add_sensor_contact(shape(2), {}, {}, "new"); },
     {"sensor 0 'new'", "shape 2 'foot'", "world 0"}},
    {"NoSite",
     [](ModelBuilder& b) {
       b.add_sensor(SensorType::kTouch, {.type = SensorObject::kSite, .index = 4}, {}, {}, "new");
     },
     {"sensor 0 'new' (touch)", "a shape, not a site"}},
    {"WrongObject",
     [](ModelBuilder& b) { b.add_sensor(SensorType::kGyro, subtree(3), {}, {}, "new"); },
     {"(gyro)", "subtree", "it takes frame"}},
    {"TooManyReferences",
     [](ModelBuilder& b) { b.add_sensor(SensorType::kGyro, frame(3), frame(3), {}, "new"); },
     {"(gyro)", "reference", "it takes none"}},
    {"NoSlots", [](ModelBuilder& b) { b.add_sensor_contact({}, {}, {.num = 0}, "new"); }, {"num must be 1"}},
    {"NoData", [](ModelBuilder& b) { b.add_sensor_contact({}, {}, {.data = 0}, "new"); }, {"data 0"}},
    {"VelocityOfANet",
     [](ModelBuilder& b) {
       b.add_sensor_contact({}, {}, {.data = kContactLinVel, .reduce = ContactReduce::kNetForce}, "new");
     },
     {"net force has no linvel"}},
    {"BallOfAHinge",
     [](ModelBuilder& b) { b.add_sensor(SensorType::kBallQuat, {.type = SensorObject::kJoint, .index = 2}); },
     {"(ballquat)", "prismatic"}},
    {"AxisOfNoJoint",
     [](ModelBuilder& b) {
       b.add_sensor(SensorType::kJointPos, {.type = SensorObject::kJoint, .index = 2, .axis = 1});
     },
     {"(jointpos)", "axis 1"}},
    {"NegativeNoise", [](ModelBuilder& b) { b.add_sensor(SensorType::kClock, {}, {}, {.noise = -1}); }, {"noise"}},
    {"DelayWithoutSamples",
     [](ModelBuilder& b) { b.add_sensor(SensorType::kClock, {}, {}, {.delay = 1}); },
     {"keeps no samples"}},
    {"PositivePhase",
     [](ModelBuilder& b) {
       b.add_sensor(SensorType::kClock, {}, {}, {.samples = 1, .interval = {1, 1}});
     },
     {"phase"}},
    {"KeyTwice",
     [](ModelBuilder& b) { b.add_sensor(SensorType::kClock, {}, {}, {}, "taken"); },
     {"'taken' is already taken"},
     [](ModelBuilder& b) { b.add_sensor(SensorType::kClock, {}, {}, {}, "taken"); }},
};

class SensorMisuse : public testing::TestWithParam<Misuse> {};
TEST_P(SensorMisuse, IsRefused) { expect_error(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, SensorMisuse, testing::ValuesIn(kMisuses), case_name);

TEST(SensorWords, AreRead) {
  EXPECT_EQ(parse_contact_data("found force pos"), kContactFound | kContactForce | kContactPos);
  EXPECT_EQ(contact_data_name(kContactDist | kContactAngVel), "dist angvel");
  EXPECT_THROW(parse_contact_data("force found"), Error);
  EXPECT_THROW(parse_contact_data("found found"), Error);
  EXPECT_THROW(parse_contact_data("found forces"), Error);
  EXPECT_THROW(parse_contact_data(""), Error);
  for (int i = 0; i < kSensorTypes; ++i)
    EXPECT_EQ(parse_sensor_type(sensor_type_name(static_cast<SensorType>(i))), static_cast<SensorType>(i));
  EXPECT_THROW(parse_sensor_type("tactile"), Error);
  EXPECT_EQ(parse_contact_reduce("maxforce"), ContactReduce::kMaxForce);
  EXPECT_THROW(parse_contact_reduce("max"), Error);
}

}  // namespace
}  // namespace carom
