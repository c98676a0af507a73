// Rays and solids with flat faces: boxes and convex hulls, cut out of the line face by face (T. Kay, J. Kajiya, "Ray
// tracing complex scenes", 1986).
#pragma once

#include "geometry/ray/ray_hit.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD F ray_box(Vec3 half, const RayT<F>& ray) {
  const Vec3T<F> upper{F(half.x), F(half.y), F(half.z)};
  const Vec3T<F> inverse_d{inverse_of(ray.d.x), inverse_of(ray.d.y), inverse_of(ray.d.z)};
  return first_of_span(ray, span_of_box(ray, inverse_d, -upper, upper));
}

// Cuts off what lies in front of the plane through p at `height` below it: normal . (x - p) <= -height. A line along
// the plane is left as it is, or nothing of it.
template <class F>
CAROM_HD void cut_span(RaySpanT<F>& span, F slope, F height) {
  const F end = F(kRayEnd), t = -height / slope;
  const auto along = abs(slope) * end <= abs(height), falls = slope < F(0);
  span.enter = max(select(!along && falls, t, -end), span.enter);
  span.leave = min(select(along, select(height > F(0), -end, end), select(falls, end, t)), span.leave);
}

template <class F>
CAROM_HD F ray_hull(const HullView& hull, const RayT<F>& ray) {
  RaySpanT<F> span{F(-kRayEnd), F(kRayEnd)};
  for (int f = 0; f < hull.face_count; ++f) {
    const HullFace& face = hull.face[f];
    const Vec3T<F> normal{F(face.normal.x), F(face.normal.y), F(face.normal.z)};
    cut_span(span, dot(normal, ray.d), dot(normal, ray.p) - F(face.offset));
  }
  return first_of_span(ray, span);
}

}  // namespace carom::inline CAROM_PRECISION
