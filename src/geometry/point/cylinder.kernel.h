// Cylinders, as a rectangle in the half plane of radius and height. Within, of equally near sides and caps the side
// counts; on the axis it is nearest towards x, and of equally near caps the one at +z.
#pragma once

#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

// Feature: 0 side, 1 cap at +z, 2 cap at -z, 3 and 4 their rims.
CAROM_HD SurfacePoint surface_point_of_cylinder(Real radius, Real half_height, Vec3 p) {
  const HalfPlane plane(p);
  const Real end = half_height * sign_of(p.z), beside = plane.radius - radius, above = abs(p.z) - half_height;
  const int cap = p.z < 0 ? 2 : 1;
  if (above > 0 && beside > 0) {
    const Vec3 on = plane.at(radius, end);
    return {on, unit_or(plane.at(beside, p.z - end), plane.outward), sqrt(fma(beside, beside, above * above)), cap + 2};
  }
  if (beside >= above) return {plane.at(radius, p.z), plane.outward, beside, 0};
  return {{p.x, p.y, end}, {0, 0, sign_of(p.z)}, above, cap};
}

}  // namespace carom::inline CAROM_PRECISION
