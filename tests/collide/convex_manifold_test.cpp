// Contact manifolds of convex shapes: how many points where, that noise does not change them, and what holds for all.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

constexpr double kPi = 3.14159265358979323846;
Quat about(Vec3 axis, double angle) { return quat_from_axis_angle(axis, Real(angle)); }

std::vector<ContactPoint> contacts(Posed& a, Posed& b, double reach) {
  ContactPoint point[kMaxManifold];
  const int count = convex_convex(a.shape.view(), a.X, b.shape.view(), b.X, Real(reach), point);
  return {point, point + count};
}

Posed prism(int sides, double radius, double half_height, Transform X) {
  std::vector<Vec3> points;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * kPi * k / sides, x = radius * std::cos(angle), y = radius * std::sin(angle);
    for (const double z : {-half_height, half_height}) points.push_back({Real(x), Real(y), Real(z)});
  }
  Posed hull{{}, X};
  hull.shape.type = ShapeType::kConvexHull;
  hull.shape.hull = build_hull_arrays(convex_hull(Mesh(points, {})), {1, 1, 1});
  return hull;
}

struct Resting {
  const char* name;
  Posed body;
  int points;
};
// Bodies on the top z = 0 of a large box, and with how many points.
std::vector<Resting> resting_bodies() {
  const auto at = [](double z, Quat q = {}) { return Transform{{Real(0.03), Real(-0.02), Real(z)}, q}; };
  const Quat lying = about({0, 1, 0}, kPi / 2);
  const double slope = std::atan2(0.4, 0.8);  // of the side of the cone against its axis: 0.4 wide, 0.8 high
  Posed on_side = primitive(ShapeType::kCone, {Real(0.4), Real(0.4), 0}, at(0, about({0, 1, 0}, kPi / 2 + slope)));
  on_side.X.p.z = Real(-on_side.support({0, 0, -1}).z);
  return {{"box", primitive(ShapeType::kBox, {Real(0.3), Real(0.2), Real(0.1)}, at(0.1)), 4},
          {"upright cylinder", primitive(ShapeType::kCylinder, {Real(0.3), Real(0.4), 0}, at(0.4)), 8},
          {"lying cylinder", primitive(ShapeType::kCylinder, {Real(0.3), Real(0.4), 0}, at(0.3, lying)), 2},
          {"cone", primitive(ShapeType::kCone, {Real(0.3), Real(0.4), 0}, at(0.4)), 8},
          {"cone on its side", on_side, 2},
          {"lying capsule", primitive(ShapeType::kCapsule, {Real(0.3), Real(0.4), 0}, at(0.3, lying)), 2},
          {"hexagonal prism", prism(6, 0.3, 0.2, at(0.2)), 6},
          {"prism of 12 sides", prism(12, 0.3, 0.2, at(0.2)), 8},
          {"prism of 20 sides", prism(20, 0.3, 0.2, at(0.2)), 8},
          {"sphere", primitive(ShapeType::kSphere, {Real(0.3), 0, 0}, at(0.3)), 1},
          {"ellipsoid", primitive(ShapeType::kEllipsoid, {Real(0.3), Real(0.2), Real(0.1)}, at(0.1)), 1}};
}

// Well above rounding, well below the depths that features follow (1e-6 of the size in double).
constexpr double kNoise = sizeof(Real) == 8 ? 1e-8 : 1e-6;

// Proves that a resting body keeps its points and their features under noise, pressed in, touching or hovering.
TEST(ConvexManifold, RestingBodiesDoNotFlicker) {
  RandomShapes random(1);
  Posed floor = primitive(ShapeType::kBox, {2, 2, Real(0.5)}, {{0, 0, Real(-0.5)}, {}});
  for (Resting& r : resting_bodies()) {
    for (const double height : {-1e-3, -1e-5, 0.0, 1e-5, 1e-3}) {
      std::vector<int> features;
      for (int noisy = 0; noisy < 100; ++noisy) {
        Posed body = r.body;
        const Vec3 turn = random.vector(noisy ? kNoise : 0);
        body.X.p = body.X.p + random.vector(noisy ? kNoise : 0) + Vec3{0, 0, Real(height)};
        body.X.q = normalize(Quat{turn.x / 2, turn.y / 2, turn.z / 2, 1} * body.X.q);
        const std::vector<ContactPoint> found = contacts(floor, body, 0.01);
        ASSERT_EQ(int(found.size()), r.points) << r.name << " at " << height << ", " << noisy;
        std::vector<int> now;
        for (const ContactPoint& c : found) {
          now.push_back(c.feature);
          EXPECT_NEAR(c.normal.z, 1, 1e-5) << r.name;
          EXPECT_NEAR(c.distance, height, 4e-6) << r.name;
        }
        if (noisy == 0) features = now;
        ASSERT_EQ(now, features) << r.name << " at " << height << ", " << noisy;
      }
    }
  }
}

// Proves that faces that lie on each other with equal outlines keep four points under noise.
TEST(ConvexManifold, EqualFacesDoNotFlicker) {
  RandomShapes random(2);
  Posed lower = prism(4, 0.5, 0.25, {});
  for (int noisy = 0; noisy < 100; ++noisy) {
    const Vec3 turn = random.vector(1e-6);
    Posed upper = prism(4, 0.5, 0.25, {random.vector(1e-6) + Vec3{0, 0, Real(0.499)}, {turn.x, turn.y, turn.z, 1}});
    upper.X.q = normalize(upper.X.q);
    EXPECT_EQ(contacts(lower, upper, 0.01).size(), 4u);
  }
}

// Proves where points are: parallel capsules at the ends of their overlap, crossed ones at the crossing, the edge of a
// table under a cylinder.
TEST(ConvexManifold, KnownPoints) {
  const Quat lying = about({0, 1, 0}, kPi / 2);
  const auto rod = [&](double x, double z, Quat q) {
    return primitive(ShapeType::kCapsule, {Real(0.25), 1, 0}, {{Real(x), 0, Real(z)}, q});
  };
  Posed a = rod(0, 0, lying), b = rod(0.5, 0.45, lying);
  std::vector<ContactPoint> found = contacts(a, b, 0);
  ASSERT_EQ(found.size(), 2u);
  std::sort(found.begin(), found.end(), [](auto& p, auto& q) { return p.point.x < q.point.x; });
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(found[i].point.x, i ? 1 : -0.5, 16 * kRounding);
    EXPECT_NEAR(found[i].point.z, 0.225, 16 * kRounding);
    EXPECT_NEAR(found[i].distance, -0.05, 16 * kRounding);
  }
  Posed across = rod(0.5, 0.45, about({1, 0, 0}, kPi / 2));
  ASSERT_EQ(contacts(a, across, 0).size(), 1u);
  EXPECT_NEAR(contacts(a, across, 0)[0].point.x, 0.5, 16 * kRounding);

  Posed table = primitive(ShapeType::kBox, {1, 1, Real(0.5)}, {{-1, 0, Real(-0.5)}, {}});  // ends at x = 0
  Posed can = primitive(ShapeType::kCylinder, {Real(0.3), Real(0.4), 0}, {{Real(0.1), 0, Real(0.399)}, {}});
  for (const ContactPoint& c : contacts(table, can, 0)) {
    EXPECT_LT(c.point.x, 1e-4);
    EXPECT_NEAR(c.distance, -0.001, 16 * kRounding);
  }
  EXPECT_GE(contacts(table, can, 0).size(), 3u);
}

// Proves that triangles and rectangles carry a box from both sides, with the points of its face.
TEST(ConvexManifold, TrianglesAndRectangles) {
  const ConvexCore triangle = triangle_core({-2, -2, 0}, {4, -2, 0}, {-2, 4, 0});
  TestShape box{ShapeType::kBox, {Real(0.5), Real(0.5), Real(0.5)}, {}, {}};
  Posed sheet = primitive(ShapeType::kPlane, {4, 4, 0}, {});
  for (const double side : {1.0, -1.0}) {
    Posed cube{box, {{0, 0, Real(side * 0.49)}, {}}};
    ContactPoint point[kMaxManifold];
    ASSERT_EQ(core_contacts(triangle, {}, convex_core(cube.shape.view()), cube.X, 0, point), 4);
    const std::vector<ContactPoint> on_sheet = contacts(sheet, cube, 0);
    ASSERT_EQ(on_sheet.size(), 4u);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(point[i].distance, -0.01, 8 * kRounding);
      EXPECT_NEAR(on_sheet[i].distance, -0.01, 8 * kRounding);
      EXPECT_EQ(point[i].normal, (Vec3{0, 0, Real(side)}));
      EXPECT_EQ(on_sheet[i].normal, (Vec3{0, 0, Real(side)}));
    }
  }
}

// Proves that a rectangle that stands on edge along the border of a box, or over another rectangle on edge, has its
// points at its own ends and not at corners on the line of its edge, beyond them.
TEST(ConvexManifold, RectanglesOnEdge) {
  const Real h = Real(0.5);
  const Quat upright{h, h, h, h};         // its axes are y, z and x of the world
  for (const double half : {0.3, 1.5}) {  // shorter and longer than the border
    Posed sheet = primitive(ShapeType::kPlane, {Real(2 * half), 1, 0}, {{1, 0, Real(1.01)}, upright});
    Posed box = primitive(ShapeType::kBox, {1, 1, Real(0.5)}, {});
    Posed other = primitive(ShapeType::kPlane, {2, 1, 0}, {{1, 0, 0}, upright});
    for (Posed* below : {&box, &other}) {
      for (const bool swapped : {false, true}) {
        const std::vector<ContactPoint> found = swapped ? contacts(sheet, *below, 0.1) : contacts(*below, sheet, 0.1);
        ASSERT_EQ(found.size(), 2u);
        for (const ContactPoint& c : found) {
          EXPECT_NEAR(std::abs(c.point.y), std::min(half, 1.0), 1e-6);
          EXPECT_NEAR(c.point.x, 1, 1e-6);
          EXPECT_NEAR(c.distance, 0.01, 1e-6);
        }
      }
    }
  }
}

// Proves for every pair of types what holds for any manifold: the deepest point has the signed distance, or where a
// face is preferred hardly more, every point lies between the two surfaces, nearer than `reach`, features are in order,
// and the other order of the two shapes has as deep a manifold.
TEST(ConvexManifold, Properties) {
  RandomShapes random(3);
  for (int number = 0; number < 6400; ++number) {
    RandomShapes::Pair p = random.pair(kConvexTypes[number % 8], kConvexTypes[number / 8 % 8], number / 3);
    const double reach = 0.05 * p.scale, distance = distance_of(p.a, p.b).distance;
    if (std::abs(distance - reach) < 1e-4 * p.scale) continue;
    const std::vector<ContactPoint> found = contacts(p.a, p.b, reach), swapped = contacts(p.b, p.a, reach);
    ASSERT_EQ(found.empty(), distance > reach) << number;
    ASSERT_EQ(swapped.empty(), distance > reach) << number;
    if (found.empty()) continue;
    const auto least = [](const std::vector<ContactPoint>& all) {
      return std::ranges::min_element(all, {}, &ContactPoint::distance)->distance;
    };
    const double preferred = kFacePreference * std::max(-distance, 0.0);  // a face may be taken that is so much worse
    for (const std::vector<ContactPoint>* all : {&found, &swapped}) {
      EXPECT_LE(least(*all), distance + (1e-5 + 2 * kDistanceError) * p.scale);
      EXPECT_GE(least(*all), distance - preferred - (1e-5 + 2 * kDistanceError) * p.scale);
    }
    for (const ContactPoint& c : found) {
      EXPECT_NEAR(length(Double3(c.normal)), 1, 16 * kRounding);
      EXPECT_LT(c.distance, reach);
      const Double3 middle(c.point), half = Double3(c.normal) * (0.5 * double(c.distance));
      EXPECT_LT(p.a.outside(middle - half), 1e-2 * p.scale);
      EXPECT_LT(p.b.outside(middle + half), 1e-2 * p.scale);
      EXPECT_TRUE(&c == &found[0] || (&c)[-1].feature < c.feature);
    }
    if (HasFailure()) {
      FAIL() << shape_type_name(p.a.shape.type) << " and " << shape_type_name(p.b.shape.type) << ", pose " << number;
    }
  }
}

}  // namespace
}  // namespace carom
