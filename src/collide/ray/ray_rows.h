// Rays as kernels see them.
#pragma once

#include "carom/raycast.h"
#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

// Rays of all worlds, world by world; see Rays.
struct RayRows {
  const Vec3 *origin, *direction;
  const int *body, *exclude;  // nullptr: none carries any; the one that carries it
  int per_world;

  CAROM_HD int world_of(int ray) const { return ray / per_world; }
  CAROM_HD int body_of(int ray) const { return body ? body[ray] : -1; }
  CAROM_HD int excluded_body_of(int ray) const { return exclude ? exclude[ray] : body_of(ray); }
  // Whether a ray does not meet the shapes of a body, -1: those without one.
  CAROM_HD static bool passes(int excluded, int body) {
    return excluded == kFixedShapes ? body < 0 : excluded >= 0 && excluded == body;
  }
};

// Whether a vector with this squared length is a direction.
template <class F>
CAROM_HD auto has_direction(F length_squared) {
  return length_squared > F(kNoLengthSquared) && is_finite(length_squared);
}

}  // namespace carom::inline CAROM_PRECISION
