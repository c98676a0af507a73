// Proves that the nearest points of shapes are right: against closed forms, against samples of the surface and brute
// force in double, and by what every distance satisfies.
#include "geometry/point/shape.kernel.h"

#include <gtest/gtest.h>

#include "geometry/test_shapes.h"

namespace carom {
namespace {

using namespace testing_shapes;

constexpr Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

void expect_near(Vec3 found, Vec3 expected, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "component " << i;
}
void expect_point(const SurfacePoint& s, Vec3 point, Vec3 normal, Real distance, double tolerance) {
  expect_near(s.point, point, tolerance);
  expect_near(s.normal, normal, tolerance);
  EXPECT_NEAR(s.distance, distance, tolerance);
}
ShapeView shape(ShapeType type, Vec3 scale) { return {type, scale, nullptr}; }

// -- Closed forms.

// Proves the sides of a plane, and for a finite one what lies beside its border.
TEST(PointDistance, Plane) {
  expect_point(surface_point(shape(ShapeType::kPlane, {}), {3, 4, 5}, 1), {3, 4, 0}, kZ, 5, 0);
  expect_point(surface_point(shape(ShapeType::kPlane, {}), {3, 4, -5}, 1), {3, 4, 0}, kZ, -5, 0);
  const ShapeView finite = shape(ShapeType::kPlane, {2, 4, 0});
  expect_point(surface_point(finite, {1, 2, -3}, 1), {1, 2, 0}, kZ, -3, 0);
  expect_point(surface_point(finite, {4, 0, 4}, 1), {1, 0, 0}, {Real(0.6), 0, Real(0.8)}, 5, 4 * kEpsilon);
  expect_point(surface_point(finite, {4, 0, -4}, 1), {1, 0, 0}, {Real(0.6), 0, Real(-0.8)}, 5, 4 * kEpsilon);
  expect_point(surface_point(shape(ShapeType::kPlane, {0, 4, 0}), {9, 1, 2}, 1), {9, 1, 0}, kZ, 2, 0);
}

// Proves the choices for points that have many nearest ones: in centres and on axes.
TEST(PointDistance, CentresAndAxes) {
  const Real e = 4 * kEpsilon;
  expect_point(surface_point(shape(ShapeType::kSphere, {2, 0, 0}), {}, 9), kX * Real(2), kX, -2, e);
  expect_point(surface_point(shape(ShapeType::kCapsule, {1, 2, 0}), {0, 0, 1}, 9), {1, 0, 1}, kX, -1, e);
  expect_point(surface_point(shape(ShapeType::kCylinder, {1, 2, 0}), {}, 9), kX, kX, -1, e);
  expect_point(surface_point(shape(ShapeType::kCylinder, {2, 1, 0}), {}, 9), kZ, kZ, -1, e);
  expect_point(surface_point(shape(ShapeType::kBox, {3, 1, 2}), {}, 9), kY, kY, -1, e);
  expect_point(surface_point(shape(ShapeType::kEllipsoid, {3, 1, 2}), {}, 9), kY, kY, -1, e);
  expect_point(surface_point(shape(ShapeType::kEllipsoid, {2, 2, 2}), {}, 9), kZ * Real(2), kZ, -2, e);
  const SurfacePoint cone = surface_point(shape(ShapeType::kCone, {3, 2, 0}), {0, 0, -1}, 9);  // slope 3, 4, 5
  expect_point(cone, {0, 0, -2}, -kZ, -1, e);
  expect_point(surface_point(shape(ShapeType::kCone, {3, 2, 0}), kZ, 9), {Real(0.48), 0, Real(1.36)},
               {Real(0.8), 0, Real(0.6)}, Real(-0.6), e);
}

// Proves that on edges, corners, rims and apices the distance is 0 and the normal unit and outward.
TEST(PointDistance, OnTheSurface) {
  for (const TestShape& s : solid_shapes(1)) {
    SCOPED_TRACE(s.name);
    std::vector<Vec3d> points(s.surface.begin(), s.surface.begin() + 200);
    for (const Face3& f : s.faces) points.insert(points.end(), {f.a, (f.a + f.b) * 0.5, (f.a + f.b + f.c) / 3.0});
    const double h = s.view.scale.y, r = s.view.scale.x;
    if (s.name == "cylinder") points.insert(points.end(), {{r, 0, h}, {0, -r, -h}});
    if (s.name == "cone") points.insert(points.end(), {{r, 0, -h}, {0, 0, h}, {0, 0, -h}});
    for (const Vec3d p : points) {
      const SurfacePoint found = surface_point(s.view, to_real(p), 1);
      EXPECT_NEAR(found.distance, 0, 8 * kEpsilon);
      EXPECT_NEAR(length(found.normal), 1, 8 * kEpsilon);
      // A little aside, since on planes of faces the sign of the reference is noise.
      EXPECT_GT(s.implicit(p + to_double(found.normal) * 1e-3 + Vec3d{1e-5, 2e-5, 3e-5}), 0);
    }
  }
}

// Proves the ellipsoid with points made from their answer: x on it, p = x + d n, as far inwards as the least radius of
// curvature allows; ratios of the axes up to 1000.
TEST(PointDistance, EllipsoidFromItsAnswer) {
  Random random(5);
  const Vec3 radii[] = {{1, 2, 3},        {3, 1, 1}, {1, 1, Real(0.01)}, {Real(1e-3), 1, Real(0.5)},
                        {1000, 10, 2000}, {2, 2, 2}};
  double worst = 0;
  for (const Vec3 e : radii) {
    const double least = std::min({e.x, e.y, e.z}), most = std::max({e.x, e.y, e.z});
    for (int i = 0; i < 2000; ++i) {
      const Vec3d x = multiply_each(random.direction(), to_double(e));
      const Vec3d n = normalize(Vec3d{x.x / e.x / e.x, x.y / e.y / e.y, x.z / e.z / e.z});
      const double distance = i % 2 ? random(0, 3 * most) : -random(0, 0.95) * least * least / most;
      const SurfacePoint found = surface_point(shape(ShapeType::kEllipsoid, e), to_real(x + n * distance), 1);
      worst = std::max(worst, std::abs(found.distance - distance) / most);
      EXPECT_NEAR(found.distance, distance, 8 * kEpsilon * std::max(most, distance));  // p is rounded, too
      EXPECT_NEAR(length(found.normal), 1, 8 * kEpsilon);
    }
  }
  RecordProperty("worst_relative_error", std::to_string(worst / kEpsilon));
}

// Proves the ellipsoid where the equation has its poles: planes, axes, the segment of focal points.
TEST(PointDistance, EllipsoidOnItsPlanes) {
  const Vec3 e = {3, 2, 1};
  const ShapeView s = shape(ShapeType::kEllipsoid, e);
  for (const Real tiny : {Real(0), Real(1e-30), Real(1e-20), Real(1e-12), Real(1e-7)}) {
    SCOPED_TRACE(tiny);
    // Nearest to (x, 0, 0) with |x| < (9 - 1) / 3: off the axis, at 9 x / (9 - 1), in the plane of the shortest axis.
    const double x = 1.5, qx = x * 9 / 8, qz = std::sqrt(1 - qx * qx / 9);
    expect_point(surface_point(s, {Real(x), tiny, tiny}, 1), {Real(qx), 0, Real(qz)},
                 to_real(normalize(Vec3d{qx / 9, 0, qz})), Real(-std::hypot(qx - x, qz)), 32 * kEpsilon + 2 * tiny);
    expect_point(surface_point(s, {tiny, tiny, Real(0.5)}, 1), kZ, kZ, Real(-0.5), 8 * kEpsilon + 2 * tiny);
    expect_point(surface_point(s, {tiny, Real(4), tiny}, 1), kY * Real(2), kY, 2, 8 * kEpsilon + 2 * tiny);
    expect_point(surface_point(s, {Real(-7), tiny, -tiny}, 1), kX * Real(-3), -kX, 4, 8 * kEpsilon + 2 * tiny);
  }
}

// -- Properties on random points.

// Proves for every solid that the answer lies on the surface, that p lies along the normal, that no sample of the
// surface is nearer, and that the sign is that of the solid; at sizes from a millimetre to a kilometre.
TEST(PointDistance, RandomPoints) {
  for (const Real scale : {Real(1e-3), Real(1), Real(1e3)}) {
    Random random(3);
    for (const TestShape& s : solid_shapes(scale)) {
      SCOPED_TRACE(s.name + " at scale " + std::to_string(scale));
      double worst = 0;
      for (int i = 0; i < (scale == 1 ? 400 : 60); ++i) {
        const Vec3 p = to_real(random.in_box(i % 3 == 0 ? 3 * s.size : 1.2 * s.size));
        const Vec3d wide = to_double(p);
        const SurfacePoint found = surface_point(s.view, p, kUnbounded);
        const double tolerance = 8 * kEpsilon * std::max(s.size, length(wide));
        EXPECT_NEAR(length(found.normal), 1, 4 * kEpsilon);
        expect_near(found.point + found.normal * found.distance, p, tolerance);
        const double implicit = s.implicit(wide);
        if (!s.faces.empty()) {  // the exact distance
          EXPECT_NEAR(found.distance, implicit, tolerance);
          worst = std::max(worst, std::abs(found.distance - implicit) / tolerance);
          continue;
        }
        EXPECT_NEAR(s.implicit(to_double(found.point)), 0, tolerance);
        EXPECT_TRUE(std::abs(implicit) <= tolerance || (found.distance < 0) == (implicit < 0));
        double least = 1e300;
        for (const Vec3d q : s.surface) least = std::min(least, length_squared(q - wide));
        EXPECT_GE(std::sqrt(least), std::abs(found.distance) - tolerance);
      }
    }
  }
}

// Proves that the normal is the gradient of the distance, by central differences, where the distance is smooth.
TEST(PointDistance, NormalIsTheGradient) {
  Random random(4);
  const double h = sizeof(Real) == 4 ? 5e-4 : 1e-5;
  for (const TestShape& s : solid_shapes(1)) {
    SCOPED_TRACE(s.name);
    int checked = 0;
    for (int i = 0; i < 400; ++i) {
      const Vec3d p = random.in_box(1.5);
      const auto at = [&](Vec3d x) { return surface_point(s.view, to_real(x), kUnbounded); };
      const SurfacePoint found = at(p);
      if (std::abs(found.distance) < 0.1) continue;  // at the surface, edges are sharp; gradients bend within h
      Vec3d difference;
      bool smooth = true;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3d step{};
        step[axis] = h;
        const SurfacePoint plus = at(p + step), minus = at(p - step);
        difference[axis] = (double(plus.distance) - minus.distance) / (2 * h);
        smooth = smooth && length(plus.normal - minus.normal) < Real(25 * h) &&
                 length(plus.normal + minus.normal - found.normal * Real(2)) < Real(0.01 * h);  // no kink in between
      }
      if (!smooth) continue;
      ++checked;
      expect_near(found.normal, to_real(difference), sizeof(Real) == 4 ? 1e-3 : 1e-7);
    }
    EXPECT_GT(checked, 100);
  }
}

// Proves that reach cuts off without lying: below it the same answer, beyond it at least reach; and that a solid is
// solid to any depth.
TEST(PointDistance, Reach) {
  Random random(6);
  for (const TestShape& s : solid_shapes(1)) {
    SCOPED_TRACE(s.name);
    for (int i = 0; i < 200; ++i) {
      const Vec3 p = to_real(random.in_box(2));
      const SurfacePoint all = surface_point(s.view, p, kUnbounded), some = surface_point(s.view, p, Real(0.25));
      if (all.distance < Real(0.25)) EXPECT_EQ(some.distance, all.distance);
      else EXPECT_GE(some.distance, Real(0.25));
    }
  }
}

// -- Open meshes and fields.

// Proves that a sheet is solid behind, within reach, and that nothing is beside it.
TEST(PointDistance, OpenMesh) {
  const MeshArrays sheet(Mesh({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {0, 1, 2, 0, 2, 3}), {1, 1, 1});
  GeometryView geometry{};
  geometry.mesh = sheet.view();
  const ShapeView s = {ShapeType::kMesh, {}, &geometry};
  EXPECT_FALSE(sheet.closed);
  expect_point(surface_point(s, {Real(0.5), Real(0.25), Real(0.125)}, 1), {Real(0.5), Real(0.25), 0}, kZ, Real(0.125),
               0);
  expect_point(surface_point(s, {Real(0.5), Real(0.5), Real(-0.25)}, 1), {Real(0.5), Real(0.5), 0}, kZ, Real(-0.25), 0);
  EXPECT_EQ(surface_point(s, {Real(0.5), Real(0.25), -2}, 1).distance, 1);  // too deep
  for (const Real z : {Real(4), Real(-4)}) {
    expect_point(surface_point(s, {4, 0, z}, 9), {1, 0, 0}, {Real(0.6), 0, z / 5}, 5, 4 * kEpsilon);
    EXPECT_GT(surface_point(s, {2, 2, z}, 9).distance, 0);
  }
}

// Proves the distance to a heightfield against brute force over its triangles, above, below and beside it.
TEST(PointDistance, HeightfieldAgainstBruteForce) {
  for (const Real scale : {Real(1e-3), Real(1), Real(1e3)}) {
    const HeightfieldArrays field(hills(9, 13, 1.1), Vec3{2, 1, Real(1.5)} * scale);
    GeometryView geometry{};
    geometry.heightfield = field.view();
    const ShapeView s = {ShapeType::kHeightfield, {}, &geometry};
    std::vector<Face3> faces;
    for (int t = 0; t < 2 * 8 * 12; ++t) {
      const TriangleCorners c = triangle_corners(field.view(), t);
      faces.push_back({to_double(c.corner[0]), to_double(c.corner[1]), to_double(c.corner[2])});
      EXPECT_GT(unit_normal(c).z, 0);
    }
    Random random(7);
    for (int i = 0; i < 500; ++i) {
      const Vec3d wide = Vec3d{random(-8, 8), random(-3, 3), random(-3, 3)} * double(scale);
      const Vec3 p = to_real(wide);
      const SurfacePoint found = surface_point(s, p, kUnbounded);
      const double size = 8.0 * scale;
      EXPECT_NEAR(std::abs(found.distance), nearest_distance(to_double(p), faces), 8 * kEpsilon * size);
      EXPECT_NEAR(length(found.normal), 1, 4 * kEpsilon);
      expect_near(found.point + found.normal * found.distance, p, 16 * kEpsilon * size);
      EXPECT_TRUE(found.distance >= 0 || is_over(field.view(), p));
      // Below: straight up there is a triangle.
      bool below = false;
      for (const Face3& f : faces) {
        const auto side = [&](Vec3d a, Vec3d b) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); };
        if (side(f.a, f.b) < 0 || side(f.b, f.c) < 0 || side(f.c, f.a) < 0) continue;
        const Vec3d n = cross(f.b - f.a, f.c - f.a);
        below = below || dot(n, to_double(p) - f.a) < 0;
      }
      EXPECT_EQ(found.distance < 0, below);
      const SurfacePoint near = surface_point(s, p, Real(0.5) * scale);
      if (found.distance < Real(0.5) * scale) EXPECT_EQ(near.distance, found.distance);
      else EXPECT_GE(near.distance, Real(0.5) * scale);
    }
  }
}

// Proves the numbers of Newton's test_heightfield: depths below a flat field, a slope of 0.25.
TEST(PointDistance, FlatAndSlopedHeightfield) {
  std::vector<Real> slope;
  for (int r = 0; r < 11; ++r) {
    for (int c = 0; c < 11; ++c) slope.push_back(Real(0.25) * Real(c - 5));
  }
  const HeightfieldArrays flat(Heightfield(std::vector<Real>(121, 0), 11, 11, 5, 5), {2, 2, 1});
  const HeightfieldArrays ramp(Heightfield(slope, 11, 11, 5, 5), {1, 1, 1});
  GeometryView geometry{};
  geometry.heightfield = flat.view();
  const ShapeView s = {ShapeType::kHeightfield, {}, &geometry};
  for (const Real depth : {Real(0.005), Real(0.019), Real(0.021), Real(0.05)}) {
    expect_point(surface_point(s, {Real(7.3), Real(-8.1), -depth}, 1), {Real(7.3), Real(-8.1), 0}, kZ, -depth, 1e-6);
  }
  EXPECT_GE(surface_point(s, {0, 0, 5}, 1).distance, 1);
  geometry.heightfield = ramp.view();
  const Vec3 n = normalize(Vec3{Real(-0.25), 0, 1});
  const Vec3 x = {Real(0.3), Real(0.4), Real(0.075)};
  expect_point(surface_point(s, x - n * Real(0.1), 1), x, n, Real(-0.1), 4 * kEpsilon);
  expect_point(surface_point(s, x + n * Real(0.1), 1), x, n, Real(0.1), 4 * kEpsilon);
}

// Proves that fields give sdf_distance() and its gradient, inside and outside of the grid, scaled as well.
TEST(PointDistance, SignedDistanceField) {
  const SDF sdf = sdf_from_mesh(make_box_mesh(Real(0.5), Real(0.3), Real(0.4)), Real(0.1), Real(0.2));
  Random random(8);
  for (const Real scale : {Real(1), Real(2.5)}) {
    const SdfArrays arrays(sdf, scale);
    GeometryView geometry{};
    geometry.sdf = arrays.view();
    const ShapeView s = {ShapeType::kSdf, {}, &geometry};
    for (int i = 0; i < 500; ++i) {
      const Vec3 p = to_real(random.in_box(1.2));
      const SurfacePoint found = surface_point(s, p * scale, 1);
      EXPECT_NEAR(found.distance, sdf_distance(sdf, p) * scale, 16 * kEpsilon);
      EXPECT_NEAR(length(found.normal), 1, 4 * kEpsilon);
      const Real h = Real(sizeof(Real) == 4 ? 1e-3 : 1e-6);
      Vec3 difference;
      bool same_cell = true;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 step{};
        step[axis] = h;
        difference[axis] = (sdf_distance(sdf, p + step) - sdf_distance(sdf, p - step)) / (2 * h);
        const Real u = (p[axis] - sdf.origin[axis]) / sdf.spacing;
        same_cell = same_cell && std::abs(u - std::round(u)) > Real(0.02);
      }
      if (same_cell) expect_near(found.normal, normalize(difference), sizeof(Real) == 4 ? 2e-3 : 1e-7);
    }
  }
}

}  // namespace
}  // namespace carom
