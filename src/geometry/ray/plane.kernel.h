// Rays and planes, from above; see geometry/point/plane.kernel.h for what a finite plane is.
#pragma once

#include "geometry/ray/ray_hit.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD F ray_plane(Vec3 scale, const RayT<F>& ray) {
  const F t = -ray.p.z / ray.d.z;
  const Vec3T<F> x = ray.at(t);
  auto hits = ray.d.z < F(0) && t >= F(0) && t <= ray.max_t;
  if (scale.x > 0) hits = hits && abs(x.x) <= F(scale.x * Real(0.5));
  if (scale.y > 0) hits = hits && abs(x.y) <= F(scale.y * Real(0.5));
  return select(hits, t, F(-1));
}

}  // namespace carom::inline CAROM_PRECISION
