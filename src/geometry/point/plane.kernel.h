// Planes: the surface z = 0 with the solid below.
//
// A finite plane is a rectangle. Below it, within its sides, is solid without a bottom; there the distance is z.
// Beside it there is nothing: the distance is that to the rectangle's border, positive on either side of z = 0. (The
// sides of the solid are no surface, so a body that comes from there is not caught on them.)
#pragma once

#include "geometry/point/nearest.kernel.h"

namespace carom::inline CAROM_PRECISION {

// scale: width and length; 0 means without end along that axis. Feature: 0 surface, 1 border.
CAROM_HD SurfacePoint surface_point_of_plane(Vec3 scale, Vec3 p) {
  const NearestT<Real> at = nearest_of_plane(scale, p);
  return with_feature(at, at.point.x == p.x && at.point.y == p.y ? 0 : 1);
}

}  // namespace carom::inline CAROM_PRECISION
