// Signed distance from a point to a shape of any type.
#pragma once

#include "geometry/point/box.kernel.h"
#include "geometry/point/cone.kernel.h"
#include "geometry/point/cylinder.kernel.h"
#include "geometry/point/ellipsoid.kernel.h"
#include "geometry/point/heightfield.kernel.h"
#include "geometry/point/hull.kernel.h"
#include "geometry/point/mesh.kernel.h"
#include "geometry/point/plane.kernel.h"
#include "geometry/point/sdf.kernel.h"
#include "geometry/point/sphere.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The surface point nearest to p, in the frame of the shape. What is farther away than reach need not be found: then a
// distance of at least reach comes back, and the rest means nothing. In a solid there is no such limit.
CAROM_HD_LARGE SurfacePoint surface_point(const ShapeView& shape, Vec3 p, Real reach) {
  const Vec3 scale = shape.scale;
  switch (shape.type) {
    case ShapeType::kPlane: return surface_point_of_plane(scale, p);
    case ShapeType::kHeightfield: return surface_point_of_heightfield(shape.geometry->heightfield, p, reach);
    case ShapeType::kSphere: return surface_point_of_sphere(scale.x, p);
    case ShapeType::kCapsule: return surface_point_of_capsule(scale.x, scale.y, p);
    case ShapeType::kEllipsoid: return surface_point_of_ellipsoid(scale, p);
    case ShapeType::kCylinder: return surface_point_of_cylinder(scale.x, scale.y, p);
    case ShapeType::kBox: return surface_point_of_box(scale, p);
    case ShapeType::kMesh: return surface_point_of_mesh(shape.geometry->mesh, p, reach);
    case ShapeType::kCone: return surface_point_of_cone(scale.x, scale.y, p);
    case ShapeType::kConvexHull: return surface_point_of_hull(shape.geometry->hull, p, reach);
    case ShapeType::kSdf: return surface_point_of_sdf(shape.geometry->sdf, p);
    case ShapeType::kNone: break;
  }
  return {p, {0, 0, 1}, kUnbounded, -1};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
