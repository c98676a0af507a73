// The first hit of a ray and a shape of any type.
#pragma once

#include "geometry/ray/flat.kernel.h"
#include "geometry/ray/heightfield.kernel.h"
#include "geometry/ray/mesh.kernel.h"
#include "geometry/ray/plane.kernel.h"
#include "geometry/ray/round.kernel.h"
#include "geometry/ray/sdf.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Shapes that are searched ray by ray; the others are a formula, for several rays at once.
CAROM_HD bool is_searched(ShapeType type) {
  return type == ShapeType::kMesh || type == ShapeType::kHeightfield || type == ShapeType::kSdf;
}

// t of the first hit, of a shape that is not searched; -1 where there is none.
template <class F>
CAROM_HD F ray_by_formula(const ShapeView& shape, const RayT<F>& ray) {
  const Vec3 scale = shape.scale;
  switch (shape.type) {
    case ShapeType::kPlane: return ray_plane(scale, ray);
    case ShapeType::kSphere: return ray_sphere(scale.x, ray);
    case ShapeType::kCapsule: return ray_capsule(scale.x, scale.y, ray);
    case ShapeType::kEllipsoid: return ray_ellipsoid(scale, ray);
    case ShapeType::kCylinder: return ray_cylinder(scale.x, scale.y, ray);
    case ShapeType::kBox: return ray_box(scale, ray);
    case ShapeType::kCone: return ray_cone(scale.x, scale.y, ray);
    case ShapeType::kConvexHull: return ray_hull(shape.geometry->hull, ray);
    default: return F(-1);
  }
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// One whose direction is unit.
CAROM_HD_LARGE RayHit hit_of_unit_ray(const ShapeView& shape, const Ray& ray) {
  switch (shape.type) {
    case ShapeType::kMesh: return ray_mesh(shape.geometry->mesh, ray);
    case ShapeType::kHeightfield: return ray_heightfield(shape.geometry->heightfield, ray);
    case ShapeType::kSdf: return ray_sdf(shape.geometry->sdf, ray);
    default: return {ray_by_formula(shape, ray), -1};
  }
}

// The ray p + t d, 0 <= t <= max_t, in the frame of the shape. See ray_hit.h for what counts as a hit.
CAROM_HD_LARGE RayHit ray_shape(const ShapeView& shape, Vec3 p, Vec3 d, Real max_t) {
  const Real speed = length(d);
  if (!(speed > 0) || !is_finite(speed) || !is_finite(p) || !(max_t >= 0)) return no_hit();
  RayHit hit = hit_of_unit_ray(shape, {p, d / speed, min(max_t * speed, kRayEnd)});
  if (is_hit(hit)) hit.t = min(hit.t / speed, max_t);
  return hit;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
