// Spheres and capsules. In the centre and on the axis the normal is x.
#pragma once

#include "geometry/point/nearest.kernel.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD SurfacePoint surface_point_of_sphere(Real radius, Vec3 p) {
  return with_feature(nearest_of_sphere(radius, p), 0);
}

// A sphere about the nearest point of the axis. Feature: 0 side, 1 cap at +z, 2 cap at -z.
CAROM_HD SurfacePoint surface_point_of_capsule(Real radius, Real half_height, Vec3 p) {
  return with_feature(nearest_of_capsule(radius, half_height, p), p.z > half_height ? 1 : p.z < -half_height ? 2 : 0);
}

}  // namespace carom::inline CAROM_PRECISION
