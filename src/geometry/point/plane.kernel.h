// Planes: the surface z = 0 with the solid below.
//
// A finite plane is a rectangle. Below it, within its sides, is solid without a bottom; there the distance is z.
// Beside it there is nothing: the distance is that to the rectangle's border, positive on either side of z = 0. (The
// sides of the solid are no surface, so a body that comes from there is not caught on them.)
#pragma once

#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

// scale: width and length; 0 means without end along that axis. Feature: 0 surface, 1 border.
CAROM_HD SurfacePoint surface_point_of_plane(Vec3 scale, Vec3 p) {
  const Real half_x = scale.x * Real(0.5), half_y = scale.y * Real(0.5);
  const Vec3 on = {scale.x > 0 ? clamp(p.x, -half_x, half_x) : p.x, scale.y > 0 ? clamp(p.y, -half_y, half_y) : p.y, 0};
  if (on.x == p.x && on.y == p.y) return {on, {0, 0, 1}, p.z, 0};
  return {on, unit_or(p - on, {0, 0, 1}), length(p - on), 1};
}

}  // namespace carom::inline CAROM_PRECISION
