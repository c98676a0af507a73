// Sensors of what sleeps: they keep what they read last, whoever looks at them, and in every copy of the state. What
// MuJoCo's keep: python/tests/test_mujoco_sleep.py.
#include <gtest/gtest.h>

#include <cmath>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Real kG = Real(9.81), kHalf = Real(0.1), kMass = 8, kDt = Real(0.005);
constexpr Real kWeight = kMass * kG;

// A box that falls by a little and an arm that falls onto its limit, in a world of their own, and a post that they do
// not touch; with sensors of forces of every kind.
ModelBuilder bedroom() {
  ModelBuilder b;
  ShapeConfig cfg;
  cfg.density = kMass / (8 * kHalf * kHalf * kHalf);
  const int box = b.add_body({.xform = {{0, 0, kHalf + Real(0.03)}, {}}, .key = "box"});
  const int shape = b.add_shape_box(box, kHalf, kHalf, kHalf, {.cfg = cfg});
  const int lid = b.add_link({.xform = {{0, 0, 2 * kHalf}, {}}, .inertia = mat33_identity<Real>(), .mass = 1});
  b.add_joint_fixed(box, lid, {.parent_xform = {{0, 0, kHalf}, {}}});
  const int floor =
      b.add_link({.xform = {{0, 0, -1}, {}}, .inertia = mat33_identity<Real>(), .mass = 1, .key = "floor"});
  b.add_articulation({b.add_joint_fixed(-1, floor, {.parent_xform = {{0, 0, -1}, {}}})});
  b.add_shape_box(floor, 5, 5, 1);
  const int site = b.add_site(box, {}, ShapeType::kBox, {2 * kHalf, 2 * kHalf, 2 * kHalf});
  const int arm = b.add_link({.com = {Real(0.3), 0, 0}, .inertia = mat33_identity<Real>(), .mass = 1});
  const int hinge = b.add_joint_revolute(
      -1, arm, {.axis = {0, 1, 0}, .limit_lower = Real(-0.1), .limit_upper = Real(0.02), .damping = 2},
      {.parent_xform = {{3, 0, 3}, {}}});
  b.add_articulation({hinge});

  const SensedObject of_box{SensorObject::kBody, box}, of_floor{SensorObject::kBody, floor};
  constexpr int kData = kContactFound | kContactForce | kContactPos;
  b.add_sensor_contact({}, of_box, {.data = kData, .num = 4}, "full");
  b.add_sensor_contact(of_floor, of_box, {.data = kData, .reduce = ContactReduce::kNetForce}, "net");
  b.add_sensor_contact({SensorObject::kShape, shape}, {}, {.data = kContactForce, .delay = 3 * kDt, .samples = 5},
                       "late");
  b.add_sensor_contact({}, {}, {}, "any");
  b.add_sensor(SensorType::kTouch, {SensorObject::kSite, site}, {}, {}, "touch");
  b.add_sensor(SensorType::kTouch, {SensorObject::kSite, site}, {}, {.noise = Real(0.1)}, "noisy");
  b.add_sensor(SensorType::kForce, {SensorObject::kFrame, lid}, {}, {}, "force");
  b.add_sensor(SensorType::kJointLimitFrc, {.type = SensorObject::kJoint, .index = hinge}, {}, {}, "limit");
  return b;
}

Model bedrooms(int worlds) {
  ModelBuilder scene;
  scene.options = {.timestep = kDt, .sleep = true};
  for (int w = 0; w < worlds; ++w) scene.add_world(bedroom());
  return scene.finalize();
}
constexpr int kUntilAsleep = 800;
constexpr const char* kKept[] = {"full", "net", "late", "any", "touch", "force", "limit"};

std::vector<Real> read(const Sensors& sensors, const char* key) {
  const Array<Real> values = sensors.values(sensors.find(key)).on_cpu();
  return {values.begin(), values.end()};
}
std::vector<float> read_flat(const Sensors& sensors, const char* key) {
  const Array<float> values = sensors.flat_values(sensors.find(key)).on_cpu();
  return {values.begin(), values.end()};
}
bool sleeps(const Simulation& sim, int world = 0) {
  for (const std::int32_t value : sim.state().world(world).body_asleep)
    if (value >= 0) return true;
  return false;
}

// All that is kept, of the first world too: the same numbers, and the same sums.
void expect_same(const Sensors& got, const Sensors& wanted, const char* where) {
  for (const char* const key : kKept) EXPECT_EQ(read(got, key), read(wanted, key)) << key << " " << where;
  EXPECT_EQ(read_flat(got, "full"), read_flat(wanted, "full")) << where;
  for (const char* const key : {"full", "net"}) {
    const ContactReadings a = got.contact_readings(got.find(key)), b = wanted.contact_readings(wanted.find(key));
    for (std::int64_t i = 0; i < a.found.size(); ++i) {
      EXPECT_EQ(a.found[i], b.found[i]) << key << " " << where;
      EXPECT_EQ(a.force_on_second[i], b.force_on_second[i]) << key << " " << where;
      EXPECT_EQ(a.contact_time[i], b.contact_time[i]) << key << " " << where;
    }
  }
}

// Proves that what falls asleep amid a call reads what it weighs, and goes on with it; without criteria nothing does.
TEST(SleepingSensors, KeepWhatTheyRead) {
  Simulation sim(bedrooms(1));
  sim.step(kUntilAsleep);
  ASSERT_TRUE(sleeps(sim));
  const auto check = [&](const char* when) {
    const Sensors& sensors = sim.sensors();
    const ContactReadings net = sensors.contact_readings(sensors.find("net"));
    EXPECT_EQ(net.found[0], 4) << when;
    EXPECT_NEAR(net.force_on_second[0].z, kWeight + kG, 0.01 * kWeight) << when;
    EXPECT_EQ(net.force_on_first[0].z, -net.force_on_second[0].z) << when;
    const std::vector<Real> full = read(sensors, "full");
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(full[7 * i], 4) << when;
      EXPECT_NEAR(full[7 * i + 1], (kWeight + kG) / 4, 0.02 * kWeight) << when;
    }
    EXPECT_NEAR(read(sensors, "late")[0], (kWeight + kG) / 4, 0.02 * kWeight) << when;
    EXPECT_NEAR(read(sensors, "touch")[0], kWeight + kG, 0.01 * kWeight) << when;
    EXPECT_NEAR(read(sensors, "noisy")[0], kWeight + kG, 0.02 * kWeight) << when;
    EXPECT_NEAR(read(sensors, "force")[2], kG, 0.01 * kG) << when;
    EXPECT_GT(read(sensors, "limit")[0], 1) << when;
    EXPECT_EQ(read(sensors, "any")[0], 0) << when;
  };
  check("in the call in which it fell asleep");
  const std::vector<Real> once = read(sim.sensors(), "full");
  sim.step(1);
  check("a step later");
  sim.step(500);
  check("much later");
  EXPECT_EQ(read(sim.sensors(), "full"), once);
  const ContactReadings net = sim.sensors().contact_readings(sim.sensors().find("net"));
  EXPECT_NEAR(net.mean_force_on_second[0].z, net.force_on_second[0].z, 1e-3 * kWeight);
  EXPECT_GT(net.contact_time[0], 501 * kDt);
}

// Proves that steps in one call and one by one come to the same readings.
TEST(SleepingSensors, CallsOfManySteps) {
  Simulation many(bedrooms(1)), single(bedrooms(1));
  many.step(kUntilAsleep);
  for (int i = 0; i < kUntilAsleep; ++i) single.step();
  ASSERT_TRUE(sleeps(many));
  expect_same(many.sensors(), single.sensors(), "");
}

// Proves that a look at the instant as it is reads the same, and leaves what was read before as it is.
TEST(SleepingSensors, AsTheyAreNow) {
  Simulation sim(bedrooms(2));
  sim.sensors_now();  // an older look, at what falls
  sim.step(kUntilAsleep);
  ASSERT_TRUE(sleeps(sim));
  const std::vector<Real> before = read(sim.sensors(), "full");
  expect_same(sim.sensors_now(), sim.sensors(), "now");
  EXPECT_EQ(read(sim.sensors(), "full"), before);
}

// Proves that snapshots know it: those of the same simulation, and of one that has gone another way.
TEST(SleepingSensors, Snapshots) {
  const Model model = bedrooms(2);
  Simulation sim(model), other(model), awake(model);
  sim.step(kUntilAsleep);
  ASSERT_TRUE(sleeps(sim));
  const Simulation::Snapshot asleep = sim.snapshot();
  awake.step(5);
  const Simulation::Snapshot falling = awake.snapshot();
  other.step(20);
  other.restore(asleep);
  expect_same(other.sensors(), sim.sensors(), "restored elsewhere");
  expect_same(other.sensors_now(), sim.sensors(), "restored elsewhere, now");
  other.restore(falling);
  expect_same(other.sensors(), awake.sensors_now(), "restored to where it fell");
  EXPECT_EQ(read(other.sensors(), "touch")[0], 0);
  other.restore(asleep);
  other.step(3), sim.step(3);
  expect_same(other.sensors(), sim.sensors(), "restored and stepped");
}

// Proves that a reset world forgets it and the others do not, and that worlds are copied with it.
TEST(SleepingSensors, ResetsAndCopies) {
  const Model model = bedrooms(2);
  Simulation sim(model), other(model);
  sim.step(kUntilAsleep);
  const std::vector<Real> rest = read(sim.sensors(), "net");
  sim.reset(std::vector<std::uint8_t>{1, 0});
  const std::vector<Real> after = read(sim.sensors(), "net");
  const std::size_t size = rest.size() / 2;
  EXPECT_EQ(after[0], 0);  // it is in the air again
  EXPECT_EQ((std::vector<Real>{after.begin() + size, after.end()}),
            (std::vector<Real>{rest.begin() + size, rest.end()}));
  other.state().copy_worlds(sim.state(), std::vector<std::uint8_t>{0, 1});
  const std::vector<Real> copied = read(other.sensors_now(), "net");
  EXPECT_EQ(copied[0], 0);
  EXPECT_EQ((std::vector<Real>{copied.begin() + size, copied.end()}),
            (std::vector<Real>{rest.begin() + size, rest.end()}));
}

// Proves that what wakes is read anew, in the step that wakes it, and before in a look at what is to come.
TEST(SleepingSensors, Waking) {
  Simulation sim(bedrooms(1));
  sim.step(kUntilAsleep);
  ASSERT_TRUE(sleeps(sim));
  sim.state().joint_q[2] += 1;
  EXPECT_EQ(read(sim.sensors_now(), "full"), std::vector<Real>(28, 0));
  EXPECT_TRUE(sleeps(sim)) << "a look leaves the state as it is";
  EXPECT_EQ(read(sim.sensors(), "full")[0], 4);
  sim.step();
  EXPECT_EQ(read(sim.sensors(), "full"), std::vector<Real>(28, 0));
  EXPECT_EQ(read(sim.sensors(), "touch")[0], 0);
  const ContactReadings full = sim.sensors().contact_readings(sim.sensors().find("full"));
  EXPECT_EQ(full.found[0], 0);
  EXPECT_GT(full.air_time[0], 0);
}

// Proves that what is hit is read in the step in which it is hit.
TEST(SleepingSensors, Hits) {
  ModelBuilder b;
  b.options = {.timestep = kDt, .sleep = true};
  ShapeConfig cfg;
  cfg.condim = 1;
  b.add_ground_plane(0, {.cfg = cfg});
  b.begin_world();
  const int box = b.add_body({.xform = {{0, 0, kHalf}, {}}});
  b.add_shape_box(box, kHalf, kHalf, kHalf, {.cfg = cfg});
  const int puck = b.add_body({.xform = {{-1, 0, kHalf}, {}}, .sleep = SleepPolicy::kNever});
  b.add_shape_box(puck, kHalf, kHalf, kHalf, {.cfg = cfg});
  b.add_sensor_contact({SensorObject::kBody, puck}, {SensorObject::kBody, box}, {.data = kContactFound, .num = 4},
                       "hit");
  b.add_sensor_contact({}, {SensorObject::kBody, box}, {.reduce = ContactReduce::kNetForce}, "box");
  b.end_world();
  Simulation sim(b.finalize());
  sim.step(100);
  ASSERT_TRUE(sleeps(sim));
  sim.state().joint_qd[6] = 2;
  for (int i = 0; i < 200 && sleeps(sim); ++i) {
    EXPECT_EQ(read(sim.sensors(), "hit")[0], 0);
    sim.step();
  }
  ASSERT_FALSE(sleeps(sim)) << sim.state().joint_q[7] << " " << sim.state().joint_qd[6];
  EXPECT_EQ(read(sim.sensors(), "hit")[0], 4) << "in the step that wakes it";
  EXPECT_EQ(sim.sensors().contact_readings(sim.sensors().find("box")).found[0], 8);
}

// Proves that models in which nothing sleeps remember none of it.
TEST(SleepingSensors, MemoryIsOfModelsThatSleep) {
  ModelBuilder awake = bedroom();
  const Model model = awake.finalize(), sleeping = bedrooms(1);
  // Of four contact sensors a time; found, force and 28, 7, 3 and 1 numbers; of two touches, a force and a limit
  // theirs.
  EXPECT_EQ(sleeping.sensor_memory_count - model.sensor_memory_count, 4 * 4 + 28 + 7 + 3 + 1 + 2 + 3 + 1);
}

}  // namespace
}  // namespace carom
