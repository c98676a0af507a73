// Cones, as a triangle in the half plane of radius and height: the slope from the apex (0, h) to the rim (r, -h), and
// the base. Within, of an equally near slope and base the slope counts; on the axis it is nearest towards x.
#pragma once

#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

// Feature: 0 slope, 1 base, 2 rim, 3 apex.
CAROM_HD SurfacePoint surface_point_of_cone(Real radius, Real half_height, Vec3 p) {
  const HalfPlane plane(p);
  const Real height = half_height + half_height, slope = sqrt(fma(radius, radius, height * height));
  const Real normal_r = height / slope, normal_z = radius / slope;       // of the slope; downwards it runs along
  const Real along_r = normal_z, along_z = -normal_r;                    // (along_r, along_z)
  const Real from_apex = p.z - half_height, below = -half_height - p.z;  // below: beyond the base
  const Real beside = fma(plane.radius, normal_r, from_apex * normal_z);
  const Real along = fma(plane.radius, along_r, from_apex * along_z);
  const bool inside = beside <= 0 && below <= 0;
  const bool over_base = plane.radius <= radius, over_slope = along >= 0 && along <= slope;

  if (inside ? beside >= below : over_slope && beside > 0) {
    const Vec3 normal = plane.at(normal_r, normal_z);
    return {fma(normal, -beside, p), normal, beside, 0};
  }
  if (inside || (over_base && below > 0)) return {{p.x, p.y, -half_height}, {0, 0, -1}, below, 1};
  if (along < 0) {
    const Vec3 apex = {0, 0, half_height};
    return {apex, unit_or(p - apex, {0, 0, 1}), length(p - apex), 3};
  }
  const Real out = plane.radius - radius;
  return {plane.at(radius, -half_height), unit_or(plane.at(out, -below), plane.outward),
          sqrt(fma(out, out, below * below)), 2};
}

}  // namespace carom::inline CAROM_PRECISION
