// The least depth along the valleys of h(n) = max n.(a - b), see epa.kernel.h.
//
// Where a direction is perpendicular to an edge or a straight line of a surface, the support point jumps from one of
// its ends to the other, and h has a valley. Of a cylinder, a cone or a rod these are circles: perpendicular to the
// axis, or to the lines of the mantle. Two shapes with an axis may be about as deep all along such a circle, which a
// search over all directions has no room to follow. Here it is followed alone: it is sampled, and each interval that
// h enters downhill and leaves uphill is halved.
#pragma once

#include "collide/narrow/epa.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Directions n with n.axis = height, in the frame of A.
struct Valley {
  Vec3 axis, x;  // unit, across each other
  Real height, radius;
};
inline constexpr int kValleySamples = 16, kValleyHalvings = sizeof(Real) == 8 ? 36 : 20;
inline constexpr Real kValleyCos = Real(0.92387953251128675613), kValleySin = Real(0.38268343236508977173);  // a sample

struct ValleyPoint {
  Vec3 around;  // unit, across the axis
  Vec3 normal;
  Real depth, slope;  // of h along the circle
};
CAROM_HD ValleyPoint valley_point(const CorePair& pair, const Valley& valley, Vec3 around) {
  const Vec3 n = normalize(fma(around, valley.radius, valley.axis * valley.height));
  const DifferencePoint p = difference_support(pair, n);
  return {around, n, dot(n, p.w), dot(cross(valley.axis, around), p.w)};
}

// Leaves the least depth of the circle and its direction where it is less than what is there.
CAROM_HD_LARGE void follow_valley(const CorePair& pair, const Valley& valley, Vec3& normal, Real& least) {
  ValleyPoint from = valley_point(pair, valley, valley.x);
  for (int k = 0; k < kValleySamples; ++k) {
    const Vec3 around = fma(cross(valley.axis, from.around), kValleySin, from.around * kValleyCos);
    const ValleyPoint next = valley_point(pair, valley, normalize(around));
    ValleyPoint low = from, high = next;
    from = next;
    if (low.slope > 0 || high.slope < 0) continue;
    for (int i = 0; i < kValleyHalvings; ++i) {
      const ValleyPoint middle = valley_point(pair, valley, normalize(low.around + high.around));
      (middle.slope < 0 ? low : high) = middle;
    }
    const ValleyPoint& best = low.depth < high.depth ? low : high;
    if (best.depth < least) least = best.depth, normal = best.normal;
  }
}

// The valley of A or of B.
CAROM_HD bool valley_of(const CorePair& pair, bool of_b, Valley& valley) {
  const ConvexCore& core = of_b ? pair.b : pair.a;
  if (core.type != CoreType::kCylinder && core.type != CoreType::kCone && core.type != CoreType::kSegment) return false;
  const Vec3 z{pair.R_AB.row0.z, pair.R_AB.row1.z, pair.R_AB.row2.z};
  valley.axis = of_b ? -z : Vec3{0, 0, 1};
  const Vec3 size = abs(valley.axis);
  valley.x = normalize(cross(valley.axis, size.x <= size.y ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
  const Real mantle = sqrt(fma(core.size.x, core.size.x, 4 * core.size.z * core.size.z));
  valley.height = core.type == CoreType::kCone ? core.size.x / mantle : Real(0);
  valley.radius = core.type == CoreType::kCone ? 2 * core.size.z / mantle : Real(1);
  return true;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
