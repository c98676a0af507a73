// One triangle: its normal, and the point of it that is nearest to a given one.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct TriangleCorners {
  Vec3 corner[3];  // counter-clockwise seen from outside [m]
};

// Where on a triangle: corner k, side k (from corner k to corner k + 1), or the face.
enum TrianglePart : int { kCornerPart = 0, kSidePart = 3, kFacePart = 6 };

struct TrianglePoint {
  Vec3 point;             // [m]
  Real distance_squared;  // [m^2]
  int part;               // kCornerPart + k, kSidePart + k or kFacePart
};

CAROM_HD Vec3 unit_normal(const TriangleCorners& t) {
  return normalize(cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]));
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Whether a triangle's point is nearer to p than the nearest one so far (number -1: none, at the end of the reach); of
// equally near ones the lower number counts. Squared distances cannot tell points of one flat surface apart that are
// nearer to each other than the root of their rounding: one beside the foot of p would stand for it.
CAROM_HD bool is_nearer(Vec3 p, const TrianglePoint& at, int number, const TrianglePoint& nearest, int nearest_number) {
  constexpr Real kSame = 4 * std::numeric_limits<Real>::epsilon();
  const Real by = nearest.distance_squared - at.distance_squared;
  if (nearest_number < 0 || abs(by) > kSame * nearest.distance_squared) return by > 0;
  const Real difference = dot(at.point - nearest.point, (p - at.point) + (p - nearest.point));
  return difference > 0 || (difference == 0 && number < nearest_number);
}

CAROM_HD TrianglePoint point_of_part(Vec3 p, Vec3 point, int part) { return {point, length_squared(p - point), part}; }

// The regions are told apart by barycentric coordinates, as in C. Ericson, "Real-Time Collision Detection", 2005, sec.
// 5.1.5. Over the face the answer is the projection along the normal, which keeps small heights exact.
// The triangle must have an area.
CAROM_HD_LARGE TrianglePoint nearest_of_triangle(const TriangleCorners& t, Vec3 p) {
  const Vec3 a = t.corner[0], b = t.corner[1], c = t.corner[2];
  const Vec3 ab = b - a, ac = c - a;
  const Real d1 = dot(ab, p - a), d2 = dot(ac, p - a);
  if (d1 <= 0 && d2 <= 0) return point_of_part(p, a, kCornerPart);
  const Real d3 = dot(ab, p - b), d4 = dot(ac, p - b);
  if (d3 >= 0 && d4 <= d3) return point_of_part(p, b, kCornerPart + 1);
  const Real vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return point_of_part(p, fma(ab, d1 / (d1 - d3), a), kSidePart);
  const Real d5 = dot(ab, p - c), d6 = dot(ac, p - c);
  if (d6 >= 0 && d5 <= d6) return point_of_part(p, c, kCornerPart + 2);
  const Real vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return point_of_part(p, fma(ac, d2 / (d2 - d6), a), kSidePart + 2);
  const Real va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    return point_of_part(p, fma(c - b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), b), kSidePart + 1);
  }
  const Vec3 n = unit_normal(t);
  const Real height = dot(p - a, n);
  return {fma(n, -height, p), height * height, kFacePart};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
