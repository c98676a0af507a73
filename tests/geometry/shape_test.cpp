// Names, sizes, bounds and bounding radii of every type of shape.
#include <limits>

#include "geometry/expect.h"

namespace carom::inline CAROM_PRECISION {
namespace {

struct Bounds {
  Vec3 lower, upper;
};

Bounds bounds_of(ShapeType type, Vec3 scale, const Mesh* mesh = nullptr, const Heightfield* heightfield = nullptr,
                 const SDF* sdf = nullptr) {
  Bounds bounds;
  shape_local_bounds(type, scale, mesh, heightfield, sdf, bounds.lower, bounds.upper);
  return bounds;
}

void expect_bounds(Bounds bounds, Vec3 lower, Vec3 upper) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bounds.lower[i], lower[i]) << "lower " << i;
    EXPECT_EQ(bounds.upper[i], upper[i]) << "upper " << i;
  }
}

// Proves that every type has its own name and number.
TEST(Shape, NamesAndNumbers) {
  EXPECT_STREQ(shape_type_name(ShapeType::kSphere), "sphere");
  EXPECT_STREQ(shape_type_name(ShapeType::kConvexHull), "convex_hull");
  EXPECT_STREQ(shape_type_name(ShapeType(99)), "unknown");
  EXPECT_EQ(int(ShapeType::kSdf), 11);
}

// Proves that a size that is not positive or not finite is named with its value, and that unused ones are free.
TEST(Shape, SizesAreChecked) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  const auto check = [](ShapeType type, Vec3 scale) { return [=] { validate_shape_scale(type, scale); }; };
  expect_error(check(ShapeType::kSphere, {-1, 0, 0}), {"radius must be positive, is -1"});
  expect_error(check(ShapeType::kCapsule, {1, 0, 0}), {"capsule", "half_height must be positive, is 0"});
  expect_error(check(ShapeType::kCylinder, {0, 1, 0}), {"cylinder", "radius"});
  expect_error(check(ShapeType::kCone, {1, std::numeric_limits<Real>::quiet_NaN(), 0}), {"cone", "half_height", "nan"});
  expect_error(check(ShapeType::kEllipsoid, {1, 1, -2}), {"ellipsoid", "rz", "-2"});
  expect_error(check(ShapeType::kBox, {1, infinity, 1}), {"box", "hy", "finite", "inf"});
  expect_error(check(ShapeType::kMesh, {1, 0, 1}), {"mesh", "scale.y", "0"});
  expect_error(check(ShapeType::kHeightfield, {1, 1, 0}), {"heightfield", "scale.z"});
  expect_error(check(ShapeType::kPlane, {-1, 0, 0}), {"plane", "width", "-1"});
  expect_error(check(ShapeType::kSdf, {1, 2, 1}), {"sdf", "the same along x, y and z"});
  expect_error(check(ShapeType(99), {1, 1, 1}), {"99"});
  EXPECT_NO_THROW(validate_shape_scale(ShapeType::kSphere, {1, -5, 0}));
  EXPECT_NO_THROW(validate_shape_scale(ShapeType::kCone, {1, 2, -1}));
  EXPECT_NO_THROW(validate_shape_scale(ShapeType::kPlane, {0, 0, 0}));
}

// Proves the bounds of the primitives.
TEST(Shape, BoundsOfPrimitives) {
  expect_bounds(bounds_of(ShapeType::kSphere, {2, 0, 0}), {-2, -2, -2}, {2, 2, 2});
  expect_bounds(bounds_of(ShapeType::kCapsule, {2, 3, 0}), {-2, -2, -5}, {2, 2, 5});
  expect_bounds(bounds_of(ShapeType::kCylinder, {2, 3, 0}), {-2, -2, -3}, {2, 2, 3});
  expect_bounds(bounds_of(ShapeType::kCone, {2, 3, 0}), {-2, -2, -3}, {2, 2, 3});
  expect_bounds(bounds_of(ShapeType::kEllipsoid, {1, 2, 3}), {-1, -2, -3}, {1, 2, 3});
  expect_bounds(bounds_of(ShapeType::kBox, {1, 2, 3}), {-1, -2, -3}, {1, 2, 3});
  EXPECT_EQ(shape_bounding_radius(ShapeType::kCapsule, {2, 3, 0}, nullptr, nullptr, nullptr), 5);
  EXPECT_EQ(shape_bounding_radius(ShapeType::kCone, {3, 4, 0}, nullptr, nullptr, nullptr), 5);
  EXPECT_EQ(shape_bounding_radius(ShapeType::kBox, {2, 3, 6}, nullptr, nullptr, nullptr), 7);
  EXPECT_EQ(shape_bounding_radius(ShapeType::kEllipsoid, {1, 5, 3}, nullptr, nullptr, nullptr), 5);
}

// Proves that planes and heightfields are solid below without end, and finite planes end at half their width.
TEST(Shape, BoundsOfGround) {
  expect_bounds(bounds_of(ShapeType::kPlane, {0, 0, 0}), {-kUnbounded, -kUnbounded, -kUnbounded},
                {kUnbounded, kUnbounded, 0});
  expect_bounds(bounds_of(ShapeType::kPlane, {4, 6, 0}), {-2, -3, -kUnbounded}, {2, 3, 0});
  const Heightfield field({0, 1, 2, 5}, 2, 2, 3, 4);
  expect_bounds(bounds_of(ShapeType::kHeightfield, {2, 1, 3}, nullptr, &field), {-6, -4, -kUnbounded}, {6, 4, 15});
  EXPECT_EQ(shape_bounding_radius(ShapeType::kPlane, {}, nullptr, nullptr, nullptr), kUnbounded);
}

// Proves that mesh bounds follow the vertices with their scale, and that the radius holds every vertex.
TEST(Shape, BoundsOfMeshes) {
  const Mesh mesh({{1, 2, 3}, {-1, 5, 0}, {4, -2, 1}}, {0, 1, 2});
  expect_bounds(bounds_of(ShapeType::kMesh, {2, 1, Real(0.5)}, &mesh), {-2, -2, 0}, {8, 5, Real(1.5)});
  const Real radius = shape_bounding_radius(ShapeType::kMesh, {1, 1, 1}, &mesh, nullptr, nullptr);
  for (const Vec3 v : mesh.vertices) EXPECT_LE(length(Vec3T<double>{v.x, v.y, v.z}), radius);
  EXPECT_NEAR(radius, 5.0990195, 1e-5);
  expect_error([] { bounds_of(ShapeType::kMesh, {1, 1, 1}); }, {"mesh", "no geometry"});
}

// Proves that the bounds of a field hold its inside and not much more, also where it runs out of the grid.
TEST(Shape, BoundsOfFields) {
  const SDF sdf = sdf_from_mesh(make_box_mesh(1, 1, 1), Real(0.25), 1);
  expect_bounds(bounds_of(ShapeType::kSdf, {2, 2, 2}, nullptr, nullptr, &sdf), {-2, -2, -2}, {2, 2, 2});
  const SDF cut(std::vector<Real>(8, -1), 2, 2, 2, {0, 0, 0}, 1);
  expect_bounds(bounds_of(ShapeType::kSdf, {1, 1, 1}, nullptr, nullptr, &cut), {-1, -1, -1}, {2, 2, 2});
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
