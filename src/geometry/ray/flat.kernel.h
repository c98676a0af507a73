// Rays and solids with flat faces: boxes and convex hulls, cut out of the line face by face (T. Kay, J. Kajiya, "Ray
// tracing complex scenes", 1986).
#pragma once

#include "geometry/ray/ray_hit.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD RayHit ray_box(Vec3 half, const Ray& ray) {
  RaySpan span = whole_line();
  int digit = 1;  // of the feature, see geometry/point/box.kernel.h
  for (int axis = 0; axis < 3; ++axis, digit *= 3) {
    Vec3 normal{};
    normal[axis] = 1;
    cut_span(span, ray.d, normal, ray.p[axis] - half[axis], digit);
    cut_span(span, ray.d, -normal, -ray.p[axis] - half[axis], 2 * digit);
  }
  return hit_of_span(ray, span);
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD_LARGE RayHit ray_hull(const HullView& hull, const Ray& ray) {
  RaySpan span = whole_line();
  for (int f = 0; f < hull.face_count; ++f) {
    cut_span(span, ray.d, hull.face[f].normal, dot(hull.face[f].normal, ray.p) - hull.face[f].offset, f);
  }
  return hit_of_span(ray, span);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
