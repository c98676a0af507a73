// Noise, cutoff, delay and interval of sensors, by readings that the test makes up: what MuJoCo 4.0 tells of them, and
// noise that is normal, and a matter of seed, world, sensor, number and reading alone.
#include "sensors/finish_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/backend/on_device.h"
#include "tests/sensors/sensor_rig.h"

namespace carom {
namespace {

constexpr Real kNear = sizeof(Real) == 4 ? Real(2e-4) : Real(1e-10);

class FinishValuesTest : public testing::OnDevice {};

ModelBuilder slider() {
  ModelBuilder builder{Axis::kZ, Vec3{}};
  builder.add_joint_prismatic(-1, builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1}));
  return builder;
}

// All sensors measure these numbers, in turn; returns what they tell.
std::vector<Real> told(SensorRig& rig, const ValueFinisher& finisher, const std::vector<Real>& measured) {
  std::vector<Real> all(rig.start.back());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = measured[i % measured.size()];
  rig.values.assign(Array<Real>(std::span<const Real>(all)));
  const Queue& queue = rig.solver.queue();
  finisher.send(queue, rig.look(), rig.values.data(), rig.value_at.data());
  queue.finish();
  const Array<Real> now = rig.values.on_cpu();
  return {now.begin(), now.end()};
}

// What a sensor tells of 100, 101, 102, ...
std::vector<Real> tells(const SensorConfig& cfg, Device device, int steps, Real dt = 1) {
  ModelBuilder builder = slider();
  builder.add_sensor(SensorType::kJointPos, sensed_joint(0), {}, cfg);
  SensorRig rig(builder.finalize(device), dt);
  const ValueFinisher finisher(rig.model, 0);
  std::vector<Real> sequence;
  for (int i = 0; i < steps; ++i) sequence.push_back(told(rig, finisher, {Real(100) + dt * Real(i)})[0]);
  return sequence;
}

void expect_near(const std::vector<Real>& told, const std::vector<double>& expected) {
  ASSERT_EQ(told.size(), expected.size());
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_NEAR(told[i], expected[i], kNear * 100) << "reading " << i;
}

// Proves that a reading is told so much later, and before anything was read 0; between two readings the one before, a
// line or a cubic between them. The numbers are MuJoCo's.
TEST_P(FinishValuesTest, DelayTellsOlderReadings) {
  const auto delayed = [&](Real delay, Interpolation interpolation) {
    return tells({.delay = delay, .samples = 3, .interpolation = interpolation}, device(), 6);
  };
  using enum Interpolation;
  expect_near(delayed(2, kHold), {0, 0, 100, 101, 102, 103});
  expect_near(delayed(Real(1.5), kHold), {0, 0, 100, 101, 102, 103});
  expect_near(delayed(Real(1.5), kLinear), {0, 50, 100.5, 101.5, 102.5, 103.5});
  expect_near(delayed(Real(1.5), kCubic), {0, 56.25, 106.8125, 101.625, 102.625, 103.625});
  expect_near(delayed(Real(0.5), kLinear), {0, 100, 101, 102, 103, 104});  // at least a step
  expect_near(delayed(9, kLinear), {0, 0, 0, 100, 101, 102});              // at most what is kept
}

// Proves that a sensor with an interval tells its last reading until the next one is due.
TEST_P(FinishValuesTest, IntervalHoldsReadings) {
  const auto at_intervals = [&](Real period, Real phase) {
    return tells({.samples = 3, .interval = {period, phase}}, device(), 9);
  };
  expect_near(at_intervals(Real(2.5), 0), {100, 100, 100, 103, 103, 105, 105, 105, 108});
  expect_near(at_intervals(Real(2.5), Real(-1.5)), {0, 101, 101, 101, 104, 104, 106, 106, 106});
  expect_near(at_intervals(Real(0.5), 0), {100, 101, 102, 103, 104, 105, 106, 107, 108});
}

TEST_P(FinishValuesTest, IntervalAndDelay) {
  const auto both = [&](Real phase, Real delay, Interpolation interpolation, int samples) {
    return tells({.delay = delay, .samples = samples, .interpolation = interpolation, .interval = {Real(2.5), phase}},
                 device(), 9);
  };
  using enum Interpolation;
  expect_near(both(0, 1, kHold, 3), {0, 100, 100, 100, 103, 103, 105, 105, 105});
  expect_near(both(0, 3, kHold, 3), {0, 0, 0, 100, 100, 100, 103, 103, 105});
  expect_near(both(0, Real(3.7), kLinear, 3), {0, 0, 15, 65, 100.3, 101.3, 102.3, 103.3, 104.3});
  expect_near(both(-1, Real(3.7), kLinear, 3), {0, 0, 0, 10.2, 44.2, 78.2, 102.3, 103.3, 104.3});
  expect_near(both(-1, Real(4.2), kCubic, 4),
              {0, 0, 0, -3.3048, 26.66808888888889, 62.9856, 97.33048888888889, 108.6944, 104.1564});
}

// Proves that an interval of three steps is three steps, however many there were: rounding does not add up.
TEST_P(FinishValuesTest, IntervalsOfWholeStepsStayInStep) {
  const std::vector<Real> sequence = tells({.samples = 1, .interval = {Real(0.06), 0}}, device(), 1200, Real(0.02));
  for (std::size_t i = 0; i < sequence.size(); ++i)
    ASSERT_EQ(sequence[i], Real(100) + Real(0.02) * Real(i / 3 * 3)) << "reading " << i;
}

// Proves what cutoff does to each kind of number.
TEST_P(FinishValuesTest, CutoffClamps) {
  ModelBuilder builder = slider();
  const SensorConfig cfg{.cutoff = Real(0.25)};
  const int site = builder.add_site(0), shape = builder.add_shape_sphere(0);
  builder.add_sensor(SensorType::kJointPos, sensed_joint(0), {}, cfg, "real");
  builder.add_sensor(SensorType::kTouch, {.type = SensorObject::kSite, .index = site}, {}, cfg, "positive");
  builder.add_sensor(SensorType::kFrameQuat, sensed_frame(0), {}, cfg, "quaternion");
  builder.add_sensor(SensorType::kFrameYAxis, sensed_frame(0), {}, cfg, "axis");
  builder.add_sensor_contact(sensed_shape(shape), {}, {.data = kContactForce, .cutoff = Real(0.25)}, "contact");
  builder.add_sensor(SensorType::kFromTo, sensed_shape(shape), sensed_shape(shape), cfg, "fromto");
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(0), {}, cfg, "range");
  builder.add_sensor(SensorType::kJointVel, sensed_joint(0), {}, {}, "none");
  SensorRig rig(builder.finalize(device()));
  const ValueFinisher finisher(rig.model, 0);
  for (const Real measured : {Real(-1), Real(0.125), Real(1)}) {
    told(rig, finisher, {measured});
    EXPECT_EQ(rig.first("real"), std::clamp(measured, Real(-0.25), Real(0.25)));
    EXPECT_EQ(rig.first("range"), std::clamp(measured, Real(-0.25), Real(0.25)));
    EXPECT_EQ(rig.first("positive"), std::min(measured, Real(0.25)));
    for (const char* key : {"quaternion", "axis", "contact", "fromto", "none"})
      for (const Real number : rig.of(key)) EXPECT_EQ(number, measured) << key;
  }
}

Model noisy_worlds(int worlds, Device device) {
  ModelBuilder one = slider(), builder{Axis::kZ, Vec3{}};
  one.add_sensor(SensorType::kJointPos, sensed_joint(0), {}, {.noise = 3}, "a");
  one.add_sensor(SensorType::kFramePos, sensed_frame(0), {}, {.noise = Real(0.5)}, "b");
  for (int w = 0; w < worlds; ++w) builder.add_world(one);
  return builder.finalize(device);
}

// Proves mean, deviation and shape of the noise, and that what differs in any of its counters is independent.
TEST_P(FinishValuesTest, NoiseIsNormal) {
  constexpr int kWorlds = 100, kReadings = 400, kSensors = 4;  // numbers of a world
  SensorRig rig(noisy_worlds(kWorlds, device()));
  const ValueFinisher finisher(rig.model, 7);
  const double deviation[kSensors] = {3, 0.5, 0.5, 0.5};
  double sum[3] = {}, beside[3] = {};  // of powers; of products with the next number, world and reading
  std::vector<Real> before;
  for (int i = 0; i < kReadings; ++i) {
    const std::vector<Real> now = told(rig, finisher, {20});
    const auto of = [&](const std::vector<Real>& all, std::size_t k) {
      return (all[k] - 20) / deviation[k % kSensors];
    };
    for (std::size_t k = 0; k < now.size(); ++k) {
      const double x = of(now, k);
      sum[0] += x, sum[1] += x * x, sum[2] += x * x * x * x;
      beside[0] += x * of(now, (k + 1) % now.size());
      beside[1] += x * of(now, (k + kSensors) % now.size());
      if (i > 0) beside[2] += x * of(before, k);
    }
    before = now;
  }
  const double n = double(kWorlds) * kReadings * kSensors, five_sigma = 5 / std::sqrt(n);
  EXPECT_NEAR(sum[0] / n, 0, five_sigma);
  EXPECT_NEAR(sum[1] / n, 1, five_sigma * std::sqrt(2.0));
  EXPECT_NEAR(sum[2] / n, 3, five_sigma * std::sqrt(96.0));
  for (const double product : beside) EXPECT_NEAR(product / n, 0, five_sigma);
}

// Proves that noise is the same for the same seed, after a reset, and with any number of worlds beside; and another one
// for another seed.
TEST_P(FinishValuesTest, NoiseCanBeRepeated) {
  const auto run = [&](int worlds, std::uint64_t seed, bool reset) {
    SensorRig rig(noisy_worlds(worlds, device()));
    const ValueFinisher finisher(rig.model, seed);
    std::vector<Real> all;
    for (int i = 0; i < 20; ++i) {
      if (reset && i == 10) rig.state.assign(rig.model.state());
      const std::vector<Real> now = told(rig, finisher, {1});
      all.insert(all.end(), now.begin(), now.begin() + 2 * 4);  // of two worlds
    }
    return all;
  };
  const std::vector<Real> first = run(2, 1, false), again = run(2, 1, true);
  EXPECT_EQ(first, run(5, 1, false));
  EXPECT_NE(first, run(2, 2, false));
  const std::size_t half = first.size() / 2;
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + half, again.begin()));
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + half, again.begin() + half));
  EXPECT_FALSE(std::equal(first.begin(), first.begin() + half, first.begin() + half));
}

// Proves that directions stay unit vectors, that counts stay counts, and that nothing stays nothing.
TEST_P(FinishValuesTest, NoiseKeepsWhatNumbersMean) {
  ModelBuilder builder = slider();
  const SensorConfig cfg{.noise = Real(0.25)};
  const int shape = builder.add_shape_sphere(0);
  builder.add_sensor(SensorType::kFrameQuat, sensed_frame(0), {}, cfg, "quaternion");
  builder.add_sensor(SensorType::kNormal, sensed_shape(shape), sensed_shape(shape), cfg, "normal");
  builder.add_sensor_contact(sensed_shape(shape), {}, {.data = kContactFound | kContactForce, .noise = 1}, "contact");
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(0), {},
                     {.data = kRayDist | kRayNormal | kRayDepth, .noise = 1}, "range");
  SensorRig rig(builder.finalize(device()));
  const ValueFinisher finisher(rig.model, 0);
  for (int i = 0; i < 5; ++i) {
    told(rig, finisher, {1});
    Real square = 0;
    for (const Real x : rig.of("quaternion")) square += x * x;
    EXPECT_NEAR(square, 1, kNear);
    EXPECT_NE(rig.of("quaternion")[0], rig.of("quaternion")[1]);
    for (const Real x : rig.of("contact")) EXPECT_EQ(x, 1);
    const std::vector<Real> range = rig.of("range");
    EXPECT_NE(range[0], 1);
    EXPECT_NE(range[4], 1);
    for (int k = 1; k < 4; ++k) EXPECT_EQ(range[k], 1);
  }
  told(rig, finisher, {0});
  for (const Real x : rig.of("normal")) EXPECT_EQ(x, 0);
  told(rig, finisher, {-1});
  for (const Real x : rig.of("range")) EXPECT_EQ(x, -1);
}

INSTANTIATE_TEST_SUITE_P(, FinishValuesTest, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace carom
