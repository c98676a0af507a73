// Boxes on boxes: depths by hand, poses that Newton records for noise and drift, and the general algorithm as a second
// opinion on random poses.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

constexpr double kPi = 3.14159265358979323846;
Quat about(Vec3 axis, double angle) { return quat_from_axis_angle(axis, Real(angle)); }

struct Manifold {
  ContactPoint point[kMaxManifold];
  int count = 0;

  double least() const {
    double d = 1e30;
    for (int i = 0; i < count; ++i) d = std::min(d, double(point[i].distance));
    return d;
  }
};
Manifold boxes(Vec3 half_a, Transform a, Vec3 half_b, Transform b, double reach) {
  Manifold m;
  m.count = box_box(half_a, a, half_b, b, Real(reach), m.point);
  return m;
}

constexpr Vec3 kHalf{Real(0.5), Real(0.5), Real(0.5)};

// Proves depth, normal and number of points for a face, an edge and a corner on a face.
TEST(BoxBox, Depths) {
  EXPECT_EQ(boxes(kHalf, {}, kHalf, {{0, 0, Real(1.1)}, {}}, 0).count, 0);
  for (const double z : {1.05, 1.0, 0.9, 0.8, 0.7}) {
    const Manifold m = boxes(kHalf, {}, kHalf, {{Real(0.1), Real(0.2), Real(z)}, {}}, 0.1);
    ASSERT_EQ(m.count, 4);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(m.point[i].distance, z - 1, 4 * kRounding);
      EXPECT_EQ(m.point[i].normal, (Vec3{0, 0, 1}));
      EXPECT_NEAR(m.point[i].point.z, z / 2, 4 * kRounding);
    }
  }
  for (const double depth : {0.02, 0.1, 0.2}) {
    const Transform edge{{0, 0, Real(0.5 + std::sqrt(0.5) - depth)}, about({1, 0, 0}, kPi / 4)};
    const Manifold on_edge = boxes(kHalf, {}, kHalf, edge, 0);
    ASSERT_EQ(on_edge.count, 2);
    EXPECT_NEAR(on_edge.point[0].distance, -depth, 8 * kRounding);
    EXPECT_NEAR(on_edge.point[1].distance, -depth, 8 * kRounding);
    Transform corner{{}, about({0, 1, 0}, kPi / 4) * about({1, 0, 0}, kPi / 4)};
    const Posed turned = primitive(ShapeType::kBox, kHalf, corner);
    corner.p.z = Real(0.5 - turned.support({0, 0, -1}).z - depth);
    const Manifold on_corner = boxes(kHalf, {}, kHalf, corner, 0);
    EXPECT_NEAR(on_corner.least(), -depth, 8 * kRounding);
  }
}

// Proves that a side whose direction along the other's is -0 crosses it as one with 0 does.
TEST(BoxBox, MinusZero) {
  const Vec3 half{Real(0.2), Real(0.15), Real(0.1)};
  for (const Real zero : {Real(0), Real(-0.0)}) {
    const Quat turned{zero, Real(1), -zero, zero};  // about y
    EXPECT_EQ(boxes(half, {}, half, {{Real(0.39), Real(-0.02), Real(0.09)}, turned}, 0).count, 4);
    EXPECT_EQ(boxes(half, {{}, turned}, half, {{Real(0.39), Real(-0.02), Real(0.09)}, {}}, 0).count, 4);
  }
}

// Proves that a box turned on another one gives the octagon of the overlap.
TEST(BoxBox, Octagon) {
  const Manifold m = boxes(kHalf, {}, kHalf, {{0, 0, Real(0.99)}, about({0, 0, 1}, 0.4)}, 0);
  ASSERT_EQ(m.count, 8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(m.point[i].distance, -0.01, 8 * kRounding);
    const Vec3 p = m.point[i].point;
    EXPECT_NEAR(std::max(std::abs(p.x), std::abs(p.y)), 0.5, 8 * kRounding);
  }
}

// Proves that edges that cross touch in one point, at their crossing.
TEST(BoxBox, CrossedEdges) {
  const Transform a{{}, about({1, 0, 0}, kPi / 4)};
  const Transform b{{Real(0.1), Real(0.05), Real(2 * std::sqrt(0.5) - 0.01)}, about({0, 1, 0}, kPi / 4)};
  const Manifold m = boxes(kHalf, a, kHalf, b, 0);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.point[0].distance, -0.01, 8 * kRounding);
  EXPECT_NEAR(m.point[0].normal.z, 1, 8 * kRounding);
  EXPECT_NEAR(m.point[0].point.x, 0.1, 8 * kRounding);
  EXPECT_NEAR(m.point[0].point.y, 0, 8 * kRounding);
}

// Proves that points within reach of a box stacked with a gap are found, and none beyond.
TEST(BoxBox, Reach) {
  const auto stacked = [](double reach) { return boxes(kHalf, {}, kHalf, {{0, 0, Real(1.2)}, {}}, reach).count; };
  EXPECT_EQ(stacked(0), 0);
  EXPECT_EQ(stacked(0.1), 0);
  EXPECT_EQ(stacked(0.201), 4);
  EXPECT_EQ(stacked(0.3), 4);
}

// Proves that noise of 1e-8 in rotations leaves four points of a face: equal boxes side by side.
TEST(BoxBox, QuaternionNoise) {
  const Real half = Real(0.495), y = Real(6.680443286895752), z = Real(4.4285125732421875);
  const Quat q{Real(0.2588233343021173), 0, 0, Real(0.9659246769912934)};
  const Quat noisy{Real(0.2588233343021173), Real(-2.27e-14), Real(9.25e-15), Real(0.9659246769912934)};
  const Manifold m = boxes({half, half, half}, {{-half, y, z}, q}, {half, half, half}, {{half, y, z}, noisy}, 0.01);
  ASSERT_EQ(m.count, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(std::abs(m.point[i].normal.x), 1, 1e-6);
    const Double3 from_center = Double3(m.point[i].point) - Double3{0, double(y), double(z)};
    EXPECT_NEAR(length(from_center), double(half) * std::sqrt(2), 1e-3);
    EXPECT_NEAR(from_center.x, 0, 1e-6);
  }
}

// Proves the same for boxes that have drifted by 1e-7 in a stack, of equal and of unequal sizes.
TEST(BoxBox, DriftedStacks) {
  const auto number = [](double x) { return Real(x); };
  const Transform lower{{number(2.22675084e-7), number(2.49728513), number(-9.83917175e-7)},
                        {number(-8.44083345e-8), number(-1.98136689e-8), number(3.19972909e-10), 1}};
  const Transform upper{{number(3.51331039e-7), number(3.49677420), number(-1.27835642e-6)},
                        {number(-8.78333211e-8), number(-2.35374653e-8), number(-7.91500110e-9), 1}};
  EXPECT_EQ(boxes(kHalf, lower, kHalf, upper, 0.01).count, 4);
  const Transform wide{{number(3.7335610e-9), number(.49998292), number(3.5263259e-8)},
                       {number(-2.1688921e-8), number(-5.716e-10), number(-2.099e-10), 1}};
  const Transform small{{number(6.4867449e-9), number(1.4999746), number(9.946e-8)},
                        {number(-2.5269783e-8), number(6.4437003e-8), number(3.12985e-9), 1}};
  EXPECT_EQ(boxes({1, Real(0.5), 1}, wide, kHalf, small, 0.01).count, 4);
}

// Proves on random poses that the deepest point has the signed distance, or where a face is preferred hardly more, that
// every point lies between the surfaces, and that features are in order.
TEST(BoxBox, RandomPosesAgreeWithDistances) {
  RandomShapes random(1);
  int touching = 0;
  for (int number = 0; number < 20000; ++number) {
    RandomShapes::Pair p = random.pair(ShapeType::kBox, ShapeType::kBox, number);
    if (number % 13 == 0) p.b.X.q = normalize(p.a.X.q * Quat{Real(1e-7), Real(-2e-7), Real(1e-7), 1});
    const double reach = 0.1 * p.scale, distance = distance_of(p.a, p.b).distance;
    if (std::abs(distance - reach) < 1e-4 * p.scale) continue;
    const Manifold m = boxes(p.a.shape.scale, p.a.X, p.b.shape.scale, p.b.X, reach);
    ASSERT_EQ(m.count > 0, distance < reach) << number;
    if (m.count == 0) continue;
    ++touching;
    const double preferred = kFacePreference * std::max(-distance, 0.0);  // a face may be taken that is so much worse
    const double along_normal = separation(p.a, p.b, unit(Double3(m.point[0].normal)));
    // The direction between nearest points has their rounding over their distance, and turns the boxes' sizes by it.
    const double rounding = distance > 0 ? 8 * kRounding * p.scale / distance * p.scale : 0;
    EXPECT_LE(along_normal, distance + kDistanceError * p.scale);
    EXPECT_GE(along_normal, distance - preferred - rounding - kDistanceError * p.scale);
    EXPECT_LE(m.least(), distance + (1e-5 + kDistanceError) * p.scale);
    EXPECT_GE(m.least(), along_normal - (1e-5 + kDistanceError) * p.scale);
    for (int i = 0; i < m.count; ++i) {
      const ContactPoint& c = m.point[i];
      const Double3 middle(c.point), half = Double3(c.normal) * (0.5 * double(c.distance));
      EXPECT_LT(c.distance, reach);
      EXPECT_LT(p.a.outside(middle - half), 1e-3 * p.scale);
      EXPECT_LT(p.b.outside(middle + half), 1e-3 * p.scale);
      EXPECT_TRUE(i == 0 || m.point[i - 1].feature < c.feature);
    }
    if (HasFailure()) FAIL() << "pose " << number;
  }
  EXPECT_GT(touching, 8000);
}

}  // namespace
}  // namespace carom
