// Rays and planes; see geometry/point/plane.kernel.h for what a finite plane is.
#pragma once

#include "geometry/ray/ray_hit.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD RayHit ray_plane(Vec3 scale, const Ray& ray) {
  const auto covers = [&](Vec3 x) CAROM_HD_LAMBDA {
    const bool in_width = !(scale.x > 0) || abs(x.x) <= scale.x * Real(0.5);
    return in_width && (!(scale.y > 0) || abs(x.y) <= scale.y * Real(0.5));
  };
  if (ray.p.z < 0 && covers(ray.p)) return hit_from_inside(ray);
  if (!(abs(ray.d.z) > 0)) return no_hit();
  const Real t = -ray.p.z / ray.d.z;
  const bool leaves = ray.p.z == 0 && ray.d.z > 0;
  if (t < 0 || t > ray.max_t || leaves || !covers(ray.at(t))) return no_hit();
  return {t, {0, 0, ray.d.z < 0 ? Real(1) : Real(-1)}, 0};
}

}  // namespace carom::inline CAROM_PRECISION
