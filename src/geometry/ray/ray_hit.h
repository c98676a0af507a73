// Rays p + t d, 0 <= t <= max_t, in the frame of a shape: what the functions of this folder are given and find.
//
// d need not be unit; a ray whose direction has no length hits nothing. Solids are hit where the ray enters; a ray that
// begins strictly inside of a solid hits it at t = 0, with the normal -d / |d|. Surfaces that bound no solid (open
// meshes, and planes and heightfields seen from beside or below their border) are hit from either side, and the normal
// looks towards where the ray comes from.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct RayHit {
  Real t;       // negative: no hit
  Vec3 normal;  // unit, of the surface
  int feature;  // which part of the surface, with the numbers of the functions in geometry/point; -1 from inside
};

CAROM_HD RayHit no_hit() { return {Real(-1), {}, -1}; }
CAROM_HD bool is_hit(const RayHit& hit) { return hit.t >= 0; }

// Inside of this folder rays have unit directions, so that t is a length [m].
struct Ray {
  Vec3 p, d;
  Real max_t;

  CAROM_HD Vec3 at(Real t) const { return fma(d, t, p); }
};

CAROM_HD RayHit hit_from_inside(const Ray& ray) { return {0, -ray.d, -1}; }

// Where a line is inside of a convex solid: from t = enter, where the normal is `normal`, to t = leave.
struct RaySpan {
  Real enter, leave;
  Vec3 normal;
  int feature;
};
inline constexpr Real kRayEnd = Real(1e30);

CAROM_HD RaySpan whole_line() { return {-kRayEnd, kRayEnd, {}, -1}; }

// Cuts off what lies in front of the plane through p at `height` below it: normal . (x - p) <= -height.
CAROM_HD void cut_span(RaySpan& span, Vec3 d, Vec3 normal, Real height, int feature) {
  const Real slope = dot(normal, d);
  if (abs(slope) * kRayEnd <= abs(height)) {  // along the plane: all or nothing
    if (height > 0) span.leave = -kRayEnd;
    return;
  }
  const Real t = -height / slope;
  if (slope > 0) {
    span.leave = min(span.leave, t);
  } else if (t > span.enter) {
    span.enter = t;
    span.normal = normal;
    span.feature = feature;
  }
}

// The first hit of a solid, given where the line is inside.
CAROM_HD RayHit hit_of_span(const Ray& ray, const RaySpan& span) {
  if (!(span.enter <= span.leave) || span.leave <= 0 || span.enter > ray.max_t) return no_hit();
  if (span.enter < 0) return hit_from_inside(ray);
  return {span.enter, span.normal, span.feature};
}

}  // namespace carom::inline CAROM_PRECISION
