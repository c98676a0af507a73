// Proves that planes touch shapes of every type where they should: recorded numbers, the lowest of many samples of the
// surface, and the same points for a resting body however its pose is rounded.
#include "collide/narrow/plane_any.kernel.h"

#include <gtest/gtest.h>

#include "geometry/point/shape.kernel.h"
#include "geometry/test_shapes.h"

namespace carom {
namespace {

using namespace testing_shapes;

constexpr Vec3 kZ{0, 0, 1};
const Transform kGround{};

Quat turn(Vec3 axis, double angle) {
  const Vec3d a = normalize(to_double(axis)) * std::sin(angle / 2);
  return {Real(a.x), Real(a.y), Real(a.z), Real(std::cos(angle / 2))};
}
constexpr double kPi = 3.14159265358979323846;

std::vector<ContactPoint> touch(const ShapeView& b, const Transform& X_WB, Real reach,
                                const Transform& X_WA = kGround) {
  ContactPoint out[kMaxManifold + 1];
  const int count = plane_any(X_WA, b, X_WB, reach, out);
  EXPECT_LE(count, kMaxManifold);
  return {out, out + count};
}
std::vector<ContactPoint> touch(ShapeType type, Vec3 scale, Vec3 p, Quat q = {}) {
  return touch({type, scale, nullptr}, {p, q}, 10);
}
Real deepest(const std::vector<ContactPoint>& points) {
  Real least = kUnbounded;
  for (const ContactPoint& p : points) least = std::min(least, p.distance);
  return least;
}

// -- Numbers of Newton's test_collision_primitives.

TEST(PlaneAny, Sphere) {
  const double expected[][2] = {{2, 1}, {1.5, .5}, {1, 0}, {.8, -.2}, {.5, -.5}, {.2, -.8}};
  for (const auto& [z, distance] : expected) {
    const auto points = touch(ShapeType::kSphere, {1, 0, 0}, {0, 0, Real(z)});
    ASSERT_EQ(points.size(), 1u);
    EXPECT_NEAR(points[0].distance, distance, 4 * kEpsilon);
    EXPECT_NEAR(points[0].point.z, distance / 2, 4 * kEpsilon);
    EXPECT_EQ(points[0].normal, kZ);
  }
  const Transform X_WA = {{1, 0, 0}, turn({0, 1, 0}, kPi / 2)};  // x = 1, normal +x
  for (const auto& [x, distance] : {std::pair{2.0, .5}, {1.5, 0.0}, {1.3, -.2}}) {
    const auto points = touch({ShapeType::kSphere, {Real(.5), 0, 0}, nullptr}, {{Real(x), 3, 4}, {}}, 10, X_WA);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_NEAR(points[0].distance, distance, 16 * kEpsilon);
    EXPECT_NEAR(points[0].normal.x, 1, 4 * kEpsilon);
  }
}
TEST(PlaneAny, Ellipsoid) {
  const double expected[][2] = {{2.5, 1}, {2, .5}, {1.5, 0}, {1.4, -.1}, {1.3, -.2}, {1, -.5}};
  for (const auto& [z, distance] : expected) {
    const auto points = touch(ShapeType::kEllipsoid, {1, 1, Real(1.5)}, {0, 0, Real(z)});
    ASSERT_EQ(points.size(), 1u);
    EXPECT_NEAR(points[0].distance, distance, 4 * kEpsilon);
  }
}
TEST(PlaneAny, Capsule) {
  const double expected[][2] = {{2, 1.5}, {1.5, 1}, {1, .5}, {.5, 0}, {.4, -.1}, {.3, -.2}, {.2, -.3}};
  for (const auto& [z, distance] : expected) {
    const auto points = touch(ShapeType::kCapsule, {Real(.5), 1, 0}, {0, 0, Real(z)}, turn({0, 1, 0}, kPi / 2));
    ASSERT_EQ(points.size(), 2u);
    for (const ContactPoint& p : points) EXPECT_NEAR(p.distance, distance, 16 * kEpsilon);
    EXPECT_NEAR(points[0].point.x, 1, 16 * kEpsilon);  // the end at +z first
    EXPECT_NEAR(points[1].point.x, -1, 16 * kEpsilon);
  }
}
TEST(PlaneAny, Box) {
  EXPECT_TRUE(touch({ShapeType::kBox, {1, 1, 1}, nullptr}, {{0, 0, 2}, {}}, Real(.5)).empty());
  const double expected[][2] = {{1, 0}, {.9, -.1}, {.8, -.2}, {.7, -.3}, {.5, -.5}};
  for (const auto& [z, distance] : expected) {
    const auto points = touch(ShapeType::kBox, {1, 1, 1}, {0, 0, Real(z)});
    ASSERT_EQ(points.size(), 4u);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(points[i].feature, i);
      EXPECT_NEAR(points[i].distance, distance, 4 * kEpsilon);
      EXPECT_NEAR(points[i].point.x, i & 1 ? 1 : -1, 0);
      EXPECT_NEAR(points[i].point.y, i & 2 ? 1 : -1, 0);
    }
  }
}
TEST(PlaneAny, Cylinder) {
  const double expected[][2] = {{5, 4}, {1, 0}, {.9, -.1}, {.8, -.2}, {.7, -.3}, {.5, -.5}};
  for (const auto& [z, distance] : expected) {
    const auto points = touch(ShapeType::kCylinder, {1, 1, 0}, {0, 0, Real(z)});
    ASSERT_EQ(points.size(), 4u);
    for (const ContactPoint& p : points) EXPECT_NEAR(p.distance, distance, 4 * kEpsilon);
  }
  // Lying: both ends of the lowest line. Half a degree of tilt: the rim, and its lowest point.
  const auto lying = touch(ShapeType::kCylinder, {1, 2, 0}, {0, 0, Real(.75)}, turn({1, 0, 0}, kPi / 2));
  ASSERT_EQ(lying.size(), 2u);
  for (const ContactPoint& p : lying) EXPECT_NEAR(p.distance, -.25, 16 * kEpsilon);
  const double angle = kPi / 360;
  const auto tilted = touch(ShapeType::kCylinder, {1, 1, 0}, {0, 0, 1}, turn({1, 1, 0}, angle));
  ASSERT_EQ(tilted.size(), 5u);
  EXPECT_NEAR(deepest(tilted), 1 - std::cos(angle) - std::sin(angle), 16 * kEpsilon);
}
// On its base, on its side and on its apex.
TEST(PlaneAny, Cone) {
  const double angle = std::atan2(4, 3);  // radius 3, height 4: the slope is 5 long
  const auto base = touch(ShapeType::kCone, {3, 2, 0}, {0, 0, 2});
  ASSERT_EQ(base.size(), 4u);
  EXPECT_NEAR(deepest(base), 0, 0);
  const auto apex = touch({ShapeType::kCone, {3, 2, 0}, nullptr}, {{0, 0, 2}, turn({1, 0, 0}, kPi)}, 1);
  ASSERT_EQ(apex.size(), 1u);
  EXPECT_NEAR(apex[0].distance, 0, 16 * kEpsilon);
  // The slope's outward normal (0.8, 0.6) in (r, z), taken at +x, turned down by pi - (angle between it and z).
  const Quat q = turn({0, 1, 0}, kPi - angle);
  const auto side = touch({ShapeType::kCone, {3, 2, 0}, nullptr}, {{0, 0, Real(1.2)}, q}, 1);
  ASSERT_EQ(side.size(), 2u);
  for (const ContactPoint& p : side) EXPECT_NEAR(p.distance, 0, 16 * kEpsilon);
}

// -- Against the surface itself.

// Proves that discs that lean towards any side list no point of their rim twice, and still span most of it.
TEST(PlaneAny, RimsWithoutDoubles) {
  for (const ShapeType type : {ShapeType::kCylinder, ShapeType::kCone})
    for (const double tilt : {1e-4, 1e-3, 0.01, 0.1})
      for (double side = 0; side < 2 * kPi; side += 0.05) {
        const auto points = touch(type, {1, Real(0.5), 0}, {0, 0, Real(0.5)},
                                  turn({Real(std::cos(side)), Real(std::sin(side)), 0}, tilt));
        EXPECT_GE(points.size(), 4u);
        for (std::size_t i = 0; i < points.size(); ++i)
          for (std::size_t k = 0; k < i; ++k)
            EXPECT_GT(length(points[i].point - points[k].point), Real(0.25)) << tilt << " towards " << side;
      }
}

// Proves for random poses of every shape that the points lie on it, at the distances stated, that the deepest of its
// surface is among them, and that nothing is listed beyond reach.
TEST(PlaneAny, RandomPoses) {
  Random random(21);
  for (const Real scale : {Real(1e-3), Real(1), Real(1e3)}) {
    for (const TestShape& s : solid_shapes(scale)) {
      SCOPED_TRACE(s.name + " at scale " + std::to_string(scale));
      for (int i = 0; i < 100; ++i) {
        const Transform X_WB = {to_real(random.in_box(1) * s.size), random.rotation()};
        const Transform X_WA = {to_real(random.in_box(0.2) * s.size), random.rotation()};
        const Real reach = Real(0.3 * s.size);
        const double tolerance = 8 * kEpsilon * 3 * s.size;  // places are up to three sizes away
        const Vec3 n = rotate(X_WA.q, kZ);
        const auto points = touch(s.view, X_WB, reach, X_WA);
        for (std::size_t k = 0; k < points.size(); ++k) {
          const ContactPoint& c = points[k];
          EXPECT_TRUE(k == 0 || points[k - 1].feature < c.feature);
          EXPECT_LT(c.distance, reach);
          EXPECT_EQ(c.normal, n);
          const Vec3 on_b = c.point + n * (c.distance / 2);
          const SurfacePoint surface = surface_point(s.view, transform_point(inverse(X_WB), on_b), kUnbounded);
          EXPECT_LE(surface.distance, tolerance);
          // The upper end of a capsule is a sphere whose lowest point may lie within the side.
          EXPECT_GE(surface.distance, s.view.type == ShapeType::kCapsule ? -s.size : -tolerance);
          EXPECT_NEAR(dot(n, c.point - n * (c.distance / 2) - X_WA.p), 0, tolerance);
        }
        double lowest = 1e300;
        const auto look_at = [&](Vec3d q) {
          lowest = std::min(lowest, double(dot(n, transform_point(X_WB, to_real(q)) - X_WA.p)));
        };
        for (const Vec3d q : s.surface) look_at(q);
        for (const Face3& f : s.faces) look_at(f.a), look_at(f.b), look_at(f.c);
        if (points.empty()) {
          EXPECT_GE(lowest, reach - tolerance);
          continue;
        }
        EXPECT_LE(deepest(points), lowest + tolerance + (s.faces.empty() ? 0 : 2e-5 * s.size));  // the depth's margin
        EXPECT_GE(deepest(points), lowest - tolerance - (s.faces.empty() ? 0.02 * s.size : 0));  // samples
      }
    }
  }
}

// Well above rounding, well below the depths that features follow (1e-6 of the size in double).
constexpr double kNoise = sizeof(Real) == 8 ? 1e-8 : 1e-6;

// Proves that a resting body touches in the same points, by feature and place, however its pose is rounded.
TEST(PlaneAny, RestingBodiesDoNotFlicker) {
  struct Case {
    ShapeView view;
    Quat q;
    std::size_t count;
  };
  const TestShape prism = of_hull("prism", prism_hull(32, Real(0.5), Real(0.2)));
  const TestShape cube = of_hull("cube", box_hull({Real(0.5), Real(0.5), Real(0.5)}));
  const TestShape box_mesh = of_mesh("box", make_box_mesh(Real(0.5), Real(0.3), Real(0.8)), {1, 1, 1});
  const TestShape ring = of_mesh("ring", ring_mesh(24), {Real(0.5), Real(0.5), Real(0.5)});
  const SdfArrays sdf(sdf_from_mesh(make_box_mesh(Real(0.5), Real(0.3), Real(0.4)), Real(0.1), Real(0.2)), 1);
  GeometryView sdf_geometry{};
  sdf_geometry.sdf = sdf.view();
  const Vec3 box = {Real(0.5), Real(0.3), Real(0.8)}, round = {Real(0.4), Real(0.7), 0};
  const Quat edge = turn({1, 0, 0}, kPi / 4), lying = turn({1, 0, 0}, kPi / 2);
  const Case cases[] = {{{ShapeType::kBox, box, nullptr}, {}, 4},
                        {{ShapeType::kBox, box, nullptr}, edge, 2},
                        {{ShapeType::kBox, box, nullptr}, turn({1, -1, 0}, std::atan(std::sqrt(2.0))), 1},
                        {{ShapeType::kCylinder, round, nullptr}, {}, 4},
                        {{ShapeType::kCylinder, round, nullptr}, lying, 2},
                        {{ShapeType::kCapsule, round, nullptr}, lying, 2},
                        {{ShapeType::kCone, round, nullptr}, {}, 4},
                        {cube.view, {}, 4},
                        {cube.view, edge, 2},
                        {prism.view, {}, 8},
                        {prism.view, lying, 2},
                        {box_mesh.view, {}, 4},
                        {box_mesh.view, lying, 4},
                        {ring.view, {}, 8},
                        {{ShapeType::kSdf, {}, &sdf_geometry}, {}, 4}};
  Random random(22);
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(shape_type_name(c.view.type)) + " " + std::to_string(&c - cases));
    // Lowered until it touches by a hundredth of a millimetre; a gap of a millimetre.
    const Real height = -deepest(touch(c.view, {{}, c.q}, 10)) - Real(1e-5);
    const auto still = touch(c.view, {{0, 0, height}, c.q}, Real(1e-3));
    EXPECT_EQ(still.size(), c.count);
    for (int i = 0; i < 200; ++i) {
      const Vec3 p = Vec3{0, 0, height} + to_real(random.in_box(kNoise));
      const Vec3 d = to_real(random.in_box(kNoise));
      const auto noisy = touch(c.view, {p, normalize(Quat{d.x, d.y, d.z, 1} * c.q)}, Real(1e-3));
      ASSERT_EQ(noisy.size(), still.size());
      for (std::size_t k = 0; k < still.size(); ++k) {
        EXPECT_EQ(noisy[k].feature, still[k].feature);
        EXPECT_LT(length(noisy[k].point - still[k].point), Real(1e-5));
      }
    }
  }
}

// Proves that a field's points lie on its surface and reach down to the lowest, up to the curvature between its nodes.
TEST(PlaneAny, SignedDistanceField) {
  const SdfArrays sdf(sdf_from_mesh(make_sphere_mesh(1, 4), Real(0.1), Real(0.2)), Real(0.5));
  GeometryView geometry{};
  geometry.sdf = sdf.view();
  const ShapeView s = {ShapeType::kSdf, {}, &geometry};
  Random random(23);
  for (int i = 0; i < 20; ++i) {
    const auto points = touch(s, {{0, 0, Real(0.49)}, random.rotation()}, Real(0.05));
    ASSERT_FALSE(points.empty());
    EXPECT_NEAR(deepest(points), -0.01, 0.05 * 0.05 / 2 / 0.5 * 2);  // spacing^2 / (2 radius), for two directions
  }
}

// -- The reducer.

// Proves that the deepest, the corners of the area and other directions of push stay, whatever the order of the points.
TEST(ReducePoints, KeepsDepthAreaAndDirections) {
  std::vector<ContactPoint> grid;
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) {
      const bool deep = i == 2 && j == 3;
      grid.push_back({{Real(i), Real(j), 0}, kZ, Real(deep ? -0.5 : -0.1), 7 * i + j});
    }
  }
  grid.push_back({{3, 3, 0}, {1, 0, 0}, Real(-0.05), 100});
  grid.push_back({{4, 3, 0}, {1, 0, 0}, Real(-0.04), 101});
  Random random(24);
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<ContactPoint> shuffled = grid;
    for (std::size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random.below(int(i) + 1)]);
    const int count = reduce_points(shuffled.data(), int(shuffled.size()), 6);
    ASSERT_EQ(count, 6);
    const int expected[] = {0, 6, 17, 42, 48, 100};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(shuffled[i].feature, expected[i]);
  }
}

// Proves that nothing is kept that lies between others, and that few points are only put in order.
TEST(ReducePoints, LeavesOutWhatAddsNothing) {
  ContactPoint line[5];
  for (int i = 0; i < 5; ++i) line[i] = {{Real(i), 0, 0}, kZ, Real(i == 0 ? -2 : -1), 10 - i};
  EXPECT_EQ(reduce_points(line, 5, 4), 2);
  EXPECT_EQ(line[0].feature, 6);
  EXPECT_EQ(line[1].feature, 10);
  ContactPoint few[2] = {{{}, kZ, 0, 9}, {{}, kZ, 0, 3}};
  EXPECT_EQ(reduce_points(few, 2, 4), 2);
  EXPECT_EQ(few[0].feature, 3);
  EXPECT_EQ(reduce_points(few, 0, 4), 0);
}

}  // namespace
}  // namespace carom
