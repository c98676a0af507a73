// By how much a convex shape juts out of another one: the largest signed distance of its points from the other's
// surface, negative where all of it is inside.
//
// The signed distance f of a convex set is convex, so that the point of a convex core farthest along its gradient is no
// worse than the one before: p -> support(grad f(p)) climbs to a maximum. There may be several; climbs set out from
// all sides. A ball around the core adds its radius, because f grows by 1 along its gradient.
#pragma once

#include "collide/narrow/support.kernel.h"
#include "geometry/point/shape.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// From the point of the core that is farthest along `direction`; all in the frame of `around`, which the core stands in
// by X.
CAROM_HD_LARGE Real climb_outside(const ShapeView& around, const ConvexCore& core, const Transform& X, Vec3 direction) {
  constexpr int kMostSteps = 200;
  Real best = -kUnbounded;
  for (int step = 0; step < kMostSteps; ++step) {
    const Vec3 p = transform_point(X, core_support(core, rotate_inverse(X.q, direction)).p);
    const SurfacePoint at = surface_point(around, p, kUnbounded);
    if (!(at.distance > best)) break;
    best = at.distance;
    direction = at.normal;
  }
  return best;
}

CAROM_HD_LARGE Real farthest_outside(const ShapeView& around, const ShapeView& shape, const Transform& X) {
  const ConvexCore core = core_before_triangles(shape);
  Real most = -kUnbounded;
  for (int k = 0; k < 27; ++k) {
    const int layer = k / 9, row = k / 3 % 3, column = k % 3;
    const Vec3 side{Real(column - 1), Real(row - 1), Real(layer - 1)};
    if (k != 13) most = max(most, climb_outside(around, core, X, side));
  }
  return most + core.radius;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
