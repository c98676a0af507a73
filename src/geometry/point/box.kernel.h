// Boxes. In the box the nearest face counts; of equally near ones the first, x before y before z and plus before minus.
#pragma once

#include "geometry/point/nearest.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Feature: one digit of base 3 for each axis, x first: 0 between the faces, 1 at the plus face, 2 at the minus face.
CAROM_HD SurfacePoint surface_point_of_box(Vec3 half, Vec3 p) {
  const NearestT<Real> at = nearest_of_box(half, p);
  const auto digit = [](Real a, Real limit) CAROM_HD_LAMBDA { return a > limit ? 1 : a < -limit ? 2 : 0; };
  const bool outside = length_squared(p - min(max(p, -half), half)) > kNoLengthSquared;
  const Vec3 of = outside ? p : at.normal, limit = outside ? half : Vec3{};
  return with_feature(at, digit(of.x, limit.x) + 3 * digit(of.y, limit.y) + 9 * digit(of.z, limit.z));
}

}  // namespace carom::inline CAROM_PRECISION
