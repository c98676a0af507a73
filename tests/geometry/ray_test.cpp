// Proves that rays hit shapes where they should: closed forms, brute force over triangles in double, small steps along
// the ray, and rays aimed at the edges and corners of surfaces, which must not leak.
#include <gtest/gtest.h>

#include "geometry/point/shape.kernel.h"
#include "geometry/ray/normal.kernel.h"
#include "geometry/ray/shape.kernel.h"
#include "geometry/test_shapes.h"

namespace carom {
namespace {

using namespace testing_shapes;

constexpr Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

void expect_near(Vec3 found, Vec3 expected, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "component " << i;
}
void expect_hit(ShapeType type, Vec3 scale, Vec3 p, Vec3 d, Real t, Vec3 normal) {
  SCOPED_TRACE(shape_type_name(type));
  const ShapeView shape = {type, scale, nullptr};
  const RayHit hit = ray_shape(shape, p, d, 100);
  EXPECT_NEAR(hit.t, t, 8 * kEpsilon * std::max(t, Real(1)));
  expect_near(surface_normal(shape, p + d * hit.t, hit.triangle), normal, 8 * kEpsilon);
}

TEST(Ray, ClosedForms) {
  expect_hit(ShapeType::kPlane, {}, {1, 2, 3}, -kZ, 3, kZ);
  expect_hit(ShapeType::kPlane, {2, 2, 0}, {-4, 0, 4}, {1, 0, -1}, 4, kZ);
  expect_hit(ShapeType::kSphere, {2, 0, 0}, {-5, 0, 0}, kX, 3, -kX);
  expect_hit(ShapeType::kSphere, {2, 0, 0}, {-5, 0, 0}, kX * Real(2), Real(1.5), -kX);  // t in units of d
  expect_hit(ShapeType::kCapsule, {1, 2, 0}, {5, 0, 1}, -kX, 4, kX);
  expect_hit(ShapeType::kCapsule, {1, 2, 0}, {0, 0, 9}, -kZ, 6, kZ);
  expect_hit(ShapeType::kEllipsoid, {1, 2, 3}, {0, 9, 0}, -kY, 7, kY);
  expect_hit(ShapeType::kCylinder, {1, 2, 0}, {5, 0, 1}, -kX, 4, kX);
  expect_hit(ShapeType::kCylinder, {1, 2, 0}, {Real(0.5), 0, -9}, kZ, 7, -kZ);
  expect_hit(ShapeType::kBox, {1, 2, 3}, {Real(0.5), Real(0.5), 9}, -kZ, 6, kZ);
  expect_hit(ShapeType::kCone, {3, 2, 0}, {9, 0, 0}, -kX, Real(7.5), {Real(0.8), 0, Real(0.6)});
  expect_hit(ShapeType::kCone, {3, 2, 0}, {1, 1, -9}, kZ, 7, -kZ);
  expect_hit(ShapeType::kCone, {3, 2, 0}, {0, 0, 9}, -kZ, 7, kZ);
}

// Proves that a ray that begins inside of a solid meets its far side, and one on the surface meets it there.
TEST(Ray, ClosedFormsFromInside) {
  expect_hit(ShapeType::kSphere, {2, 0, 0}, {1, 0, 0}, kX, 1, kX);
  expect_hit(ShapeType::kSphere, {2, 0, 0}, {2, 0, 0}, kX, 0, kX);
  expect_hit(ShapeType::kSphere, {2, 0, 0}, {2, 0, 0}, -kX, 0, kX);
  expect_hit(ShapeType::kCapsule, {1, 2, 0}, {0, 0, 1}, kX, 1, kX);
  expect_hit(ShapeType::kCapsule, {1, 2, 0}, {0, 0, 1}, -kZ, 4, -kZ);
  expect_hit(ShapeType::kCapsule, {5, 1, 0}, {0, 3, 4}, {0, 0, 1}, 1, {0, Real(0.6), Real(0.8)});
  expect_hit(ShapeType::kEllipsoid, {1, 2, 3}, {}, kY, 2, kY);
  expect_hit(ShapeType::kCylinder, {1, 2, 0}, {Real(0.5), 0, 0}, -kX, Real(1.5), -kX);
  expect_hit(ShapeType::kCylinder, {1, 2, 0}, {Real(0.5), 0, 0}, -kZ, 2, -kZ);
  expect_hit(ShapeType::kBox, {1, 2, 3}, {Real(0.5), Real(0.5), 0}, kY, Real(1.5), kY);
  expect_hit(ShapeType::kCone, {3, 2, 0}, {}, kX, Real(1.5), {Real(0.8), 0, Real(0.6)});
  expect_hit(ShapeType::kCone, {3, 2, 0}, {}, -kZ, 2, -kZ);
  EXPECT_FALSE(is_hit(ray_shape({ShapeType::kPlane, {}, nullptr}, {0, 0, -1}, kZ, 100)));
  EXPECT_FALSE(is_hit(ray_shape({ShapeType::kPlane, {2, 2, 0}, nullptr}, {-4, 0, -4}, {1, 0, 1}, 100)));
  EXPECT_FALSE(is_hit(ray_shape({ShapeType::kSphere, {2, 0, 0}, nullptr}, {}, kX, Real(1.9))));
}

// Proves what does not hit: rays without direction, away from the shape, beside it, and cut off before it.
TEST(Ray, Misses) {
  for (const TestShape& s : solid_shapes(1)) {
    SCOPED_TRACE(s.name);
    EXPECT_FALSE(is_hit(ray_shape(s.view, {5, 0, 0}, {}, 100)));
    EXPECT_FALSE(is_hit(ray_shape(s.view, {Real(0.7), 0, 0}, {}, 100)));
    EXPECT_FALSE(is_hit(ray_shape(s.view, {5, 0, 0}, kX, 100)));
    EXPECT_FALSE(is_hit(ray_shape(s.view, {5, 0, std::numeric_limits<Real>::quiet_NaN()}, -kX, 100)));
    EXPECT_FALSE(is_hit(ray_shape(s.view, {5, 5, 0}, kX * Real(-1), 100)));
    EXPECT_FALSE(is_hit(ray_shape(s.view, {9, Real(0.01), Real(0.02)}, -kX, Real(7.5))));
    EXPECT_TRUE(is_hit(ray_shape(s.view, {9, Real(0.01), Real(0.02)}, -kX, kUnbounded)));
  }
  EXPECT_FALSE(is_hit(ray_shape({ShapeType::kPlane, {}, nullptr}, {0, 0, 1}, kX, 100)));
  EXPECT_FALSE(is_hit(ray_shape({ShapeType::kPlane, {2, 2, 0}, nullptr}, {2, 0, 1}, -kZ, 100)));
}

// -- Random rays.

double reference_hit(const std::vector<Face3>& faces, Vec3d p, Vec3d d) {  // T. Moeller, B. Trumbore, 1997
  double first = -1;
  for (const Face3& f : faces) {
    const Vec3d e1 = f.b - f.a, e2 = f.c - f.a, h = cross(d, e2), s = p - f.a, q = cross(s, e1);
    const double det = dot(e1, h), u = dot(s, h) / det, v = dot(d, q) / det, t = dot(e2, q) / det;
    if (u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && (first < 0 || t < first)) first = t;
  }
  return first;
}

// A ray that begins outside of a ball about the shape and aims into it, or begins anywhere, or inside.
void random_ray(Random& random, const TestShape& s, int i, Vec3& p, Vec3& d) {
  const double away = random(1.2, 6) * s.size;
  Vec3d from = i % 3 == 0 ? random.in_box(s.size) : random.direction() * away;
  for (int tries = 0; i % 4 == 1 && tries < 500; ++tries) {
    if (surface_point(s.view, to_real(from), kUnbounded).distance < 0) break;
    from = random.in_box(0.7 * s.size);
  }
  p = to_real(from);
  const Vec3d to = random.in_box(0.7 * s.size);
  d = to_real((to - from) * (random(0.2, 3) / s.size));
}

// Proves for every solid that the ray meets its surface where it is said to: on its way there it is outside, or inside
// where it began so, at the hit on the surface, and there the normal leads straight away.
TEST(Ray, RandomRaysAgainstTheDistance) {
  for (const Real scale : {Real(1e-3), Real(1), Real(1e3)}) {
    Random random(41);
    for (const TestShape& s : solid_shapes(scale)) {
      SCOPED_TRACE(s.name + " at scale " + std::to_string(scale));
      int hits = 0, from_inside = 0;
      for (int i = 0; i < (scale == 1 ? 540 : 200); ++i) {
        Vec3 p, d;
        random_ray(random, s, i, p, d);
        const RayHit hit = ray_shape(s.view, p, d, kUnbounded);
        const double tolerance = 16 * kEpsilon * std::max(s.size, double(length(p)));
        const double start = surface_point(s.view, p, kUnbounded).distance, side = start < 0 ? -1 : 1;
        if (std::abs(start) <= tolerance) continue;
        const double end = is_hit(hit) ? hit.t : 20 * s.size / length(d);
        for (int k = 0; k < 200; ++k) {  // on one side before; small steps near the end
          const double t = end * (1 - std::pow(k / 200.0, 2));
          const Vec3d x = to_double(p) + to_double(d) * (is_hit(hit) ? t * (1 - 1e-6) : t);
          EXPECT_GT(side * surface_point(s.view, to_real(x), kUnbounded).distance, -tolerance);
        }
        EXPECT_TRUE(is_hit(hit) || side > 0);
        if (!is_hit(hit)) continue;
        ++(side < 0 ? from_inside : hits);
        const Vec3 x = p + d * hit.t, normal = surface_normal(s.view, x, hit.triangle);
        const SurfacePoint at = surface_point(s.view, x, kUnbounded);
        EXPECT_NEAR(at.distance, 0, tolerance);
        EXPECT_NEAR(length(normal), 1, 4 * kEpsilon);
        EXPECT_LE(side * dot(normal, d), 64 * kEpsilon * length(d));
        // A step along the normal goes straight away from the surface; only the ring has walls beside.
        const Real step = Real(0.01 * s.size), least = s.name == "ring mesh" ? step / 2 : step;
        const Real away = surface_point(s.view, x + normal * step, kUnbounded).distance;
        EXPECT_LE(away, step + 2 * tolerance);
        EXPECT_GE(away, least - 2 * tolerance);
      }
      EXPECT_GT(hits, scale == 1 ? 60 : 20);
      EXPECT_GT(from_inside, scale == 1 ? 60 : 20);
    }
  }
}

// Proves meshes, hulls and boxes against brute force over their triangles.
TEST(Ray, TrianglesAgainstBruteForce) {
  Random random(42);
  double worst = 0;
  for (const TestShape& s : solid_shapes(1)) {
    if (s.faces.empty()) continue;
    SCOPED_TRACE(s.name);
    for (int i = 0; i < 500; ++i) {
      Vec3 p, d;
      random_ray(random, s, i, p, d);
      if (std::abs(surface_point(s.view, p, kUnbounded).distance) < 1e-4) continue;
      const double expected = reference_hit(s.faces, to_double(p), to_double(d));
      const RayHit hit = ray_shape(s.view, p, d, kUnbounded);
      EXPECT_EQ(is_hit(hit), expected >= 0);
      if (expected < 0 || !is_hit(hit)) continue;
      // A grazing ray slides along the surface by its rounding.
      const double steep = std::abs(dot(surface_normal(s.view, p + d * hit.t, hit.triangle), normalize(d)));
      const double error = std::abs(hit.t - expected) * length(d) * steep;
      worst = std::max(worst, error);
      EXPECT_LT(error, 8 * kEpsilon * std::max(s.size, double(length(p))));
    }
  }
  RecordProperty("worst_error_in_epsilon", std::to_string(worst / kEpsilon));
}

// Proves that a closed mesh has no gaps: rays to its vertices and to points of its sides, aimed from inside of its
// silhouette, hit it there.
TEST(Ray, ClosedMeshDoesNotLeak) {
  const TestShape ball = of_mesh("ball", make_sphere_mesh(1, 3), {1, 1, 1});
  Random random(43);
  for (int i = 0; i < 20000; ++i) {
    const Face3& f = ball.faces[random.below(int(ball.faces.size()))];
    const Vec3d target = i % 2 ? f.a : f.a + (f.b - f.a) * random(0, 1);
    const Vec3d from = target * 3.0 + random.in_box(0.8);
    const Vec3 p = to_real(from), d = to_real(target - from);
    const RayHit hit = ray_shape(ball.view, p, d, 10);
    ASSERT_TRUE(is_hit(hit));
    EXPECT_NEAR(hit.t, 1, 64 * kEpsilon);
  }
}

// Proves that an open mesh is hit from both sides, and that the normal is that of its triangles.
TEST(Ray, OpenMesh) {
  const TestShape s =
      of_mesh("sheet", Mesh({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {0, 1, 2, 0, 2, 3}), {1, 1, 1});
  for (const Vec3 side : {kZ, -kZ}) {
    const RayHit hit = ray_shape(s.view, side * Real(2) + Vec3{Real(0.5), Real(0.5), 0}, -side, 10);
    EXPECT_EQ(hit.t, 2);
    EXPECT_EQ(surface_normal(s.view, {}, hit.triangle), kZ);
  }
  EXPECT_FALSE(is_hit(ray_shape(s.view, {0, 0, 2}, -kZ, Real(1.9))));
}

// -- Fields.

// Proves heightfields against brute force over their triangles, from above, from beside and from below.
TEST(Ray, HeightfieldAgainstBruteForce) {
  for (const Real scale : {Real(1e-3), Real(1), Real(1e3)}) {
    const HeightfieldArrays field(hills(17, 25, 0.7), Vec3{1, 1, 1} * scale);
    GeometryView geometry{};
    geometry.heightfield = field.view();
    const ShapeView s = {ShapeType::kHeightfield, {}, &geometry};
    std::vector<Face3> faces;
    for (int t = 0; t < 2 * 16 * 24; ++t) {
      const TriangleCorners c = triangle_corners(field.view(), t);
      faces.push_back({to_double(c.corner[0]), to_double(c.corner[1]), to_double(c.corner[2])});
    }
    Random random(44);
    int hits = 0;
    for (int i = 0; i < 1500; ++i) {
      const Vec3d from = Vec3d{random(-5, 5), random(-4, 4), random(-2, 3)} * double(scale);
      const Vec3d to = Vec3d{random(-3, 3), random(-2, 2), random(-0.6, 0.6)} * double(scale);
      const Vec3 p = to_real(from), d = to_real((to - from) / double(scale));
      const RayHit hit = ray_shape(s, p, d, kUnbounded);
      const double expected = reference_hit(faces, to_double(p), to_double(d));
      ASSERT_EQ(is_hit(hit), expected >= 0);
      if (expected < 0) continue;
      ++hits;
      const Vec3 normal = surface_normal(s, p + d * hit.t, hit.triangle);
      const double steep = std::abs(dot(normal, normalize(d)));
      EXPECT_LT(std::abs(hit.t - expected) * length(d) * steep, 8 * kEpsilon * 6 * scale);
      EXPECT_GT(normal.z, 0);
    }
    EXPECT_GT(hits, 300);
    // To nodes and sides, steeply and straight down.
    for (int i = 0; i < 5000; ++i) {
      const Face3& f = faces[random.below(int(faces.size()))];
      const Vec3d to = i % 2 ? f.a : f.a + (f.b - f.a) * random(0, 1);
      if (std::abs(to.x) > 2.9 * scale || std::abs(to.y) > 1.9 * scale) continue;
      const Vec3d away = i % 4 < 2 ? Vec3d{0, 0, 3} : Vec3d{random(-0.5, 0.5), random(-0.5, 0.5), 3};
      const RayHit hit = ray_shape(s, to_real(to + away * double(scale)), to_real(-away), 10 * scale);
      ASSERT_TRUE(is_hit(hit));
      EXPECT_NEAR(hit.t, scale, 64 * kEpsilon * scale);
    }
  }
}

// Proves that rays end on the zero of a field, and that it is positive all the way there, but for grazed walls that are
// thinner than the steps of the search.
TEST(Ray, SignedDistanceField) {
  const SdfArrays sdf(sdf_from_mesh(ring_mesh(12), Real(0.1), Real(0.2)), 1);
  GeometryView geometry{};
  geometry.sdf = sdf.view();
  const ShapeView s = {ShapeType::kSdf, {}, &geometry};
  Random random(45);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vec3d from = random.in_box(3);
    const Vec3 p = to_real(from), d = to_real(random.in_box(0.8) - from);
    const RayHit hit = ray_shape(s, p, d, 10);
    const double side = surface_point(s, p, 1).distance < 0 ? -1 : 1;
    const double end = is_hit(hit) ? hit.t : 10, step = sdf.spacing / 32 / length(d);
    const auto distance_at = [&](double t) { return side * surface_point(s, p + d * Real(t), 1).distance; };
    for (int k = 0; k < 500; ++k) {
      const double t = end * k / 500, least = std::min(distance_at(t - step), distance_at(t + step));
      EXPECT_TRUE(distance_at(t) >= -16 * kEpsilon || least > 0) << "a wall at " << t << " is not seen";
    }
    if (!is_hit(hit)) continue;
    ++hits;
    EXPECT_NEAR(surface_point(s, p + d * hit.t, 1).distance, 0, 16 * kEpsilon);
    EXPECT_NEAR(length(surface_normal(s, p + d * hit.t, hit.triangle)), 1, 4 * kEpsilon);
  }
  EXPECT_GT(hits, 100);
}

}  // namespace
}  // namespace carom
