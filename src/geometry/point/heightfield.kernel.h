// Heightfields: solid below the triangles, to any depth. Beside the field there is nothing, so points there are
// outside, with the distance to the border of the surface, on whichever side of it they are.
#pragma once

#include "geometry/point/triangles.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD_LARGE SurfacePoint surface_point_of_heightfield(const HeightfieldView& field, Vec3 p, Real reach) {
  const bool inside = is_over(field, p) && p.z < surface_height(field, p.x, p.y);
  const NearestTriangle nearest = nearest_triangle(field, p, inside ? kUnbounded : reach);
  if (nearest.triangle < 0) return {p, {0, 0, 1}, reach, -1};
  const Vec3 normal = unit_normal(triangle_corners(field, nearest.triangle));
  const bool under_border = !inside && dot(p - nearest.at.point, normal) < 0;  // beside the field, below its slope
  return surface_point_at(nearest, p, under_border ? -normal : normal, inside);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
