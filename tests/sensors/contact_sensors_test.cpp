// Contact sensors: what they match, in which direction they tell it, in which order, and in both layouts; against
// weights, symmetries and the numbers that a box at rest has.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "carom/carom.h"
#include "tests/backend/on_device.h"

namespace carom {
namespace {

constexpr Real kG = Real(9.81), kHalf = Real(0.1), kMass = 2;

SensedObject shape(int index) { return {.type = SensorObject::kShape, .index = index}; }
SensedObject body(int index) { return {.type = SensorObject::kBody, .index = index}; }
SensedObject subtree(int index) { return {.type = SensorObject::kSubtree, .index = index}; }
SensedObject site(int index) { return {.type = SensorObject::kSite, .index = index}; }

int add_box(ModelBuilder& b, Vec3 at, const std::string& key) {
  const int box = b.add_body({.xform = {at, {}}, .key = key});
  ShapeConfig cfg;
  cfg.density = kMass / (8 * kHalf * kHalf * kHalf);
  b.add_shape_box(box, kHalf, kHalf, kHalf, {.cfg = cfg, .key = key + "_box"});
  return box;
}

// A box at rest on the ground, in a world of its own.
struct Resting {
  ModelBuilder b;
  int floor, box;

  Resting() : floor(b.add_ground_plane(0, {.key = "floor"})), box(add_box(b, {0, 0, kHalf}, "box")) {}
  int sense(const SensedObject& first, const SensedObject& second, const SensorConfig& cfg, const char* key) {
    return b.add_sensor_contact(first, second, cfg, key);
  }
};

template <class T>
std::vector<T> list(const Array<T>& array) {
  const Array<T> on_cpu = array.on_cpu();
  return {on_cpu.begin(), on_cpu.end()};
}
std::vector<float> flat(const Simulation& sim, const char* key) {
  return list(sim.sensors().flat_values(sim.sensors().find(key)));
}
std::vector<Real> values(const Simulation& sim, const char* key) {
  return list(sim.sensors().values(sim.sensors().find(key)));
}

// Proves that a net force is one entry with zeros where nothing touches, and that all others are zero then.
TEST(ContactSensors, NothingTouches) {
  ModelBuilder b;
  b.add_ground_plane();
  const int box = add_box(b, {0, 0, 1}, "box");
  b.add_sensor_contact(body(box), {}, {.data = kContactFound | kContactNormal, .reduce = ContactReduce::kNetForce},
                       "net");
  b.add_sensor_contact(body(box), {}, {.data = kContactFound | kContactDist, .num = 2}, "all");
  Simulation sim(b.finalize());
  sim.step();
  EXPECT_EQ(flat(sim, "net"), (std::vector<float>{1, 0, 0, 0}));
  EXPECT_EQ(values(sim, "net"), (std::vector<Real>{0, 0, 0, 0}));
  EXPECT_EQ(flat(sim, "all"), (std::vector<float>{0, 0, 0}));
}

// Proves the direction: normals point from the first object to the second, forces act on the second.
TEST(ContactSensors, Directions) {
  Resting s;
  constexpr int kData = kContactForce | kContactNormal;
  const SensorConfig net{.data = kContactForce, .reduce = ContactReduce::kNetForce};
  s.sense(body(s.box), {}, {.data = kData}, "of_box");
  s.sense({}, body(s.box), {.data = kData}, "to_box");
  s.sense(body(s.box), shape(s.floor), {.data = kData}, "box_floor");
  s.sense({}, {}, {.data = kData}, "any");
  s.sense(subtree(-1), subtree(s.box), {.data = kData}, "world_box");
  s.sense(shape(s.floor), shape(s.floor), {.data = kData}, "floor_floor");
  s.sense(body(s.box), body(-1), net, "on_floor");
  s.sense(body(-1), body(s.box), net, "on_box");
  Simulation sim(s.b.finalize(), "mujoco", Real(0.002));
  sim.step(1000);
  const Real corner = kMass * kG / 4;
  for (const char* key : {"of_box", "box_floor"}) {
    const std::vector<Real> v = values(sim, key);
    EXPECT_NEAR(v[0], corner, corner * 1e-2) << key;
    EXPECT_NEAR(v[5], -1, 1e-5) << key;
  }
  for (const char* key : {"to_box", "any", "world_box"}) {
    const std::vector<Real> v = values(sim, key);
    EXPECT_NEAR(v[0], corner, corner * 1e-2) << key;
    EXPECT_NEAR(v[5], 1, 1e-5) << key;
  }
  EXPECT_EQ(values(sim, "floor_floor"), std::vector<Real>(6, 0));
  const std::vector<Real> down = values(sim, "on_floor"), up = values(sim, "on_box");
  EXPECT_NEAR(up[2], kMass * kG, kMass * kG * 1e-3);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(down[k], -up[k]);  // action and reaction, to the last bit
  const ContactReadings readings = sim.sensors().contact_readings(sim.sensors().find("on_box"));
  EXPECT_EQ(readings.found[0], 4);
  EXPECT_EQ(readings.force_on_second[0].z, up[2]);
  EXPECT_EQ(readings.force_on_first[0].z, down[2]);
  // Of the side that is named, what the ground does to the box.
  const auto read = [&](const char* key) { return sim.sensors().contact_readings(sim.sensors().find(key)); };
  EXPECT_NEAR(read("of_box").force_on_first[0].z, kMass * kG, kMass * kG * 1e-3);
  EXPECT_NEAR(read("to_box").force_on_second[0].z, kMass * kG, kMass * kG * 1e-3);
}

// Proves that a volume takes the contacts inside alone, strictly.
TEST(ContactSensors, Volumes) {
  Resting s;
  const int half = s.b.add_site(-1, {{Real(0.5), 0, 0}, {}}, ShapeType::kBox, {Real(0.5), 1, 1}, "half");
  const int none = s.b.add_site(-1, {{0, 0, 1}, {}}, ShapeType::kSphere, {Real(0.1), 0, 0}, "none");
  s.sense(site(half), {}, {.data = kContactFound | kContactPos, .num = 4}, "half");
  s.sense(site(none), {}, {}, "none");
  s.sense(site(half), shape(s.floor), {}, "both");
  Simulation sim(s.b.finalize());
  sim.step(10);
  const std::vector<float> inside = flat(sim, "half");
  EXPECT_EQ(inside[0], 2);
  EXPECT_GT(inside[1], 0);
  EXPECT_GT(inside[4], 0);
  EXPECT_EQ(inside[7], 0);
  EXPECT_EQ(values(sim, "none")[0], 0);
  EXPECT_EQ(values(sim, "both")[0], 2);
}

// Proves velocities: of a box that slides without friction they are those of its corners.
TEST(ContactSensors, Velocities) {
  Resting s;
  s.b.default_shape_cfg.mu = 0;
  s.sense(shape(s.floor), body(s.box), {.data = kContactTangent | kContactLinVel | kContactAngVel}, "speed");
  const Model model = s.b.finalize();
  Simulation sim(model, "mujoco", Real(0.001));
  sim.step(200);
  const Array<Real> qd = sim.state().joint_qd;
  qd[0] = 2, qd[1] = 3, qd[5] = 4;
  const std::vector<Real> v = list(sim.sensors_now().values(0));
  const Vec3 t{v[0], v[1], v[2]}, speed = t * v[4] + cross(Vec3{0, 0, 1}, t) * v[5];
  // The first corner is one of four; its velocity is that of the centre and of the rotation about it.
  const Real x = (speed.y - 3) / 4, y = (2 - speed.x) / 4;
  EXPECT_NEAR(std::abs(x), kHalf, 1e-4);
  EXPECT_NEAR(std::abs(y), kHalf, 1e-4);
  EXPECT_NEAR(v[6], 4, 1e-5);
}

// Proves that a box that falls flies for as long as it takes, and that what touches between two looks is seen.
TEST(ContactSensors, TimesAndCalls) {
  ModelBuilder b;
  b.add_ground_plane();
  const Real height = Real(0.05), dt = Real(0.001);
  const int box = add_box(b, {0, 0, kHalf + height}, "box");
  b.add_sensor_contact({}, body(box), {}, "touch");
  Simulation sim(b.finalize(), "mujoco", dt);
  const ContactReadings r = sim.sensors().contact_readings(0);
  const Real flight = std::sqrt(2 * height / kG);
  const int steps = static_cast<int>(flight / dt) - 5;
  sim.step(steps);
  EXPECT_EQ(r.force_on_second[0].z, 0);  // it may be near already
  EXPECT_NEAR(r.air_time[0], steps * dt, 1e-5);
  EXPECT_EQ(r.contact_time[0], 0);
  sim.step(1000);
  EXPECT_EQ(r.air_time[0], 0);
  EXPECT_GT(r.contact_time[0], 0);
  EXPECT_EQ(r.most_found[0], 4);
  EXPECT_NEAR(r.duration[0], 1, 1e-3);
  // What the ground did in this call took the momentum of the fall and carried the weight.
  const Real momentum = kMass * kG * (steps * dt) + kMass * kG * r.duration[0];
  EXPECT_NEAR(r.impulse_on_second[0].z, momentum, 1e-2 * momentum);
  EXPECT_EQ(r.mean_force_on_second[0].z, r.impulse_on_second[0].z / r.duration[0]);
  const ContactReadings now = sim.sensors_now().contact_readings(0);  // no time passes there
  EXPECT_EQ(now.mean_force_on_second[0].z, now.force_on_second[0].z);
  EXPECT_NEAR(now.mean_force_on_second[0].z, kMass * kG, 1e-2 * kMass * kG);
  EXPECT_GT(r.largest_force[0], 1.5 * kMass * kG);
  EXPECT_NEAR(r.force_on_second[0].z, kMass * kG, 1e-2 * kMass * kG);
  const Real kept = r.contact_time[0];
  const Simulation::Snapshot snapshot = sim.snapshot();
  sim.step(10);
  EXPECT_NEAR(r.contact_time[0], kept + 10 * dt, 1e-5);
  sim.restore(snapshot);
  sim.step(10);
  EXPECT_NEAR(r.contact_time[0], kept + 10 * dt, 1e-5);
  sim.reset();
  sim.sensors();
  EXPECT_EQ(r.contact_time[0], 0);
  EXPECT_EQ(r.found[0], 0);
}

// Proves that worlds may be different: one has no such sensor, one has two boxes, one floats; and that members of a
// channel stand beside each other.
TEST(ContactSensors, WorldsOfSeveralKinds) {
  ModelBuilder scene;
  const int floor = scene.add_ground_plane();
  const Real heights[] = {kHalf, 5, kHalf};
  for (int w = 0; w < 3; ++w) {
    scene.begin_world();
    const int left = add_box(scene, {0, 0, heights[w]}, "left");
    const int right = w == 2 ? add_box(scene, {1, 0, kHalf}, "right") : -1;
    scene.add_sensor_contact(shape(floor), body(left), {}, "feet[left]");
    if (w == 2) scene.add_sensor_contact(shape(floor), body(right), {}, "feet[right]");
    if (w != 1) scene.add_sensor_contact({}, {}, {}, "all");
    scene.end_world();
  }
  Simulation sim(scene.finalize());
  sim.step(20);
  const SensorChannel& feet = sim.sensors().channels()[0];
  EXPECT_EQ(feet.key, "feet");
  EXPECT_EQ(feet.members, (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(values(sim, "feet"), (std::vector<Real>{4, 0, 0, 0, 4, 4}));
  EXPECT_EQ(flat(sim, "feet"), (std::vector<float>{1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(values(sim, "all"), (std::vector<Real>{4, 0, 8}));
}

// Proves that worlds that were reset show what they read now, and that the others keep what they read.
TEST(ContactSensors, AfterReset) {
  ModelBuilder robot, scene;
  const int box = add_box(robot, {0, 0, kHalf}, "box");
  robot.add_sensor_contact({}, body(box), {.data = kContactFound | kContactForce, .reduce = ContactReduce::kNetForce},
                           "net");
  scene.add_ground_plane();
  scene.replicate(robot, 2);
  const Model model = scene.finalize();
  Simulation sim(model, "mujoco", Real(0.002));
  EXPECT_EQ(values(sim, "net")[0], 4);  // before the first step
  sim.step(1000);
  const std::vector<Real> rest = values(sim, "net");
  EXPECT_NEAR(rest[3], kMass * kG, 1e-2 * kMass * kG);
  sim.state().joint_q[2] = 5;  // world 0 is lifted: what it read last stays until it steps, or is asked for now
  EXPECT_EQ(values(sim, "net"), rest);
  EXPECT_EQ(list(sim.sensors_now().values(0))[0], 0);
  EXPECT_EQ(values(sim, "net"), rest);
  const std::vector<std::uint8_t> first{1, 0};
  sim.reset(first);
  const std::vector<Real> after = values(sim, "net");
  EXPECT_EQ(after[0], 4);
  for (int k = 4; k < 8; ++k) EXPECT_EQ(after[k], rest[k]);
}

// Proves what is refused, and that a name that is nearly right is found.
TEST(ContactSensors, BadInput) {
  Resting s;
  s.sense({}, {}, {}, "left_foot");
  s.b.add_sensor(SensorType::kClock, {}, {}, {}, "clock");
  const Simulation sim(s.b.finalize());
  const auto message = [&](auto act) -> std::string {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { sim.sensors().find("left_feet"); }).find("near are 'left_foot', 'clock'"), std::string::npos);
  EXPECT_NE(message([&] { sim.sensors().contact_readings(1); }).find("'clock' is a clock sensor"), std::string::npos);
  EXPECT_NE(message([&] { sim.sensors().values(7); }).find("channel 7"), std::string::npos);
  ModelBuilder global;
  global.add_sensor(SensorType::kClock, {}, {}, {}, "clock");
  global.begin_world();
  global.end_world();
  EXPECT_NE(message([&] { Simulation(global.finalize()); }).find("'clock' is global"), std::string::npos);
  ModelBuilder worlds;
  for (const SensorType type : {SensorType::kClock, SensorType::kKineticEnergy}) {
    worlds.begin_world();
    worlds.add_sensor(type, {});
    worlds.add_sensor(type, {}, {}, {}, "same");
    worlds.end_world();
  }
  EXPECT_NE(message([&] { Simulation(worlds.finalize()); }).find("'same' is of type e_kinetic"), std::string::npos);
  for (const SensorConfig& other : {SensorConfig{.data = kContactForce}, SensorConfig{.num = 2},
                                    SensorConfig{.reduce = ContactReduce::kMaxForce}}) {
    ModelBuilder differ;
    for (const SensorConfig& cfg : {SensorConfig{}, other}) {
      differ.begin_world();
      differ.add_sensor_contact({}, {}, cfg, "feet");
      differ.end_world();
    }
    EXPECT_NE(message([&] { Simulation(differ.finalize()); }).find("'feet' is of type contact"), std::string::npos);
  }
  ModelBuilder both;
  both.add_sensor_contact({}, {}, {}, "feet");
  both.add_sensor_contact({}, {}, {}, "feet[left]");
  EXPECT_NE(message([&] { Simulation(both.finalize()); }).find("'feet' is the key of a sensor and of members"),
            std::string::npos);
  ModelBuilder large;
  EXPECT_NE(message([&] { large.add_sensor_contact({}, {}, {.num = 1'000'001}); }).find("num must be 1 to 1000000"),
            std::string::npos);
  const Model other = Resting().b.finalize();
  SensedStep step{other.state(), other.state().joint_qdd, sim.contacts(), other.control(), {}, 1};
  EXPECT_THROW(sim.sensors().update(step), Error);
}

// Worlds of two kinds, with boxes and balls that fall on each other, a volume among them, and sensors of all kinds.
Model piles(Device device) {
  ModelBuilder scene;
  const int floor = scene.add_ground_plane();
  for (int w = 0; w < 6; ++w) {
    scene.begin_world();
    const int box = add_box(scene, {0, 0, kHalf}, "box"),
              other = add_box(scene, {Real(0.03) * w, 0, Real(0.32)}, "other");
    const int ball = scene.add_body({.xform = {{Real(0.1), 0, Real(0.6)}, {}}, .key = "ball"});
    ShapeConfig cfg;
    cfg.condim = 6;
    scene.add_shape_sphere(ball, kHalf, {.cfg = cfg, .key = "ball"});
    const int volume = scene.add_site(box, {}, ShapeType::kCylinder, {Real(0.15), Real(0.12), 0}, "volume");
    constexpr int kAll = (1 << kContactDataBits) - 1, kNet = kAll & ~(kContactLinVel | kContactAngVel);
    scene.add_sensor_contact({}, {}, {.data = kAll, .num = 12}, "all");
    scene.add_sensor_contact(body(box), body(other), {.data = kAll, .reduce = ContactReduce::kMinDist, .num = 3},
                             "near");
    scene.add_sensor_contact(subtree(ball), {}, {.data = kAll, .reduce = ContactReduce::kMaxForce}, "ball");
    scene.add_sensor_contact(site(volume), {}, {.data = kNet, .reduce = ContactReduce::kNetForce}, "inside");
    if (w % 2)
      scene.add_sensor_contact(shape(floor), body(box), {.data = kNet, .reduce = ContactReduce::kNetForce}, "box");
    scene.end_world();
  }
  return scene.finalize(device);
}

template <class T>
void expect_same_bits(const Array<T>& a, const Array<T>& b, const char* what) {
  const Array<T> here = a.on_cpu(), there = b.on_cpu();
  ASSERT_EQ(here.size(), there.size()) << what;
  EXPECT_EQ(std::memcmp(here.data(), there.data(), static_cast<std::size_t>(here.bytes())), 0) << what;
}

class ContactSensorsTest : public testing::OnDevice {};

// Proves that values, layouts and readings have the bits of one CPU thread, for other numbers of threads and on CUDA,
// after several calls, and that there was something to compare.
TEST_P(ContactSensorsTest, SameBits) {
  const Model reference_model = piles({}), model = piles(device());
  const Queue one({}, {.threads = 1});
  const Queue queue = device().is_cpu() ? Queue({}, {.threads = 3}) : default_queue(device());
  Simulation reference(reference_model, kDefaultSolver, Real(0.002), &one),
      sim(model, kDefaultSolver, Real(0.002), &queue);
  for (int call = 0; call < 4; ++call) {
    reference.step(70), sim.step(70);
    for (int i = 0; i < static_cast<int>(sim.sensors().channels().size()); ++i) {
      const char* const key = sim.sensors().channels()[static_cast<std::size_t>(i)].key.c_str();
      expect_same_bits(sim.sensors().values(i), reference.sensors().values(i), key);
      expect_same_bits(sim.sensors().flat_values(i), reference.sensors().flat_values(i), key);
      const ContactReadings a = sim.sensors().contact_readings(i), b = reference.sensors().contact_readings(i);
      expect_same_bits(a.force_on_second, b.force_on_second, key);
      expect_same_bits(a.impulse_on_second, b.impulse_on_second, key);
      expect_same_bits(a.contact_time, b.contact_time, key);
      expect_same_bits(a.most_found, b.most_found, key);
    }
    const std::vector<std::uint8_t> some{0, 1, 0, 0, 1, 0};
    if (call == 1) reference.reset(some), sim.reset(some);
  }
  EXPECT_GT(values(sim, "all")[0], 4);
  EXPECT_GT(values(sim, "near")[0], 0);
  EXPECT_GT(values(sim, "inside")[0], 0);
  EXPECT_GT(values(sim, "ball")[0], 0);
}

INSTANTIATE_TEST_SUITE_P(, ContactSensorsTest, ::testing::Values("cpu", "cuda"));

// Proves that a call of many steps ends as single steps do, whatever touched in between, and tells of all of them; and
// that readings of an older step are those of the steps of a call.
TEST(ContactSensors, CallsOfManySteps) {
  ModelBuilder scene;
  const int floor = scene.add_ground_plane();
  for (int w = 0; w < 3; ++w) {
    scene.begin_world();
    const int box = add_box(scene, {0, 0, kHalf + Real(0.01) * w}, "box");
    constexpr int kSome = kContactFound | kContactForce | kContactPos;
    scene.add_sensor_contact(shape(floor), body(box), {.data = kSome, .num = 3}, "box");
    scene.add_sensor_contact(body(box), {}, {.data = kSome, .reduce = ContactReduce::kNetForce}, "net");
    SensorConfig late{.data = kSome, .num = 2};
    late.samples = 6, late.delay = Real(0.01);
    scene.add_sensor_contact(shape(floor), body(box), late, "late");
    scene.end_world();
  }
  const Model model = scene.finalize();
  Simulation many(model, kDefaultSolver, Real(0.002)), single(model, kDefaultSolver, Real(0.002));
  bool was_up = false, was_down = false;
  for (const int steps : {1, 5, 40, 3, 130, 2, 30}) {
    const std::vector<Real> up(6 * 3, Real(0.4));  // they jump, turn and fall again
    for (Simulation* const sim : {&many, &single}) sim->state().joint_qd.assign(Array<Real>(std::span(up)));
    many.step(steps);
    std::vector<int> most(9, 0);
    std::vector<Vec3> impulse(9);
    for (int i = 0; i < steps; ++i) {
      single.step();
      for (int k = 0; k < 9; ++k) {
        const ContactReadings r = single.sensors().contact_readings(k / 3);
        most[k] = std::max(most[k], r.found[k % 3]);
        impulse[k] += r.impulse_on_second[k % 3];
      }
    }
    for (int i = 0; i < 3; ++i) {
      const char* const key = many.sensors().channels()[static_cast<std::size_t>(i)].key.c_str();
      expect_same_bits(many.sensors().values(i), single.sensors().values(i), key);
      expect_same_bits(many.sensors().flat_values(i), single.sensors().flat_values(i), key);
      const ContactReadings a = many.sensors().contact_readings(i), b = single.sensors().contact_readings(i);
      expect_same_bits(a.found, b.found, key);
      expect_same_bits(a.force_on_second, b.force_on_second, key);
      expect_same_bits(a.force_on_first, b.force_on_first, key);
      expect_same_bits(a.air_time, b.air_time, key);
      expect_same_bits(a.contact_time, b.contact_time, key);
      for (int w = 0; w < 3; ++w) {
        EXPECT_EQ(a.most_found[w], most[3 * i + w]);
        EXPECT_EQ(a.impulse_on_second[w].z, impulse[3 * i + w].z);
        EXPECT_EQ(a.mean_force_on_second[w].z, impulse[3 * i + w].z / a.duration[w]);
        EXPECT_NEAR(a.duration[w], Real(0.002) * steps, 1e-6);
        was_up = was_up || a.air_time[w] > 0, was_down = was_down || a.contact_time[w] > 0;
      }
    }
  }
  EXPECT_TRUE(was_up && was_down);
}

// Proves that more than 64 sensors in a world are told apart.
TEST(ContactSensors, ManyInAWorld) {
  Resting s;
  const int other = add_box(s.b, {1, 0, 1}, "other");
  for (int i = 0; i < 150; ++i) s.sense({}, body(i % 3 == 0 ? s.box : other), {}, ("s" + std::to_string(i)).c_str());
  Simulation sim(s.b.finalize());
  sim.step();
  for (int i = 0; i < 150; ++i) EXPECT_EQ(values(sim, ("s" + std::to_string(i)).c_str())[0], i % 3 == 0 ? 4 : 0) << i;
}

}  // namespace
}  // namespace carom
