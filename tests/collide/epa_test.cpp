// Signed distances of every pair of convex types, deep, shallow, touching, parallel and far from the origin, against
// certificates and a search. A direction whose separation, by the reference's support functions, is the distance found
// proves that the distance is not less. Two points of the shapes prove that it is not more when they are apart; when
// they overlap, a search through directions must find none that separates them farther.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"
#include "geometry/point/shape.kernel.h"

namespace carom {
namespace {

using namespace test;

void expect_distance(Posed& a, Posed& b, double scale, const ConvexDistance& found, FixedRandom& random) {
  const Double3 n(found.normal), point_a(found.point_a), point_b(found.point_b);
  ASSERT_TRUE(is_finite(found.distance));
  ASSERT_NEAR(length(n), 1, 16 * kRounding);
  EXPECT_NEAR(found.distance, separation(a, b, unit(n)), kDistanceError * scale);
  // On curved shapes the normal is as good as the root of the depth that searches end at, and so is the middle of two
  // lines that are parallel but for that.
  const double slide = std::sqrt(double(kFineTolerance)) * scale;
  EXPECT_LT(a.outside(point_a), slide);
  EXPECT_LT(b.outside(point_b), slide);
  if (found.distance > 0) {
    EXPECT_LT(a.outside(point_a), kDistanceError * scale);
    EXPECT_LT(b.outside(point_b), kDistanceError * scale);
    EXPECT_NEAR(length(point_b - point_a), found.distance, kDistanceError * scale);
  } else {
    const double flatness = a.shape.flatness() + b.shape.flatness();
    EXPECT_LT(searched_distance(a, b, random), found.distance + kDistanceError * scale + flatness);
  }
}

// Two curved shapes may be about as deep all around a ring. The depth is then found along it only so far.
double depth_error(const RandomShapes::Pair& p, double distance) {
  const auto curved = [](ShapeType type) {
    return type == ShapeType::kEllipsoid || type == ShapeType::kCylinder || type == ShapeType::kCone;
  };
  const bool ring = distance < 0 && curved(p.a.shape.type) && curved(p.b.shape.type);
  return ring ? 2e-5 : kDistanceError;
}

class EveryPair : public ::testing::TestWithParam<int> {};

TEST_P(EveryPair, Distance) {
  const ShapeType type_a = kConvexTypes[GetParam() / 8], type_b = kConvexTypes[GetParam() % 8];
  RandomShapes random(unsigned(1 + GetParam()));
  for (int number = 0; number < 300; ++number) {
    RandomShapes::Pair p = random.pair(type_a, type_b, number);
    const ConvexDistance found = distance_of(p.a, p.b);
    expect_distance(p.a, p.b, p.scale, found, random.random);
    // The other order gives the mirror image.
    const ConvexDistance mirrored = distance_of(p.b, p.a);
    const double error = depth_error(p, found.distance);
    EXPECT_NEAR(mirrored.distance, found.distance, 2 * error * p.scale);
    EXPECT_NEAR(separation(p.b, p.a, unit(Double3(mirrored.normal))), mirrored.distance, kDistanceError * p.scale);
    // Turning both turns the result.
    const Transform turn{random.vector(p.scale), random.rotation()};
    const double turned_scale = p.scale + (sizeof(Real) == 4 ? 2 * p.scale : 0);
    p.a.X = turn * p.a.X;
    p.b.X = turn * p.b.X;
    const ConvexDistance turned = distance_of(p.a, p.b);
    EXPECT_NEAR(turned.distance, found.distance, error * turned_scale);
    EXPECT_NEAR(separation(p.a, p.b, unit(Double3(turned.normal))), turned.distance, kDistanceError * turned_scale);
    if (HasFailure()) FAIL() << shape_type_name(type_a) << " and " << shape_type_name(type_b) << ", pose " << number;
  }
}
INSTANTIATE_TEST_SUITE_P(Epa, EveryPair, ::testing::Range(0, 64));

// Proves the least depth of shapes that are about as deep in every direction: nearly round, nearly concentric.
TEST(Epa, NearlyRoundShapes) {
  RandomShapes random(100);
  for (int number = 0; number < 40; ++number) {
    const auto near_one = [&] { return Real(random.uniform(0.99, 1.01)); };
    const ShapeType type = number % 2 ? ShapeType::kEllipsoid : ShapeType::kCylinder;
    const Vec3 scale_a{near_one(), near_one(), near_one()}, scale_b{near_one(), near_one(), near_one()};
    Posed a = primitive(type, scale_a, {{}, random.rotation()});
    Posed b = primitive(ShapeType::kEllipsoid, scale_b, {random.vector(0.01), random.rotation()});
    const ConvexDistance found = distance_of(a, b);
    EXPECT_NEAR(found.distance, separation(a, b, unit(Double3(found.normal))), kDistanceError);
    EXPECT_LT(searched_distance(a, b, random.random), found.distance + 2e-3);
  }
}

// Proves the least depth of cylinders and cones with parallel or crossed axes about one centre, which are about as deep
// all along a circle.
TEST(Epa, RoundShapesAboutOneCentre) {
  RandomShapes random(102);
  for (int number = 0; number < 3000; ++number) {
    const ShapeType type_a = number % 2 ? ShapeType::kCone : ShapeType::kCylinder;
    const ShapeType type_b = number % 4 / 2 ? ShapeType::kCone : ShapeType::kCylinder;
    Posed a{random.shape(type_a, 1), {{}, random.aligned()}}, b{random.shape(type_b, 1), {{}, random.aligned()}};
    b.X.p = random.vector(0.1);
    const ConvexDistance found = distance_of(a, b);
    EXPECT_NEAR(found.distance, separation(a, b, unit(Double3(found.normal))), kDistanceError);
    EXPECT_LT(searched_distance(a, b, random.random), found.distance + kDistanceError) << number;
  }
}

// Proves the least depth of a sphere in an ellipsoid near its centre, from where the two ways out along the shortest
// axis are about as long: the reference is the point distance, which follows the surface.
TEST(Epa, SphereInTheMiddleOfAnEllipsoid) {
  RandomShapes random(103);
  for (int number = 0; number < 1000; ++number) {
    Posed ellipsoid{random.shape(ShapeType::kEllipsoid, 1), {{}, random.rotation()}};
    Posed sphere = primitive(ShapeType::kSphere, {Real(0.5), 0, 0}, {random.vector(0.01), random.rotation()});
    const Double3 center = turn_back(ellipsoid.X.q, Double3(sphere.X.p) - Double3(ellipsoid.X.p));
    const Vec3 p{Real(center.x), Real(center.y), Real(center.z)};
    const double expected = surface_point(ellipsoid.shape.view(), p, 1).distance - 0.5;
    EXPECT_NEAR(distance_of(sphere, ellipsoid).distance, expected, kDistanceError) << number;
    EXPECT_NEAR(distance_of(ellipsoid, sphere).distance, expected, kDistanceError) << number;
  }
}

// Proves that normals have length 1 for shapes about one axis, where A - B is symmetric and searches meet points and
// directions that differ from 0 by next to nothing.
TEST(Epa, AlignedShapesOnOneAxis) {
  RandomShapes random(104);
  const ShapeType types[] = {ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kCylinder, ShapeType::kCone};
  for (int number = 0; number < 16000; ++number) {
    const double size = random.random.log_uniform(1e-3, 1e3);
    Posed a{random.shape(types[number % 4], size), {{}, random.aligned()}};
    Posed b{random.shape(types[number / 4 % 4], size), {{0, 0, Real(size * random.uniform(0, 0.5))}, random.aligned()}};
    const ConvexDistance found = distance_of(a, b), mirrored = distance_of(b, a);
    EXPECT_NEAR(length(Double3(found.normal)), 1, 16 * kRounding) << number;
    EXPECT_NEAR(length(Double3(mirrored.normal)), 1, 16 * kRounding) << number;
  }
}

// Proves that the points of an ellipsoid and a face whose border it almost touches are as far apart as the shapes,
// though the normal may be that of the face and not quite the way between the points of their cores.
TEST(Epa, EllipsoidsOverTheBorderOfAFace) {
  RandomShapes random(105);
  for (int number = 0; number < 4000; ++number) {
    Posed box{random.shape(ShapeType::kBox, 1), {{}, random.aligned()}};
    Posed ellipsoid{random.shape(ShapeType::kEllipsoid, 1), {random.vector(0.2), random.aligned()}};
    ellipsoid.X.p.x = Real(box.support({1, 0, 0}).x + random.uniform(0, 1e-3));
    ellipsoid.X.p.z -= Real(separation(box, ellipsoid, {0, 0, 1}) - random.uniform(0, 1e-4));
    const ConvexDistance found = distance_of(box, ellipsoid);
    if (!(found.distance > 0)) continue;
    const double apart = length(Double3(found.point_b) - Double3(found.point_a));
    EXPECT_NEAR(apart, found.distance, kDistanceError) << number;
  }
}

// Proves that the points of a capsule whose axis all but touches a curved shape are a radius from it along the normal,
// though the way between the points of the cores is nothing but rounding.
TEST(Epa, CapsulesWithTheirAxisOnACurvedShape) {
  RandomShapes random(106);
  const ShapeType types[] = {ShapeType::kEllipsoid, ShapeType::kCylinder, ShapeType::kCone};
  for (int number = 0; number < 3000; ++number) {
    Posed curved{random.shape(types[number % 3], 1), {{}, random.rotation()}};
    Posed capsule{random.shape(ShapeType::kCapsule, 1), {random.vector(1), random.rotation()}};
    const double wanted = random.random.log_uniform(1e-15, 1e-2) - capsule.shape.scale.x;
    for (int round = 0; round < 3; ++round) {
      const ConvexDistance found = distance_of(curved, capsule);
      capsule.X.p = capsule.X.p + found.normal * (Real(wanted) - found.distance);
    }
    const ConvexDistance found = distance_of(curved, capsule);
    const Double3 off = Double3(found.point_a) + Double3(found.normal) * found.distance - Double3(found.point_b);
    EXPECT_LT(length(off), std::sqrt(double(kFineTolerance))) << number;
  }
}

// Proves that the same input gives the same bits.
TEST(Epa, SameBits) {
  RandomShapes random(101);
  for (int number = 0; number < 300; ++number) {
    RandomShapes::Pair p = random.pair(kConvexTypes[number % 8], kConvexTypes[number / 8 % 8], number);
    const ConvexDistance first = distance_of(p.a, p.b), second = distance_of(p.a, p.b);
    EXPECT_EQ(first.distance, second.distance);
    EXPECT_EQ(first.normal, second.normal);
    EXPECT_EQ(first.point_a, second.point_a);
  }
}

}  // namespace
}  // namespace carom
