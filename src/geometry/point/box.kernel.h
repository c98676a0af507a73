// Boxes. In the box the nearest face counts; of equally near ones the first, x before y before z and plus before minus.
#pragma once

#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

// Feature: one digit of base 3 for each axis, x first: 0 between the faces, 1 at the plus face, 2 at the minus face.
CAROM_HD SurfacePoint surface_point_of_box(Vec3 half, Vec3 p) {
  const Vec3 on = min(max(p, -half), half);
  if (length_squared(p - on) > kNoLengthSquared) {
    int feature = 0;
    for (int i = 2; i >= 0; --i) feature = 3 * feature + (p[i] > half[i] ? 1 : p[i] < -half[i] ? 2 : 0);
    return {on, normalize(p - on), length(p - on), feature};
  }
  const Vec3 depth = half - abs(p);
  const int axis = depth.x <= depth.y && depth.x <= depth.z ? 0 : depth.y <= depth.z ? 1 : 2;
  SurfacePoint s = {p, {}, -depth[axis], (p[axis] < 0 ? 2 : 1) * (axis == 0 ? 1 : axis == 1 ? 3 : 9)};
  s.normal[axis] = sign_of(p[axis]);
  s.point[axis] = half[axis] * s.normal[axis];
  return s;
}

}  // namespace carom::inline CAROM_PRECISION
