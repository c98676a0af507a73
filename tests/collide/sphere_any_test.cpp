// Proves that spheres touch shapes of every type where they should: recorded numbers, the nearest of many samples, one
// contact for each face of a valley, and none for sides within flat surfaces.
#include "collide/narrow/sphere_any.kernel.h"

#include <gtest/gtest.h>

#include "geometry/test_shapes.h"

namespace carom {
namespace {

using namespace testing_shapes;

constexpr Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

std::vector<ContactPoint> touch(Vec3 center, Real radius, const ShapeView& b, const Transform& X_WB, Real reach) {
  ContactPoint out[kMaxManifold + 1];
  const int count = sphere_any(center, radius, b, X_WB, reach, out);
  EXPECT_LE(count, kMaxManifold);
  return {out, out + count};
}
ContactPoint touch_one(Vec3 center, Real radius, ShapeType type, Vec3 scale) {
  const auto points = touch(center, radius, {type, scale, nullptr}, {}, 10);
  EXPECT_EQ(points.size(), 1u);
  return points.empty() ? ContactPoint{} : points[0];
}
void expect_near(Vec3 found, Vec3 expected, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "component " << i;
}

// -- Numbers of Newton's test_collision_primitives.

// Along an axis: where the sphere's centre lies, and the distance.
void expect_along(Vec3 axis, Real radius, ShapeType type, Vec3 scale, std::vector<std::pair<double, double>> expected) {
  for (const auto& [at, distance] : expected) {
    const ContactPoint c = touch_one(axis * Real(at), radius, type, scale);
    EXPECT_NEAR(c.distance, distance, 8 * kEpsilon) << shape_type_name(type) << " at " << at;
    expect_near(c.normal, -axis, 4 * kEpsilon);
    expect_near(c.point, axis * Real(at - radius - distance / 2), 8 * kEpsilon);
  }
}
TEST(SphereAny, RecordedDistances) {
  expect_along(kX, 1, ShapeType::kSphere, {1, 0, 0},
               {{3.5, 1.5}, {3, 1}, {2.5, .5}, {2, 0}, {1.8, -.2}, {1.5, -.5}, {1.2, -.8}});
  expect_along(kX, Real(.5), ShapeType::kSphere, {1, 0, 0}, {{2, .5}, {1.5, 0}, {1.2, -.3}});
  expect_along(kY, Real(.5), ShapeType::kCapsule, {Real(.5), 1, 0}, {{1.5, .5}, {1, 0}, {.9, -.1}, {.8, -.2}});
  expect_along(kZ, Real(.5), ShapeType::kCapsule, {Real(.5), 1, 0}, {{2.5, .5}, {2, 0}, {1.9, -.1}, {1.8, -.2}});
  for (const Vec3 axis : {kX, kZ}) {
    expect_along(axis, Real(.5), ShapeType::kCylinder, {1, 1, 0}, {{2, .5}, {1.5, 0}, {1.4, -.1}, {1.3, -.2}});
  }
  expect_along(kX, Real(.5), ShapeType::kBox, {1, 1, 1},
               {{2.5, 1}, {2, .5}, {1.5, 0}, {1.4, -.1}, {1.3, -.2}, {1.2, -.3}});
  expect_along(kZ, Real(.5), ShapeType::kBox, {1, 1, 1}, {{2, .5}, {1.5, 0}, {1.3, -.2}});
  expect_along(kZ, Real(.3), ShapeType::kBox, {1, 1, 1}, {{.4, -.9}});  // the centre is inside
}

// Newton's test_heightfield: above, far above, and a little below a flat field.
TEST(SphereAny, FlatHeightfield) {
  const HeightfieldArrays flat(Heightfield(std::vector<Real>(121, 0), 11, 11, 5, 5), {2, 2, 1});
  GeometryView geometry{};
  geometry.heightfield = flat.view();
  const ShapeView s = {ShapeType::kHeightfield, {}, &geometry};
  const Transform X_WB = {{}, {0, 0, Real(std::sin(.2)), Real(std::cos(.2))}};  // turned by 0.4 rad
  EXPECT_TRUE(touch({0, 0, 5}, Real(.1), s, X_WB, Real(.2)).empty());
  EXPECT_EQ(touch({0, 0, Real(.2)}, Real(.1), s, X_WB, Real(.2)).size(), 1u);
  for (const double depth : {.005, .019, .021, .05}) {
    for (const Vec3 p : {Vec3{}, Vec3{Real(.3), Real(.1), 0}, Vec3{2, 2, 0}, Vec3{Real(-3.7), 1, 0}}) {
      const auto points = touch(p + Vec3{0, 0, Real(.1 - depth)}, Real(.1), s, X_WB, Real(.01));
      ASSERT_EQ(points.size(), 1u);
      EXPECT_NEAR(points[0].distance, -depth, 1e-6);
      expect_near(points[0].normal, -kZ, 1e-6);
      EXPECT_NEAR(points[0].point.z, -depth / 2, 1e-6);
    }
  }
  // Beside the field there is nothing.
  EXPECT_TRUE(touch({20, 0, Real(-1)}, 1, s, {}, Real(.1)).empty());
}

// -- Every shape, from the distance of its points.

// Proves for random places that the deepest contact is that of the nearest point of the surface, and that all contacts
// lie on the sphere and on the shape, with distinct normals, within reach.
TEST(SphereAny, RandomPlaces) {
  Random random(31);
  for (const Real scale : {Real(1e-3), Real(1), Real(1e3)}) {
    for (const TestShape& s : solid_shapes(scale)) {
      SCOPED_TRACE(s.name + " at scale " + std::to_string(scale));
      for (int i = 0; i < (scale == 1 ? 300 : 50); ++i) {
        const Transform X_WB = {to_real(random.in_box(1) * s.size), random.rotation()};
        const Vec3 center = to_real(random.in_box(1.5) * s.size);
        const Real radius = Real(random(0.05, 0.6) * s.size), reach = Real(0.2 * s.size);
        const double tolerance = 8 * kEpsilon * 4 * s.size;
        const Vec3 p_B = transform_point(inverse(X_WB), center);
        const SurfacePoint nearest = surface_point(s.view, p_B, kUnbounded);
        const auto points = touch(center, radius, s.view, X_WB, reach);
        const double beyond = double(nearest.distance) - radius - reach;
        EXPECT_TRUE(std::abs(beyond) <= tolerance || points.empty() == (beyond > 0));
        Real deepest = kUnbounded;
        for (const ContactPoint& c : points) {
          deepest = std::min(deepest, c.distance);
          EXPECT_LT(c.distance, reach);
          EXPECT_NEAR(length(c.normal), 1, 8 * kEpsilon);
          const Vec3 on_sphere = c.point - c.normal * (c.distance / 2),
                     on_shape = c.point + c.normal * (c.distance / 2);
          expect_near(on_sphere, center + c.normal * radius, tolerance);
          const Vec3 place = transform_point(inverse(X_WB), on_shape);
          EXPECT_NEAR(surface_point(s.view, place, kUnbounded).distance, 0, tolerance);
          for (const ContactPoint& other : points) {
            EXPECT_TRUE(c.feature == other.feature || dot(c.normal, other.normal) <= Real(0.9991));
          }
        }
        EXPECT_TRUE(points.empty() || std::abs(deepest - (nearest.distance - radius)) <= tolerance);
      }
    }
  }
}

// -- Several contacts.

// Two slopes of 45 degrees that meet in the line x = z = 0: a valley for side = 1, a ridge for side = -1; solid below.
Mesh two_slopes(Real side) {
  return Mesh({{-1, -1, side}, {0, -1, 0}, {1, -1, side}, {-1, 1, side}, {0, 1, 0}, {1, 1, side}},
              {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4});
}

// Proves that in a valley each face pushes by itself, along its own normal.
TEST(SphereAny, ValleyHasTwoContacts) {
  const TestShape s = of_mesh("valley", two_slopes(1), {1, 1, 1});
  const Real root = Real(std::sqrt(0.5));
  const auto points = touch({0, Real(0.1), Real(0.5)}, Real(0.4), s.view, {}, Real(0.1));
  ASSERT_EQ(points.size(), 2u);
  expect_near(points[0].normal, {-root, 0, -root}, 4 * kEpsilon);
  expect_near(points[1].normal, {root, 0, -root}, 4 * kEpsilon);
  for (const ContactPoint& c : points) EXPECT_NEAR(c.distance, 0.5 * root - 0.4, 4 * kEpsilon);
}

// Proves that a ridge gives one contact, from the line, wherever the sphere stands over it.
TEST(SphereAny, RidgeHasOneContact) {
  const TestShape s = of_mesh("ridge", two_slopes(-1), {1, 1, 1});
  Random random(32);
  for (int i = 0; i < 200; ++i) {
    const double angle = random(-0.78, 0.78);
    const Vec3d away = {std::sin(angle), 0, std::cos(angle)};
    const auto points = touch(to_real(away * 0.45 + Vec3d{0, random(-0.9, 0.9), 0}), Real(0.5), s.view, {}, Real(0.01));
    ASSERT_EQ(points.size(), 1u);
    expect_near(points[0].normal, -to_real(away), 8 * kEpsilon);
    EXPECT_NEAR(points[0].distance, -0.05, 8 * kEpsilon);
  }
}

// A floor of n x n squares, each cut in two, with every vertex written once per triangle as in an STL file.
Mesh floor_mesh(int n, Real size) {
  std::vector<Vec3> v;
  std::vector<int> indices;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto node = [&](int a, int b) { return Vec3{size * Real(i + a), size * Real(j + b), 0}; };
      for (const Vec3 p : {node(0, 0), node(1, 0), node(1, 1), node(0, 0), node(1, 1), node(0, 1)}) v.push_back(p);
    }
  }
  for (int i = 0; i < int(v.size()); ++i) indices.push_back(i);
  return Mesh(v, indices);
}

// Proves that a sphere that rolls over a floor of triangles has one upright contact everywhere: over faces, exactly
// over sides and corners, and a rounding error or little more beside them; also when it is sunk in.
TEST(SphereAny, InternalSidesGiveNothing) {
  const TestShape mesh = of_mesh("floor", floor_mesh(12, Real(0.25)), {1, 1, 1});
  const HeightfieldArrays flat(Heightfield(std::vector<Real>(169, 0), 13, 13, Real(1.5), Real(1.5)), {1, 1, 1});
  GeometryView geometry{};
  geometry.heightfield = flat.view();
  const ShapeView field = {ShapeType::kHeightfield, {}, &geometry};
  Random random(33);
  for (int i = 0; i < 2000; ++i) {
    Vec3 p = {Real(random(0.5, 2.5)), Real(random(0.5, 2.5)), Real(random(0.002, 0.3))};
    if (i % 2) p.x = Real(0.25) * Real(2 + random.below(8)) * (i % 8 < 4 ? 1 : 1 + kEpsilon * 3);
    if (i % 4 == 3) p.y = Real(0.25) * Real(2 + random.below(8));
    if (i % 16 == 4) p.y = p.x;                                // over a diagonal
    if (i % 32 < 4) p.x += Real(std::pow(0.1, random(2, 8)));  // less beside than the square of the distance tells
    const auto on_mesh = touch(p, Real(0.3), mesh.view, {}, Real(0.02));
    ASSERT_EQ(on_mesh.size(), 1u);
    EXPECT_EQ(on_mesh[0].normal, -kZ);
    EXPECT_NEAR(on_mesh[0].distance, p.z - Real(0.3), 2 * kEpsilon);
    const auto on_field = touch(p - Vec3{Real(1.5), Real(1.5), 0}, Real(0.3), field, {}, Real(0.02));
    ASSERT_EQ(on_field.size(), 1u);
    expect_near(on_field[0].normal, -kZ, 8 * kEpsilon / p.z);  // 8 epsilon beside a node, the line to it leans so much
    EXPECT_NEAR(on_field[0].distance, p.z - Real(0.3), 2 * kEpsilon);
  }
}

// Proves that the local minima are those of a search over the surface of a rugged mesh: every contact is a minimum
// among samples around it, and no minimum of the samples is missed.
TEST(SphereAny, LocalMinimaOfARing) {
  const TestShape s = of_mesh("ring", ring_mesh(12), {1, 1, 1});
  Random random(34);
  for (int i = 0; i < 100; ++i) {  // in the hole: the wall bends around the sphere
    const Vec3d c = {random(-0.08, 0.08), random(-0.08, 0.08), random(-0.25, 0.25)};
    const Real radius = Real(0.46);
    const auto points = touch(to_real(c), radius, s.view, {}, Real(0.2));
    // The hole has twelve flat sides at distance 0.5 cos(15 degrees): the foot on each lies on it where the centre is
    // within its width of 0.129 to either side.
    std::vector<double> expected;
    for (int k = 0; k < 12; ++k) {
      const double angle = (k + 0.5) * 3.14159265358979323846 / 6;
      expected.push_back(0.5 * std::cos(3.14159265358979323846 / 12) - std::cos(angle) * c.x - std::sin(angle) * c.y);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(points.size(), std::size_t(kMaxManifold));
    std::vector<double> found;
    for (const ContactPoint& p : points) found.push_back(p.distance + radius);
    std::sort(found.begin(), found.end());
    for (int k = 0; k < kMaxManifold; ++k) EXPECT_NEAR(found[k], expected[k], 8 * kEpsilon);
  }
}

}  // namespace
}  // namespace carom
