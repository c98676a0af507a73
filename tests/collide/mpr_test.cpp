// Minkowski portal refinement: the sign of the distance against GJK and EPA for all pairs of convex kinds, depths
// against closed forms and bounds, and the cases that portals are known to fail at: shared centres, rays through
// corners and edges, cores without volume. And the answer of GJK to the same question.
#include "collide/narrow/mpr.kernel.h"

#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

constexpr Quat kNoTurn{0, 0, 0, 1};

// How near to the surface portals end, relative to the sizes.
constexpr double kPortalError = sizeof(Real) == 8 ? 1e-8 : 1e-6;

// The pair with its balls added to A.
MprResult mpr_of(Posed& a, Posed& b, MprGoal goal = MprGoal::kDepth) {
  const ConvexCore core_a = convex_core(a.shape.view()), core_b = convex_core(b.shape.view());
  return mpr(core_pair(core_a, a.X, core_b, b.X), core_a.radius + core_b.radius, goal);
}

// Points of a core and of another one that was grown by all the balls.
void expect_depth(Posed& a, Posed& b, double scale, const MprResult& found) {
  const Double3 n = turn(a.X.q, Double3(found.normal));
  ASSERT_NEAR(length(n), 1, 16 * kRounding);
  EXPECT_NEAR(found.depth, -separation(a, b, unit(n)), kDistanceError * scale);
  const double apart = dot(Double3(found.point_a) - Double3(found.point_b), Double3(found.normal));
  EXPECT_NEAR(apart, found.depth, kDistanceError * scale);
  const Double3 in_b = Double3(a.X.p) + turn(a.X.q, Double3(found.point_b));
  EXPECT_LT(b.outside(in_b), kDistanceError * scale);
}

class EveryPortal : public ::testing::TestWithParam<int> {};

// Proves that overlap is found exactly where the distance is negative, by portals and by GJK, and that the depth is a
// true one: that of its normal, and no less than the least.
TEST_P(EveryPortal, SignAndDepth) {
  const ShapeType type_a = kConvexTypes[GetParam() / 8], type_b = kConvexTypes[GetParam() % 8];
  RandomShapes random(unsigned(1000 + GetParam()));
  for (int number = 0; number < 200; ++number) {
    RandomShapes::Pair p = random.pair(type_a, type_b, number);
    const double distance = distance_of(p.a, p.b).distance;
    const MprResult depth = mpr_of(p.a, p.b), sign = mpr_of(p.a, p.b, MprGoal::kOverlap);
    expect_depth(p.a, p.b, p.scale, depth);
    const double band = kDistanceError * p.scale;
    if (std::abs(distance) > band) {
      EXPECT_EQ(depth.overlap, distance < 0);
      EXPECT_EQ(sign.overlap, distance < 0);
      EXPECT_EQ(convex_overlap(p.a.shape.view(), p.a.X, p.b.shape.view(), p.b.X, 0), distance < 0);
    }
    EXPECT_GT(depth.depth, -distance - band);
    const double grown = random.uniform(0, 0.3) * p.scale;
    if (std::abs(distance - grown) > 2 * band) {
      EXPECT_EQ(convex_overlap(p.a.shape.view(), p.a.X, p.b.shape.view(), p.b.X, Real(grown)), distance < grown);
    }
    if (HasFailure()) FAIL() << shape_type_name(type_a) << " and " << shape_type_name(type_b) << ", pose " << number;
  }
}
INSTANTIATE_TEST_SUITE_P(Mpr, EveryPortal, ::testing::Range(0, 64));

// Proves the depth where the ray leaves through the face that is nearest: closed forms.
TEST(Mpr, DepthsOfSimplePairs) {
  Posed box = primitive(ShapeType::kBox, {1, 2, 3}, {}), small = primitive(ShapeType::kBox, {1, 1, 1}, {});
  Posed ball = primitive(ShapeType::kSphere, {Real(0.5), 0, 0}, {});
  for (int axis = 0; axis < 3; ++axis) {
    for (const double overlap : {0.5, 0.1, 1e-3}) {
      small.X.p = ball.X.p = {};
      small.X.p[axis] = Real(2 + axis - overlap);
      ball.X.p[axis] = Real(1.5 + axis - overlap);
      for (Posed* other : {&small, &ball}) {
        const MprResult found = mpr_of(box, *other);
        EXPECT_TRUE(found.overlap);
        EXPECT_NEAR(found.depth, overlap, kPortalError * 8);
        EXPECT_NEAR(found.normal[axis], 1, kPortalError);
      }
    }
  }
}

// Proves the sign where the ray runs through corners and along edges and faces, from far overlap to far apart.
TEST(Mpr, RaysThroughCornersAndEdges) {
  for (const Double3 way : {Double3{1, 0, 0}, Double3{1, 1, 0}, Double3{1, 1, 1}, Double3{1, -1, 0.5}}) {
    const double touching = 2 / std::max({std::abs(way.x), std::abs(way.y), std::abs(way.z)});
    for (const double part : {1e-3, 0.3, 0.999, 0.9999, 1.0001, 1.001, 2.0}) {
      const Double3 at = way * (touching * part);
      Posed a = primitive(ShapeType::kBox, {1, 1, 1}, {}), b = a;
      b.X.p = {Real(at.x), Real(at.y), Real(at.z)};
      EXPECT_EQ(mpr_of(a, b).overlap, part < 1) << part;
      EXPECT_EQ(mpr_of(a, b, MprGoal::kOverlap).overlap, part < 1) << part;
    }
  }
}

// Proves that shapes with one centre overlap, whatever they are, with a depth that belongs to its normal.
TEST(Mpr, SharedCentres) {
  RandomShapes random(5);
  for (int number = 0; number < 640; ++number) {
    const ShapeType type_a = kConvexTypes[number % 8], type_b = kConvexTypes[number / 8 % 8];
    Posed a{random.shape(type_a, 1), {}}, b{random.shape(type_b, 1), {}};
    a.X = {random.vector(1), number % 3 ? random.rotation() : kNoTurn};
    b.X = {a.X.p, number % 2 ? random.rotation() : a.X.q};
    const double distance = distance_of(a, b).distance;
    const MprResult found = mpr_of(a, b);
    expect_depth(a, b, 2, found);
    EXPECT_GT(found.depth, -distance - 2 * kDistanceError);
    EXPECT_TRUE(found.overlap || distance >= -2 * kDistanceError) << number;
  }
}

ConvexCore random_flat_core(RandomShapes& random) {
  const double thin[] = {0, 1e-6, 1e-4, 1e-2};
  const Real t = Real(thin[random.integer(4)]);
  switch (random.integer(5)) {
    case 0: return {CoreType::kPoint, 0, {}, nullptr, {}};
    case 1: return {CoreType::kSegment, 0, {0, 0, 1}, nullptr, {}};
    case 2: return {CoreType::kBox, 0, {1, Real(0.7), t}, nullptr, {}};
    case 3: return {CoreType::kCylinder, 0, {1, 1, t}, nullptr, {}};
    default: {
      const Vec3 a = random.vector(1), b = random.vector(1), c = random.vector(1);
      return triangle_core(a, b, c);
    }
  }
}

// Proves that cores without volume, or nearly so, have the sign of their distance, alone and with balls: points,
// segments, triangles, rectangles and discs, many of them in one plane or touching.
TEST(Mpr, FlatCores) {
  RandomShapes random(6);
  int overlapping = 0;
  for (int number = 0; number < 20000; ++number) {
    const ConvexCore a = random_flat_core(random), b = random_flat_core(random);
    Vec3 p = random.vector(number % 4 ? 0.6 : 2);
    if (number % 3 == 0) p[number / 3 % 3] = 0;
    if (number % 7 == 0) p = {};
    const CorePair pair = core_pair(a, {}, b, {p, number % 2 ? random.rotation() : random.aligned()});
    const Real radius = number % 5 ? Real(0) : Real(random.uniform(0, 0.5));
    CoreContact contact;
    core_distance(pair, std::numeric_limits<Real>::infinity(), contact);
    const double distance = double(contact.distance) - double(radius), band = 2 * kDistanceError;
    const MprResult depth = mpr(pair, radius, MprGoal::kDepth), sign = mpr(pair, radius, MprGoal::kOverlap);
    ASSERT_NEAR(length(Double3(depth.normal)), 1, 16 * kRounding) << number;
    EXPECT_GT(depth.depth, -distance - band) << number;
    if (std::abs(distance) < band) continue;
    EXPECT_EQ(depth.overlap, distance < 0) << number;
    EXPECT_EQ(sign.overlap, distance < 0) << number;
    EXPECT_EQ(cores_nearer_than(pair, radius), distance < 0) << number;
    overlapping += distance < 0;
  }
  EXPECT_GT(overlapping, 2000);
}

}  // namespace
}  // namespace carom
