// Sensors with a solver of a user that does as little as a solver may: it steps, and tells nothing but the forces of
// contacts. Against the same numbers from one that sends its launches and tells all.
#include <gtest/gtest.h>

#include <cstring>

#include "carom/carom.h"

namespace carom {
namespace {

// The steps of SolverMuJoCo, and nothing else of it.
class StepsAlone {
 public:
  static constexpr const char* kName = "steps_alone";
  using Config = SolverMuJoCoConfig;

  explicit StepsAlone(const Model& model) : solver_(model) {}
  void step(const State& in, const State& out, const Control& control, const Contacts* contacts, Real dt) {
    solver_.step(in, out, control, contacts, dt);
  }
  const Config& config() const { return solver_.config(); }
  const Model& model() const { return solver_.model(); }
  const Queue& queue() const { return solver_.queue(); }
  const Array<std::int32_t>& status() const { return solver_.status(); }
  const SolverReports& reports() const { return solver_.reports(); }

 private:
  SolverMuJoCo solver_;
};
static_assert(SolverLike<StepsAlone> && !SolverThatSends<StepsAlone>);

constexpr const char* kOfActuation[] = {"actuatorpos",   "actuatorfrc", "jointactuatorfrc",
                                        "jointlimitfrc", "tendonpos",   "tendonlimitpos"};

// A hull that falls onto its feet and an arm that a motor drives against its limit, in two worlds.
Model robots() {
  ModelBuilder scene;
  scene.add_ground_plane();
  for (int w = 0; w < 2; ++w) {
    scene.begin_world();
    const int hull = scene.add_body({.xform = {{0, 0, Real(0.12) + Real(0.02) * w}, {}}, .key = "hull"});
    scene.add_shape_box(hull, Real(0.2), Real(0.1), Real(0.1));
    const int arm = scene.add_link({.com = {Real(0.2), 0, 0}, .inertia = mat33_identity<Real>(), .mass = 1});
    const int hinge =
        scene.add_joint_revolute(-1, arm, {.axis = {0, 0, 1}, .limit_lower = Real(-0.5), .limit_upper = Real(0.01)},
                                 {.parent_xform = {{0, 2, 1}, {}}});
    scene.add_articulation({hinge});
    const int tendon = scene.add_tendon_fixed({{hinge, 2}}, {.limit_lower = -1, .limit_upper = 1});
    const int motor = scene.add_actuator(hinge);
    const SensedObject of_hull{SensorObject::kBody, hull}, frame{SensorObject::kFrame, hull, {{Real(0.1), 0, 0}, {}}};
    constexpr int kData = kContactFound | kContactForce | kContactPos | kContactLinVel;
    scene.add_sensor_contact({}, of_hull, {.data = kData, .reduce = ContactReduce::kMaxForce, .num = 3}, "feet");
    scene.add_sensor_contact(
        {}, of_hull, {.data = kContactForce, .reduce = ContactReduce::kNetForce, .delay = Real(0.007), .samples = 6},
        "late");
    scene.add_sensor(SensorType::kAccelerometer, frame, {}, {}, "imu");
    scene.add_sensor(SensorType::kGyro, frame, {}, {.noise = Real(0.1), .samples = 3, .interval = {Real(0.005), 0}},
                     "gyro");
    scene.add_sensor(SensorType::kClock, {}, {}, {}, "clock");
    const SensedObject joint{.type = SensorObject::kJoint, .index = hinge}, of_motor{SensorObject::kActuator, motor},
        of_tendon{SensorObject::kTendon, tendon};
    for (const char* const key : kOfActuation) {
      const std::string name = key;
      scene.add_sensor(parse_sensor_type(name),
                       name.starts_with("actuator") ? of_motor
                       : name.starts_with("joint")  ? joint
                                                    : of_tendon,
                       {}, {}, name);
    }
    scene.end_world();
  }
  return scene.finalize();
}

template <class T>
void expect_same_bits(const Array<T>& a, const Array<T>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())), 0) << what;
}

// Proves that contacts, IMUs, noise, history, layouts and what is told of a call are the same; that what only solvers
// know reads 0; and that so it is for a look at the instant as it is, and after a reset.
TEST(UserSolver, FeedsSensors) {
  const Model model = robots();
  Simulation sim(model, StepsAlone(model), Real(0.002)), reference(model, SolverMuJoCo(model), Real(0.002));
  ASSERT_FALSE(sim.solver().can_send());
  const auto is_told = [](const std::string& key) {
    return std::find(std::begin(kOfActuation), std::end(kOfActuation), key) == std::end(kOfActuation);
  };
  bool pushed = false, waited = false;
  const auto compare = [&](const Sensors& got, const Sensors& wanted) {
    for (int i = 0; i < static_cast<int>(got.channels().size()); ++i) {
      const SensorChannel& channel = got.channels()[static_cast<std::size_t>(i)];
      const Array<Real> numbers = got.values(i), theirs = wanted.values(i);
      if (!is_told(channel.key)) {
        for (const Real number : numbers) EXPECT_EQ(number, 0) << channel.key;
        continue;
      }
      expect_same_bits(numbers, theirs, channel.key);
      if (channel.type != SensorType::kContact) continue;
      const ContactReadings a = got.contact_readings(i), b = wanted.contact_readings(i);
      expect_same_bits(got.flat_values(i), wanted.flat_values(i), channel.key);
      expect_same_bits(a.impulse_on_second, b.impulse_on_second, channel.key);
      expect_same_bits(a.mean_force_on_second, b.mean_force_on_second, channel.key);
      expect_same_bits(a.most_found, b.most_found, channel.key);
      expect_same_bits(a.air_time, b.air_time, channel.key);
      expect_same_bits(a.duration, b.duration, channel.key);
      pushed = pushed || a.largest_force[0] > 0, waited = waited || a.air_time[1] > 0;
    }
  };
  for (Simulation* const one : {&sim, &reference}) one->control().ctrl[0] = one->control().ctrl[1] = 3;
  for (const int steps : {1, 7, 40, 100, 3}) {
    sim.step(steps), reference.step(steps);
    compare(sim.sensors(), reference.sensors());
  }
  compare(sim.sensors_now(), reference.sensors_now());
  EXPECT_TRUE(pushed && waited);
  EXPECT_GT(reference.sensors().values(reference.sensors().find("jointlimitfrc"))[0], 0)
      << "there is something to tell";
  for (Simulation* const one : {&sim, &reference}) one->reset(std::vector<std::uint8_t>{1, 0});
  compare(sim.sensors(), reference.sensors());
}

}  // namespace
}  // namespace carom
