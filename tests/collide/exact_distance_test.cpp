// Signed distances of round and flat convex shapes, apart, touching and overlapping, against a search uphill in the
// separation along a direction, which knows no algorithm.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

// What remains in double precision is 1e-10 of shapes of 0.5 m; in single precision the rounding of coordinates.
constexpr double kExact = sizeof(Real) == 8 ? 1e-10 : 2e-6;

// The greatest separation near n.
double climb(const Posed& a, const Posed& b, Double3 n, FixedRandom& random) {
  double most = separation(a, b, n), step = 1e-3;
  for (int i = 0; i < 1500; ++i) {
    const double x = random.normal(), y = random.normal(), z = random.normal();
    const Double3 next = unit(n + Double3{x, y, z} * step);
    const double s = separation(a, b, next);
    if (s > most) most = s, n = next, step *= 1.6;
    else step = std::max(0.9 * step, 1e-12);
  }
  return most;
}

class ExactDistance : public ::testing::TestWithParam<int> {};

// Proves that the distance is the greatest separation of all directions near its normal, at distances from far to
// deep, 1e-10 m on either side of touching and there itself, so that it is continuous through touching, and that the
// points are that far apart.
TEST_P(ExactDistance, NearTouching) {
  constexpr ShapeType kTypes[] = {ShapeType::kSphere,   ShapeType::kCapsule, ShapeType::kEllipsoid,
                                  ShapeType::kCylinder, ShapeType::kBox,     ShapeType::kCone};
  const ShapeType type_a = kTypes[GetParam() / 6], type_b = kTypes[GetParam() % 6];
  RandomShapes random(unsigned(1 + GetParam()));
  for (int number = 0; number < 12; ++number) {
    Posed a{random.shape(type_a, 0.5), {}}, b{random.shape(type_b, 0.5), {}};
    const bool parallel = number % 4 == 0;
    a.X.q = parallel ? random.aligned() : random.rotation();
    b.X = {random.vector(1.5), parallel ? random.aligned() : random.rotation()};
    ConvexDistance d = distance_of(a, b);
    b.X.p = b.X.p - d.normal * d.distance;
    d = distance_of(a, b);
    const Vec3 touching = b.X.p - d.normal * d.distance;
    for (const double distance : {1e-1, 1e-2, 1e-4, 1e-8, 1e-10, 0.0, -1e-10, -1e-8, -1e-4, -1e-2}) {
      b.X.p = touching + d.normal * Real(distance);
      const ConvexDistance found = distance_of(a, b);
      const double best = std::max(climb(a, b, unit(Double3(found.normal)), random.random),
                                   climb(a, b, unit(Double3(d.normal)), random.random));
      EXPECT_NEAR(found.distance, best, kExact) << "pair " << number << " at " << distance;
      EXPECT_NEAR(dot(found.point_b - found.point_a, found.normal), found.distance, kExact);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, ExactDistance, ::testing::Range(0, 36));

}  // namespace
}  // namespace carom
