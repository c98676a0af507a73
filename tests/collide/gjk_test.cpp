// Distances of convex shapes: closed forms, near contact, and the cut-off. What is compared with what Newton gives is
// from its tests of analytic primitives, of its narrow phase and of GJK near contact.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

constexpr Quat kNoTurn{0, 0, 0, 1};
Quat about_y(double degrees) {
  return quat_from_axis_angle(Vec3{0, 1, 0}, Real(degrees * 3.14159265358979323846 / 180));
}

struct Row {
  double at, distance;
};
// Moves b along an axis of the world and expects distances, the normal along the axis, and witnesses on both surfaces.
void expect_table(Posed a, Posed b, int axis, std::initializer_list<Row> rows) {
  const Vec3 base = b.X.p;
  for (const Row& row : rows) {
    b.X.p = base;
    b.X.p[axis] += Real(row.at);
    SCOPED_TRACE(::testing::Message() << shape_type_name(a.shape.type) << " and " << shape_type_name(b.shape.type)
                                      << " at " << row.at);
    const ConvexDistance found = distance_of(a, b);
    const double tolerance = 40 * kRounding;
    EXPECT_NEAR(found.distance, row.distance, tolerance);
    EXPECT_NEAR(found.normal[axis], 1, tolerance);
    EXPECT_NEAR(a.outside(Double3(found.point_a)), 0, tolerance);
    EXPECT_NEAR(b.outside(Double3(found.point_b)), 0, tolerance);
    EXPECT_NEAR(length(Double3(found.point_b) - Double3(found.point_a)), std::abs(row.distance), tolerance);
  }
}

// Proves the distances in which spheres, capsules, cylinders and boxes pass each other along an axis.
TEST(Gjk, TablesOfPrimitives) {
  const auto sphere = [](Real r) { return primitive(ShapeType::kSphere, {r, 0, 0}, {}); };
  const Posed upright = primitive(ShapeType::kCapsule, {Real(0.5), 1, 0}, {});
  const Posed lying = primitive(ShapeType::kCapsule, {Real(0.5), 1, 0}, {{}, about_y(90)});
  const Posed cylinder = primitive(ShapeType::kCylinder, {1, 1, 0}, {});
  const Posed box = primitive(ShapeType::kBox, {1, 1, 1}, {});
  expect_table(sphere(1), sphere(1), 0, {{3.5, 1.5}, {3, 1}, {2.5, .5}, {2, 0}, {1.8, -.2}, {1.5, -.5}, {1.2, -.8}});
  expect_table(sphere(Real(0.5)), sphere(1), 0, {{2, .5}, {1.5, 0}, {1.2, -.3}});
  expect_table(sphere(Real(0.5)), upright, 1, {{1.5, .5}, {1, 0}, {.9, -.1}, {.8, -.2}});
  expect_table(sphere(Real(0.5)), upright, 2, {{2.5, .5}, {2, 0}, {1.9, -.1}, {1.8, -.2}});
  expect_table(lying, lying, 1, {{2, 1}, {1.5, .5}, {1, 0}, {.9, -.1}, {.8, -.2}, {.6, -.4}});
  expect_table(sphere(Real(0.5)), cylinder, 0, {{2, .5}, {1.5, 0}, {1.4, -.1}, {1.3, -.2}});
  expect_table(sphere(Real(0.5)), cylinder, 2, {{2, .5}, {1.5, 0}, {1.4, -.1}, {1.3, -.2}});
  expect_table(sphere(Real(0.5)), box, 0, {{2.5, 1}, {2, .5}, {1.5, 0}, {1.4, -.1}, {1.3, -.2}, {1.2, -.3}});
  expect_table(box, sphere(Real(0.3)), 2, {{.4, -.9}});  // centre inside
  expect_table(upright, box, 2, {{3, .5}, {2.5, 0}, {2.4, -.1}, {2.3, -.2}, {2.2, -.3}});
  expect_table(upright, lying, 1, {{.8, -.2}, {1.5, .5}});  // crossed
  expect_table(box, box, 0, {{3, 1}, {1.8, -.2}, {2, 0}});
}

// Proves what has no one direction: crossed capsules, spheres and boxes with one centre.
TEST(Gjk, SharedCentres) {
  Posed upright = primitive(ShapeType::kCapsule, {Real(0.5), 1, 0}, {});
  Posed lying = primitive(ShapeType::kCapsule, {Real(0.5), 1, 0}, {{}, about_y(90)});
  const ConvexDistance crossed = distance_of(upright, lying);
  EXPECT_NEAR(crossed.distance, -1, 8 * kRounding);
  EXPECT_NEAR(std::abs(crossed.normal.y), 1, 8 * kRounding);
  const ConvexDistance same = distance_of(upright, upright);
  EXPECT_NEAR(same.distance, -1, 8 * kRounding);
  EXPECT_NEAR(same.normal.z, 0, 8 * kRounding);
  Posed sphere = primitive(ShapeType::kSphere, {2, 0, 0}, {{1, 2, 3}, kNoTurn});
  EXPECT_NEAR(distance_of(sphere, sphere).distance, -4, 16 * kRounding);
  Posed box = primitive(ShapeType::kBox, {1, 2, 3}, {});
  EXPECT_NEAR(distance_of(box, box).distance, -2, 8 * kRounding);
  Posed flat = primitive(ShapeType::kPlane, {1, 1, 0}, {});
  EXPECT_NEAR(distance_of(flat, flat).distance, 0, 8 * kRounding);
  EXPECT_NEAR(std::abs(distance_of(flat, flat).normal.z), 1, 8 * kRounding);
}

// Proves that boxes nanometres apart or overlapping keep their distance and a unit normal (f64), and that in float the
// error is that of the coordinates.
TEST(Gjk, BoxesInNearContact) {
  const Vec3 half{Real(0.01), Real(0.02), Real(0.03)};
  for (const double gap : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 5e-8, 5e-9}) {
    for (const double sign : {1.0, -1.0}) {
      for (int axis = 0; axis < 3; ++axis) {
        Posed a = primitive(ShapeType::kBox, half, {}), b = primitive(ShapeType::kBox, half, {});
        b.X.p = {Real(0.003), Real(-0.004), Real(0.005)};
        b.X.p[axis] = Real(2 * double(half[axis]) + sign * gap);
        const ConvexDistance found = distance_of(a, b);
        EXPECT_NEAR(found.distance, sign * gap, sizeof(Real) == 8 ? 1e-16 : 1e-8) << gap;
        EXPECT_NEAR(found.normal[axis], 1, 1e-6) << gap;
      }
    }
  }
}

// Proves that a turned box over a large face is found at its corner's height for a thousand rotations.
TEST(Gjk, CornersOverALargeFace) {
  RandomShapes random(1);
  const double large = 5;
  for (int number = 0; number < 1000; ++number) {
    const double gap = random.random.log_uniform(1e-5, 1e-4);
    Posed floor = primitive(ShapeType::kBox, {Real(large), Real(large), 1}, {});
    Posed box = primitive(ShapeType::kBox, {Real(0.01), Real(0.02), Real(0.03)}, {{}, random.rotation()});
    box.X.p.z = Real(1 + gap - box.support({0, 0, -1}).z);
    const double expected = box.support({0, 0, -1}).z - 1;  // gap, but for the rounding of the height
    const ConvexDistance found = distance_of(floor, box);
    EXPECT_NEAR(found.distance, expected, 4 * kRounding);
    EXPECT_GT(found.normal.z, sizeof(Real) == 8 ? 1 - 1e-10 : 1 - 1e-4);
  }
}

// Proves distance and direction of a sphere near a face, an edge and a corner of boxes of several sizes.
TEST(Gjk, SphereNearABox) {
  for (const double scale : {0.5, 1.0, 2.0}) {
    for (const double gap : {1e-5, 1e-4, 3e-3}) {
      for (const Double3 way : {Double3{0, 0, 1}, Double3{1, 1, 0}, Double3{1, 1, 1}}) {
        Posed box = primitive(ShapeType::kBox, {Real(scale), Real(scale), Real(scale)}, {});
        const Double3 center = way * scale + unit(way) * (0.25 * scale + gap);
        Posed sphere = primitive(ShapeType::kSphere, {Real(0.25 * scale), 0, 0},
                                 {{Real(center.x), Real(center.y), Real(center.z)}, kNoTurn});
        const ConvexDistance found = distance_of(box, sphere);
        EXPECT_NEAR(found.distance, gap, 8 * kRounding * scale);
        EXPECT_NEAR(dot(Double3(found.normal), unit(way)), 1, 1e-6);
      }
    }
  }
}

// Proves distance and direction of a grain hundreds of roundings from the edge of a rectangle, whose length magnifies
// what a direction errs along it.
TEST(Gjk, GrainBesideALongEdge) {
  RandomShapes random(4);
  for (int number = 0; number < 1000; ++number) {
    const double gap = kRounding * random.random.log_uniform(200, 20000), angle = random.uniform(-1.5, 1.5);
    Posed sheet = primitive(ShapeType::kPlane, {Real(0.5), 2, 0}, {{}, random.rotation()});
    const double y = random.uniform(-0.9, 0.9);
    const Double3 place = turn(sheet.X.q, {0.25 + gap * std::cos(angle), y, gap * std::sin(angle)});
    Posed grain = primitive(ShapeType::kSphere, {Real(gap / 4), 0, 0}, {});
    grain.X.p = {Real(place.x), Real(place.y), Real(place.z)};
    const Double3 p = turn_back(sheet.X.q, Double3(grain.X.p));  // rounded
    const double radial = std::hypot(p.x - 0.25, p.z), expected = radial - double(grain.shape.scale.x);
    const Double3 way = turn(sheet.X.q, {(p.x - 0.25) / radial, 0, p.z / radial});
    for (const bool swapped : {false, true}) {
      const ConvexDistance found = swapped ? distance_of(grain, sheet) : distance_of(sheet, grain);
      EXPECT_NEAR(found.distance, expected, 8 * kRounding) << number;
      EXPECT_LT(length(Double3(found.normal) - way * (swapped ? -1 : 1)), 8 * kRounding / gap) << number;
    }
  }
}

#if defined(CAROM_F64)  // float has no room for both sizes
// Proves that a grain above a ball half a million times as large has its distance to a small part of the grain's size.
TEST(Gjk, GrainAboveABall) {
  RandomShapes random(3);
  for (int number = 0; number < 200; ++number) {
    const Vec3 half{Real(random.uniform(0.5e-4, 1e-4)), Real(random.uniform(0.5e-4, 1e-4)), Real(1e-4)};
    Posed ball = primitive(ShapeType::kSphere, {50, 0, 0}, {});
    Posed box = primitive(ShapeType::kBox, half, {{}, kNoTurn});
    const double gap = random.random.log_uniform(1e-7, 1e-4);
    box.X.p = {half.x * Real(random.uniform(-0.9, 0.9)), half.y * Real(random.uniform(-0.9, 0.9)),
               Real(50 + gap) + half.z};
    EXPECT_NEAR(distance_of(ball, box).distance, gap, 1e-7 * 1e-4) << number;
  }
}
#endif

// Proves that the cut-off says "beyond" exactly where the distance is greater, up to rounding.
TEST(Gjk, Reach) {
  RandomShapes random(2);
  int beyond = 0, within = 0;
  for (int number = 0; number < 4000; ++number) {
    RandomShapes::Pair p = random.pair(kConvexTypes[number % 8], kConvexTypes[number / 8 % 8], number);
    const double distance = distance_of(p.a, p.b).distance;
    const double reach = std::max(0.0, distance) + random.uniform(-0.2, 0.2) * p.scale;
    if (reach < 0 || std::abs(reach - distance) < kDistanceError * p.scale) continue;
    ContactPoint points[kMaxManifold];
    const int count = convex_convex(p.a.shape.view(), p.a.X, p.b.shape.view(), p.b.X, Real(reach), points);
    EXPECT_EQ(count > 0, distance < reach) << number;
    (count > 0 ? within : beyond)++;
  }
  EXPECT_GT(beyond, 300);
  EXPECT_GT(within, 1000);
}

}  // namespace
}  // namespace carom
