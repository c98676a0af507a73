// The four examples of the contact sensor's document, on a box that falls onto a bar: their shapes, and every number of
// them before, at and after the impact.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr float kHalf = 0.1F, kDrop = 0.05F, kBarTop = 0.02F, kWeight = 2 * 9.81F, kSlip = 1e-4F;

constexpr const char* kScene = R"(<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <geom name="bar" type="box" size="1 1 .01" pos="0 0 .01"/>
    <body name="box" pos="0 0 .17"><freejoint/><geom name="freebox" type="box" size=".1 .1 .1" mass="2"/></body>
  </worldbody>
  <sensor>
    <contact name="full_contact" geom1="bar" geom2="freebox" data="found force pos normal tangent" num="4"/>
    <contact name="force_contact" geom1="bar" geom2="freebox" data="found force pos" num="5" reduce="maxforce"/>
    <contact name="touch_only" geom1="bar" geom2="freebox" data="found" num="1"/>
    <contact name="net_force" geom1="bar" geom2="freebox" data="found force pos normal tangent" num="10"
             reduce="netforce"/>
  </sensor>
</mujoco>)";

struct Falling : ::testing::Test {
  Simulation sim{load_mjcf(MjcfSource{.text = kScene})};

  std::vector<float> read(const char* key) const {
    const Array<float> values = sim.sensors().flat_values(sim.sensors().find(key)).on_cpu();
    return {values.begin(), values.end()};
  }
  // Until something pushes.
  void step_to_the_impact() {
    for (int i = 0; i < 200 && read("net_force")[3] == 0; ++i) sim.step();
  }
};

Vec3 at(const std::vector<float>& values, int first) { return {values[first], values[first + 1], values[first + 2]}; }

// An entry of "force pos normal tangent", of a corner of the box.
void expect_corner(const std::vector<float>& values, int first, float height) {
  const Vec3 pos = at(values, first + 3), normal = at(values, first + 6), tangent = at(values, first + 9);
  EXPECT_NEAR(std::abs(pos.x), kHalf, kSlip);
  EXPECT_NEAR(std::abs(pos.y), kHalf, kSlip);
  EXPECT_NEAR(pos.z, height, 2e-3);
  EXPECT_NEAR(length(normal - Vec3{0, 0, 1}), 0, 1e-5);  // from the bar to the box
  EXPECT_NEAR(length(tangent), 1, 1e-5);
  EXPECT_NEAR(dot(normal, tangent), 0, 1e-5);
}

std::set<std::pair<bool, bool>> quadrants(const std::vector<float>& values, int first, int stride, int count) {
  std::set<std::pair<bool, bool>> seen;
  for (int i = 0; i < count; ++i) seen.insert({values[first + i * stride] > 0, values[first + i * stride + 1] > 0});
  return seen;
}

// Proves that all arrays have their size from the beginning, and that nothing but the one entry of the net force is
// valid while nothing touches.
TEST_F(Falling, BeforeTheImpact) {
  for (const int steps : {0, 40}) {
    if (steps > 0) sim.step(steps);
    EXPECT_EQ(read("full_contact"), std::vector<float>(49, 0));
    EXPECT_EQ(read("force_contact"), std::vector<float>(31, 0));
    EXPECT_EQ(read("touch_only"), std::vector<float>(1, 0));
    std::vector<float> net(13, 0);
    net[0] = 1;
    EXPECT_EQ(read("net_force"), net);
  }
}

// Proves that all four tell of the same impact, which pushes by far more than the weight.
TEST_F(Falling, AtTheImpact) {
  step_to_the_impact();
  const float flight = std::sqrt(2 * kDrop / 9.81F);
  EXPECT_NEAR(float(sim.steps()) * 0.001F, flight, 0.003F);
  const std::vector<float> full = read("full_contact"), force = read("force_contact"), net = read("net_force");
  ASSERT_EQ(full.size(), 49U);
  ASSERT_EQ(force.size(), 31U);
  ASSERT_EQ(net.size(), 13U);
  EXPECT_EQ(full[0], 4);
  EXPECT_EQ(force[0], 4);
  EXPECT_EQ(read("touch_only"), (std::vector<float>{1}));
  EXPECT_EQ(net[0], 1);
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    expect_corner(full, 1 + 12 * i, kBarTop);
    sum += full[1 + 12 * i];
  }
  EXPECT_EQ(quadrants(full, 4, 12, 4).size(), 4U);
  EXPECT_EQ(quadrants(force, 4, 6, 4).size(), 4U);
  EXPECT_GT(sum, 3 * kWeight);
  EXPECT_NEAR(net[3], sum, 1e-4F * sum);
}

// Proves every number of the box at rest: its weight, where it stands, the axes, and the zeros behind what is valid.
TEST_F(Falling, AtRest) {
  step_to_the_impact();
  sim.step(1500);
  const std::vector<float> full = read("full_contact"), force = read("force_contact"), net = read("net_force");
  EXPECT_EQ(full[0], 4);
  float sum = 0;
  Vec3 pushed{};
  for (int i = 0; i < 4; ++i) {
    const int first = 1 + 12 * i;
    expect_corner(full, first, kBarTop);
    EXPECT_NEAR(full[first], kWeight / 4, 1e-3 * kWeight);
    EXPECT_NEAR(full[first + 1], 0, 1e-3 * kWeight);
    EXPECT_NEAR(full[first + 2], 0, 1e-3 * kWeight);
    sum += full[first];
    const Vec3 n = at(full, first + 6), t = at(full, first + 9);
    pushed += n * Real(full[first]) + t * Real(full[first + 1]) + cross(n, t) * Real(full[first + 2]);
  }
  EXPECT_EQ(quadrants(full, 4, 12, 4).size(), 4U);
  EXPECT_NEAR(sum, kWeight, 1e-3 * kWeight);

  EXPECT_EQ(force[0], 4);
  for (int i = 0; i + 1 < 4; ++i)
    EXPECT_GE(length(at(force, 1 + 6 * i)), length(at(force, 7 + 6 * i)) * Real(1 - 1e-6)) << "largest first";
  EXPECT_EQ(quadrants(force, 4, 6, 4).size(), 4U);
  EXPECT_EQ((std::vector<float>{force.begin() + 25, force.end()}), std::vector<float>(6, 0));

  EXPECT_EQ(read("touch_only"), (std::vector<float>{1}));  // entries that it has room for

  EXPECT_EQ(net[0], 1);
  EXPECT_NEAR(length(at(net, 1) - pushed), 0, 1e-4 * kWeight);
  EXPECT_NEAR(net[3], kWeight, 1e-3 * kWeight);
  EXPECT_NEAR(net[4], 0, 10 * kSlip);
  EXPECT_NEAR(net[5], 0, 10 * kSlip);
  EXPECT_NEAR(net[6], kBarTop, 2e-3);
  EXPECT_EQ((std::vector<float>{net.begin() + 7, net.end()}), (std::vector<float>{1, 0, 0, 0, 1, 0}));
}

// Proves that MuJoCo's layout of the same sensors tells all matches in every valid entry.
TEST_F(Falling, LayoutOfMujoco) {
  step_to_the_impact();
  sim.step(1500);
  const auto values = [&](const char* key) { return sim.sensors().values(sim.sensors().find(key)).on_cpu(); };
  EXPECT_EQ(values("full_contact").size(), 4 * 13);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values("full_contact")[13 * i], 4);
  EXPECT_EQ(values("force_contact").size(), 5 * 7);
  EXPECT_EQ(values("force_contact")[28], 0);
  EXPECT_EQ(values("touch_only").size(), 1);
  EXPECT_EQ(values("touch_only")[0], 4);
  EXPECT_EQ(values("net_force").size(), 10 * 13);
  EXPECT_EQ(values("net_force")[0], 4);
  EXPECT_EQ(values("net_force")[13], 0);
}

}  // namespace
}  // namespace carom
