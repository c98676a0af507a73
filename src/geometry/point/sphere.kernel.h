// Spheres and capsules. In the centre and on the axis the normal is x.
#pragma once

#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD SurfacePoint surface_point_of_sphere(Real radius, Vec3 p) {
  const Vec3 normal = unit_or(p, {1, 0, 0});
  return {normal * radius, normal, length(p) - radius, 0};
}

// A sphere about the nearest point of the axis. Feature: 0 side, 1 cap at +z, 2 cap at -z.
CAROM_HD SurfacePoint surface_point_of_capsule(Real radius, Real half_height, Vec3 p) {
  const Vec3 axis_point = {0, 0, clamp(p.z, -half_height, half_height)};
  SurfacePoint s = surface_point_of_sphere(radius, p - axis_point);
  s.point += axis_point;
  s.feature = p.z > half_height ? 1 : p.z < -half_height ? 2 : 0;
  return s;
}

}  // namespace carom::inline CAROM_PRECISION
