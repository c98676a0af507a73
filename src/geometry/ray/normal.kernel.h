// The normal of a shape's surface at a point that lies on it up to rounding: unit, outwards, whichever side a ray came
// from. On edges one of the faces there decides.
#pragma once

#include "geometry/heightfield_cells.kernel.h"
#include "geometry/point/sdf.kernel.h"
#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD Vec3 normal_of_ellipsoid(Vec3 e, Vec3 x) {
  const Real least = min(e.x, min(e.y, e.z));  // times it, so that sizes do not matter
  return unit_or({x.x / e.x * (least / e.x), x.y / e.y * (least / e.y), x.z / e.z * (least / e.z)}, {0, 0, 1});
}

CAROM_HD Vec3 normal_of_cylinder(Real radius, Real half_height, Vec3 x) {
  const HalfPlane plane(x);
  return abs(x.z) - half_height > plane.radius - radius ? Vec3{0, 0, sign_of(x.z)} : plane.outward;
}

// The slope is the line from (radius, -half_height) to (0, half_height) in the half plane; the apex looks up.
CAROM_HD Vec3 normal_of_cone(Real radius, Real half_height, Vec3 x) {
  const HalfPlane plane(x);
  const Real height = half_height + half_height, side = sqrt(fma(height, height, radius * radius));
  const Real above_slope = fma(height, plane.radius, radius * (x.z - half_height)) / side;
  if (-half_height - x.z > above_slope) return {0, 0, -1};
  return square(plane.radius) > kNoLengthSquared ? plane.at(height / side, radius / side) : Vec3{0, 0, 1};
}

CAROM_HD Vec3 normal_of_box(Vec3 half, Vec3 x) {
  const Vec3 beyond = abs(x) - half;
  const int axis = beyond.x >= beyond.y && beyond.x >= beyond.z ? 0 : beyond.y >= beyond.z ? 1 : 2;
  Vec3 normal{};
  normal[axis] = sign_of(x[axis]);
  return normal;
}

CAROM_HD Vec3 normal_of_hull(const HullView& hull, Vec3 x) {
  int nearest = 0;
  Real most = dot(hull.face[0].normal, x) - hull.face[0].offset;
  for (int f = 1; f < hull.face_count; ++f) {
    const Real beyond = dot(hull.face[f].normal, x) - hull.face[f].offset;
    if (beyond > most) most = beyond, nearest = f;
  }
  return hull.face[nearest].normal;
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// x: in the shape's frame; triangle: as RayHit has it.
CAROM_HD_LARGE Vec3 surface_normal(const ShapeView& shape, Vec3 x, int triangle) {
  const Vec3 scale = shape.scale;
  switch (shape.type) {
    case ShapeType::kSphere: return unit_or(x, {0, 0, 1});
    case ShapeType::kCapsule: return unit_or({x.x, x.y, x.z - clamp(x.z, -scale.y, scale.y)}, {0, 0, 1});
    case ShapeType::kEllipsoid: return normal_of_ellipsoid(scale, x);
    case ShapeType::kCylinder: return normal_of_cylinder(scale.x, scale.y, x);
    case ShapeType::kCone: return normal_of_cone(scale.x, scale.y, x);
    case ShapeType::kBox: return normal_of_box(scale, x);
    case ShapeType::kConvexHull: return normal_of_hull(shape.geometry->hull, x);
    case ShapeType::kMesh: return unit_normal(triangle_corners(shape.geometry->mesh, triangle));
    case ShapeType::kHeightfield: return unit_normal(triangle_corners(shape.geometry->heightfield, triangle));
    case ShapeType::kSdf: return unit_or(sample_field(shape.geometry->sdf, x).gradient, {0, 0, 1});
    case ShapeType::kPlane:
    case ShapeType::kNone: break;
  }
  return {0, 0, 1};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
