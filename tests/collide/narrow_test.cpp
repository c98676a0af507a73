// Pairs of shapes against recorded vectors, an independent search for the nearest points, and each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "collide/narrow/capsule_capsule.kernel.h"
#include "collide/narrow/plane_capsule.kernel.h"
#include "collide/narrow/plane_sphere.kernel.h"
#include "collide/narrow/sphere_capsule.kernel.h"
#include "collide/narrow/sphere_sphere.kernel.h"
#include "math/lanes.h"
#include "tests/random.h"

namespace carom {
namespace {

using Shape = PosedShape<Real>;
using Hit = HitT<Real>;
constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr Real kSixDigits = Real(6e-7);  // vectors are recorded with six decimals

constexpr Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

Shape plane(Vec3 p, Vec3 normal) { return {p, normal, 0, 0}; }
Shape sphere(Vec3 center, Real radius) { return {center, kZ, radius, 0}; }
Shape capsule(Vec3 center, Vec3 axis, Real radius, Real half_height) { return {center, axis, radius, half_height}; }

void expect_near(Vec3 found, Vec3 expected, Real tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "component " << i;
}
void expect_hit(const Hit& hit, Vec3 point, Vec3 normal, Real distance, Real tolerance) {
  SCOPED_TRACE(::testing::Message() << "distance " << hit.distance);
  expect_near(hit.point, point, tolerance);
  expect_near(hit.normal, normal, tolerance);
  EXPECT_NEAR(hit.distance, distance, tolerance);
}

// -- Recorded and computed by hand.

// One point, under the sphere, midway between the surfaces, on either side of the plane and for a tilted one.
TEST(Narrow, PlaneSphere) {
  Hit hit[2];
  EXPECT_FALSE(plane_sphere(plane({5, -3, 0}, kZ), sphere({Real(0.25), Real(0.5), Real(0.75)}, 1), hit));
  expect_hit(hit[0], {Real(0.25), Real(0.5), Real(-0.125)}, kZ, Real(-0.25), 4 * kEpsilon);
  plane_sphere(plane({}, kZ), sphere({0, 0, 3}, 1), hit);
  expect_hit(hit[0], {0, 0, 1}, kZ, 2, 4 * kEpsilon);
  const Vec3 n{Real(0.6), 0, Real(0.8)};
  plane_sphere(plane(n, n), sphere(n * Real(3), Real(0.5)), hit);  // centre two above the plane
  expect_hit(hit[0], n * Real(1.75), n, Real(1.5), 8 * kEpsilon);
}

// Two points, that at +axis first, with the axis as the direction of friction.
TEST(Narrow, PlaneCapsule) {
  const Vec3 center{Real(0.003), Real(0.002), Real(0.099)};
  for (const Real sign : {Real(1), Real(-1)}) {
    Hit hit[2];
    EXPECT_TRUE(plane_capsule(plane({}, kZ), capsule(center, kX * sign, Real(0.1), Real(0.1)), hit));
    const Vec3 ends[] = {{Real(0.003) + sign * Real(0.1), Real(0.002), Real(-0.0005)},
                         {Real(0.003) - sign * Real(0.1), Real(0.002), Real(-0.0005)}};
    for (int i = 0; i < 2; ++i) {
      expect_hit(hit[i], ends[i], kZ, Real(-0.001), kSixDigits);
    }
  }
  Hit hit[2];  // upright: one end far above the other
  plane_capsule(plane({}, kZ), capsule({0, 0, 1}, kZ, Real(0.25), Real(0.75)), hit);
  EXPECT_EQ(hit[0].distance, Real(1.5));
  EXPECT_EQ(hit[1].distance, Real(0));
}

TEST(Narrow, SphereSphere) {
  Hit hit[2];
  EXPECT_FALSE(sphere_sphere(sphere({1, 0, 0}, Real(0.5)), sphere({1, 2, 0}, 1), hit));
  expect_hit(hit[0], {1, Real(0.75), 0}, kY, Real(0.5), 4 * kEpsilon);
  sphere_sphere(sphere({}, Real(0.1)), sphere({}, Real(0.1)), hit);
  expect_hit(hit[0], {}, kX, Real(-0.2), 2 * kEpsilon);
  // Coincident with different z axes: the normal stands on both.
  Shape turned = sphere({}, Real(0.1));
  turned.axis = kX;
  sphere_sphere(sphere({}, Real(0.1)), turned, hit);
  expect_hit(hit[0], {}, kY, Real(-0.2), 2 * kEpsilon);
}

TEST(Narrow, SphereCapsule) {
  const Shape rod = capsule({0, 0, 1}, kX, Real(0.25), 1);
  Hit hit[2];
  EXPECT_FALSE(sphere_capsule(sphere({Real(0.5), 0, 2}, Real(0.5)), rod, hit));  // beside it
  expect_hit(hit[0], {Real(0.5), 0, Real(1.375)}, kZ * Real(-1), Real(0.25), 4 * kEpsilon);
  sphere_capsule(sphere({4, 0, 5}, Real(0.5)), rod, hit);  // past its end: (1, 0, 1) is 3, 4, 5 away
  expect_hit(hit[0], Vec3{1, 0, 1} + Vec3{Real(0.6), 0, Real(0.8)} * Real(0.25 + 4.25 / 2), {Real(-0.6), 0, Real(-0.8)},
             Real(4.25), 16 * kEpsilon);
  sphere_capsule(sphere({Real(0.5), 0, 1}, Real(0.5)), rod, hit);  // centre on the axis: across both z axes
  EXPECT_EQ(hit[0].distance, Real(-0.75));
  expect_near(hit[0].normal, kY, kEpsilon);
}

// Both ends of the overlap, that at -axis of the first one first.
TEST(Narrow, ParallelCapsules) {
  const Shape a = capsule({}, kX, Real(0.1), Real(0.1));
  const Shape b = capsule({Real(0.003), Real(0.002), Real(0.199)}, kX, Real(0.1), Real(0.1));
  const Vec3 normal{0, Real(0.010050), Real(0.999950)};
  for (const Real sign : {Real(1), Real(-1)}) {  // which way the second axis points does not matter
    Shape other = b;
    other.axis = kX * sign;
    Hit hit[2];
    EXPECT_TRUE(capsule_capsule(a, other, hit));
    expect_hit(hit[0], {Real(-0.097), Real(0.001), Real(0.0995)}, normal, Real(-0.00098995), kSixDigits);
    expect_hit(hit[1], {Real(0.1), Real(0.001), Real(0.0995)}, normal, Real(-0.00098995), kSixDigits);
  }
}

// 1e-4 rad still counts as parallel, 5e-4 rad does not.
TEST(Narrow, WhatCountsAsParallel) {
  const Shape a = capsule({}, kX, Real(0.1), 1);
  const auto turned = [](Real angle) { return capsule({0, 0, Real(0.3)}, normalize(Vec3{1, angle, 0}), Real(0.1), 1); };
  Hit hit[2];
  EXPECT_TRUE(capsule_capsule(a, turned(Real(0.9e-4)), hit));
  EXPECT_FALSE(capsule_capsule(a, turned(Real(5e-4)), hit));
  expect_hit(hit[0], {0, 0, Real(0.15)}, kZ, Real(0.1), 1e4 * kEpsilon);  // a third digit of 5e-4 is all there is
}

// Axes that are parallel but for 0.9e-4 rad: the ends of the first one within the second are where they are, with
// normals of their own. From there and back the foot of the perpendicular would be 1e-8 aside.
TEST(Narrow, NearlyParallelCapsulesKeepTheirEnds) {
  const Real angle = Real(0.9e-4);
  const Shape a = capsule({}, kX, Real(0.1), 1),
              b = capsule({0, 0, Real(0.3)}, normalize(Vec3{1, angle, 0}), Real(0.1), 3);
  Hit hit[2];
  EXPECT_TRUE(capsule_capsule(a, b, hit));
  for (const int end : {0, 1}) {
    const Real s = end == 0 ? Real(-1) : Real(1);
    const Vec3 to_b = Vec3{0, s * angle, Real(0.3)};
    expect_near(hit[end].normal, normalize(to_b), 4 * angle * angle);
    expect_near(hit[end].point - hit[end].normal * (Real(0.1) + hit[end].distance / 2), {s, 0, 0}, 4 * kEpsilon);
  }
}

TEST(Narrow, CrossedCapsules) {
  Hit hit[2];
  EXPECT_FALSE(capsule_capsule(capsule({}, kX, Real(0.25), 1), capsule({Real(0.5), 0, 1}, kY, Real(0.25), 1), hit));
  expect_hit(hit[0], {Real(0.5), 0, Real(0.5)}, kZ, Real(0.5), 4 * kEpsilon);
  // Axes that meet: the normal stands on both.
  capsule_capsule(capsule({}, kX, Real(0.25), 1), capsule({Real(0.5), Real(0.25), 0}, kY, Real(0.25), 1), hit);
  expect_hit(hit[0], {Real(0.5), 0, 0}, kZ, Real(-0.5), 4 * kEpsilon);
}

// -- Against a search that knows no formulas: the distance of a point of one segment from the other is convex.

struct Segment {
  double center[3], axis[3], half;
  explicit Segment(const Shape& s)
      : center{s.center.x, s.center.y, s.center.z}, axis{s.axis.x, s.axis.y, s.axis.z}, half(s.half_height) {}
};

double distance_to(const Segment& b, const Segment& a, double s) {
  double d[3], along = 0, square = 0, axis2 = 0;
  for (int i = 0; i < 3; ++i) {
    d[i] = a.center[i] + s * a.axis[i] - b.center[i];
    along += d[i] * b.axis[i];
    axis2 += b.axis[i] * b.axis[i];
  }
  const double t = std::clamp(along / axis2, -b.half, b.half);
  for (int i = 0; i < 3; ++i) square += (d[i] - t * b.axis[i]) * (d[i] - t * b.axis[i]);
  return std::sqrt(square);
}

double least_distance(const Segment& a, const Segment& b) {
  double low = -a.half, high = a.half;
  for (int i = 0; i < 120; ++i) {
    const double third = (high - low) / 3;
    if (distance_to(b, a, low + third) < distance_to(b, a, high - third)) high -= third;
    else low += third;
  }
  return distance_to(b, a, (low + high) / 2);
}

// The kinds of capsules that make trouble, in turn.
struct CapsulePair {
  Shape a, b;
};
CapsulePair random_pair(int number, FixedRandom& random) {
  const auto real = [&] { return static_cast<Real>(random.uniform(-1, 1)); };
  const auto vector = [&] {
    const Real x = real(), y = real(), z = real();
    return Vec3{x, y, z};
  };
  const auto direction = [&] { return normalize(vector() + Vec3{0, 0, Real(1e-3)}); };
  // In braces, which are read in order: the same pairs from every compiler.
  Shape a{vector(), direction(), Real(0.15) + real() / 10, abs(real())};
  Shape b{vector(), direction(), Real(0.15) + real() / 10, abs(real())};
  const Vec3 side = cross(a.axis, direction());
  switch (number % 8) {
    case 0:
    case 1: break;
    case 2: b.axis = number % 16 < 8 ? a.axis : a.axis * Real(-1); break;  // parallel
    case 3: b.axis = normalize(fma(side, real() * Real(1e-2), a.axis)); break;
    case 4: b.axis = normalize(fma(side, real() * Real(3e-4), a.axis)); break;
    case 5: (number % 16 < 8 ? a : b).half_height = 0; break;  // a sphere
    case 6:                                                    // collinear
      b.axis = a.axis;
      b.center = fma(a.axis, real() * 2, a.center);
      break;
    default: {  // two points of the axes exactly as far apart as the surfaces are thick, or one and the same
      const Vec3 n = normalize(cross(a.axis, b.axis));
      const Real apart = number % 16 < 8 ? a.radius + b.radius : Real(0);
      b.center = fma(n, apart, fma(b.axis, -b.half_height / 2, fma(a.axis, a.half_height / 2, a.center)));
    }
  }
  return {a, b};
}

// Rounding of coordinates, and of an axis whose length is not quite one.
Real rounding(const Shape& a, const Shape& b) {
  const Real size = length(a.center) + length(b.center) + a.half_height + b.half_height + a.radius + b.radius;
  return 16 * kEpsilon * size;
}

// Proves that the distance of capsules is the least one that there is, that normal and point belong to it, and that
// the other order of the two gives the mirror image.
TEST(Narrow, CapsulesAgainstSearch) {
  SeededRandom random(1);
  int parallel_pairs = 0;
  for (int number = 0; number < 100000; ++number) {
    const auto [a, b] = random_pair(number, random);
    Hit hit[2] = {}, mirrored[2] = {};
    const bool parallel = capsule_capsule(a, b, hit), mirrored_parallel = capsule_capsule(b, a, mirrored);
    // At the border between parallel and not, rounding decides, and may decide differently for the other order.
    const Real sine2 = length_squared(cross(a.axis, b.axis));
    if (abs(sine2 - Real(1e-8)) < Real(1e-10)) continue;
    ASSERT_EQ(parallel, mirrored_parallel);
    parallel_pairs += parallel;
    const double expected = least_distance(Segment(a), Segment(b)) - double(a.radius) - double(b.radius);
    // What counts as parallel has its two points at the ends, where axes that are 1e-4 rad apart may be nearest or not.
    const Real slack = rounding(a, b) + (parallel ? Real(1e-4) * (a.half_height + b.half_height) : Real(0));
    SCOPED_TRACE(::testing::Message() << "pair " << number << (parallel ? ", parallel" : ""));
    for (int i = 0; i < (parallel ? 2 : 1); ++i) {
      EXPECT_NEAR(length(hit[i].normal), 1, 4 * kEpsilon);
      // The surfaces are half the distance away from the point, on both sides.
      const Vec3 on_a = fma(hit[i].normal, hit[i].distance * Real(-0.5), hit[i].point);
      const Vec3 on_b = fma(hit[i].normal, hit[i].distance * Real(0.5), hit[i].point);
      const auto from_axis = [](const Shape& s, Vec3 p) {
        const Segment axis(s);
        Shape point = s;
        point.center = p;
        point.half_height = 0;
        return static_cast<Real>(least_distance(Segment(point), axis));
      };
      EXPECT_LE(from_axis(a, on_a), a.radius + slack);
      EXPECT_LE(from_axis(b, on_b), b.radius + slack);
    }
    const Real least = parallel ? min(hit[0].distance, hit[1].distance) : hit[0].distance;
    const Real least_mirrored = parallel ? min(mirrored[0].distance, mirrored[1].distance) : mirrored[0].distance;
    EXPECT_NEAR(least, expected, slack);
    EXPECT_NEAR(least_mirrored, least, slack);
    if (HasFailure()) return;
  }
  EXPECT_GT(parallel_pairs, 20000);
}

// Proves that the points themselves are mirrored where they are unique: crossed axes that do not meet.
TEST(Narrow, SwappedCapsulesAreMirrored) {
  SeededRandom random(2);
  for (int number = 0; number < 10000; ++number) {
    const auto [a, b] = random_pair(0, random);
    const Vec3 n = cross(a.axis, b.axis);
    Hit hit[2] = {}, mirrored[2] = {};
    capsule_capsule(a, b, hit);
    capsule_capsule(b, a, mirrored);
    const Real apart = hit[0].distance + a.radius + b.radius;
    if (length(n) < Real(0.1) || apart < Real(0.05)) continue;
    // Nearest points move by rounding over the angle between the axes; directions by that over the distance.
    const Real slack = rounding(a, b) / length_squared(n);
    expect_near(mirrored[0].point, hit[0].point, slack);
    expect_near(mirrored[0].normal, hit[0].normal * Real(-1), slack / apart);
    if (HasFailure()) FAIL() << "pair " << number;
  }
}

// Proves that the other order of two spheres gives the mirror image, and that a sphere is a capsule of no length.
TEST(Narrow, SpheresAgreeWithShortCapsules) {
  SeededRandom random(3);
  for (int number = 0; number < 10000; ++number) {
    auto [a, b] = random_pair(0, random);
    a.half_height = 0;
    Hit spheres[2], sphere_and_rod[2], rods[2], swapped[2];
    sphere_capsule(a, b, sphere_and_rod);
    capsule_capsule(a, b, rods);
    EXPECT_NEAR(sphere_and_rod[0].distance, rods[0].distance, rounding(a, b));
    expect_near(sphere_and_rod[0].point, rods[0].point, 4 * rounding(a, b));
    b.half_height = 0;
    sphere_sphere(a, b, spheres);
    sphere_capsule(a, b, sphere_and_rod);
    sphere_sphere(b, a, swapped);
    EXPECT_EQ(sphere_and_rod[0].distance, spheres[0].distance);
    EXPECT_EQ(sphere_and_rod[0].point, spheres[0].point);
    EXPECT_EQ(swapped[0].normal, spheres[0].normal * Real(-1));
    expect_near(swapped[0].point, spheres[0].point, rounding(a, b));
    if (HasFailure()) FAIL() << "pair " << number;
  }
}

// Proves that distances and normals of capsules do not know where in the world they are, as long as their centres can
// be written down there.
TEST(Narrow, FarFromTheOriginIsAsNear) {
  SeededRandom random(5);
  const auto on_grid = [](Vec3 p) {
    const auto rounded = [](Real x) { return Real(std::round(double(x) * 256) / 256); };
    return Vec3{rounded(p.x), rounded(p.y), rounded(p.z)};
  };
  for (int number = 0; number < 10000; ++number) {
    auto [a, b] = random_pair(number, random);
    a.center = on_grid(a.center), b.center = on_grid(b.center);
    const Vec3 far{512, -256, 1024};
    Shape far_a = a, far_b = b;
    far_a.center = a.center + far, far_b.center = b.center + far;
    Hit here[2] = {}, there[2] = {};
    ASSERT_EQ(capsule_capsule(a, b, here), capsule_capsule(far_a, far_b, there));
    EXPECT_EQ(there[0].distance, here[0].distance);
    EXPECT_EQ(there[0].normal, here[0].normal);
    sphere_capsule(a, b, here);
    sphere_capsule(far_a, far_b, there);
    EXPECT_EQ(there[0].distance, here[0].distance);
    EXPECT_EQ(there[0].normal, here[0].normal);
    if (HasFailure()) FAIL() << "pair " << number;
  }
}

// Proves that capsules in lanes, parallel ones beside others, have the bits of capsules alone.
TEST(Narrow, LanesHaveTheBitsOfPlainNumbers) {
  constexpr int W = 8;
  using F = Lanes<Real, W>;
  SeededRandom random(4);
  for (int group = 0; group < 2000; ++group) {
    PosedShape<F> a, b;
    std::vector<CapsulePair> pairs;
    const auto set = [](PosedShape<F>& to, int l, const Shape& from) {
      for (int i = 0; i < 3; ++i) to.center[i].set(l, from.center[i]), to.axis[i].set(l, from.axis[i]);
      to.radius.set(l, from.radius), to.half_height.set(l, from.half_height);
    };
    a.radius = a.half_height = b.radius = b.half_height = F{};
    for (int l = 0; l < W; ++l) {
      pairs.push_back(random_pair(group % 2 ? l : 0, random));
      set(a, l, pairs[l].a);
      set(b, l, pairs[l].b);
    }
    HitT<F> lanes[2];
    const auto parallel = capsule_capsule(a, b, lanes);
    for (int l = 0; l < W; ++l) {
      Hit alone[2];
      ASSERT_EQ(capsule_capsule(pairs[l].a, pairs[l].b, alone), parallel[l]);
      for (int h = 0; h < (parallel[l] ? 2 : 1); ++h) {
        const auto* const numbers = reinterpret_cast<const F*>(&lanes[h]);
        const auto* const expected = reinterpret_cast<const Real*>(&alone[h]);
        for (std::size_t k = 0; k < sizeof(Hit) / sizeof(Real); ++k) ASSERT_EQ(numbers[k][l], expected[k]) << k;
      }
    }
  }
}

}  // namespace
}  // namespace carom
