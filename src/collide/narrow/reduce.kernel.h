// Fewer points for the same contact: the deepest one, one for every other direction of push, and then those that span
// the widest area seen along the deepest one's normal.
//
// Each choice goes through the points in the order of their features, and a later one must be better by a margin. So
// points that are equal but for rounding, as those of a resting body, are chosen alike in every step.
#pragma once

#include "collide/contact_point.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kMaxReduced = 16;  // most points that reduce_points() can be asked for

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD_LARGE void sort_by_feature(ContactPoint* points, int count) {
  for (int i = 1; i < count; ++i) {
    const ContactPoint moved = points[i];
    int at = i;
    for (; at > 0 && points[at - 1].feature > moved.feature; --at) points[at] = points[at - 1];
    points[at] = moved;
  }
}

// Brings points[from] to the place `to` before it; those between keep their order.
CAROM_HD void move_forward(ContactPoint* points, int from, int to) {
  const ContactPoint moved = points[from];
  for (int i = from; i > to; --i) points[i] = points[i - 1];
  points[to] = moved;
}

// The first of points[first ... count) with the greatest score above `least`, up to a margin; -1 where there is none.
template <class Score>
CAROM_HD int best_of(const ContactPoint* points, int first, int count, Real least, Real margin, Score score) {
  int best = -1;
  Real best_score = least;
  for (int i = first; i < count; ++i) {
    const Real s = score(points[i]);
    if (!(s > best_score + margin)) continue;
    best = i;
    best_score = s;
  }
  return best;
}

// The convex polygon of the chosen points in the plane of contact, counter-clockwise about the normal.
struct ContactPolygon {
  Vec3 normal;
  Vec3 corner[kMaxReduced + 1];
  int count = 0;

  // Twice the area to the right of the line from a to b.
  CAROM_HD Real beyond(Vec3 a, Vec3 b, Vec3 p) const { return -dot(cross(b - a, p - a), normal); }
  // Twice the area that p adds.
  CAROM_HD Real gain(Vec3 p) const {
    if (count == 2) return abs(beyond(corner[0], corner[1], p));
    Real sum = 0;
    for (int i = 0; i < count; ++i) sum += max(beyond(corner[i], corner[i + 1 == count ? 0 : i + 1], p), Real(0));
    return sum;
  }
  // p lies outside. Corners both of whose sides it sees fall inside.
  CAROM_HD void add(Vec3 p) {
    if (count < 3) {
      corner[count++] = p;
      if (count < 3 || beyond(corner[0], corner[1], p) <= 0) return;
      corner[2] = corner[1];
      corner[1] = p;
      return;
    }
    Vec3 kept[kMaxReduced + 1];
    int kept_count = 0;
    for (int i = 0; i < count; ++i) {
      const Vec3 before = corner[i == 0 ? count - 1 : i - 1], here = corner[i],
                 after = corner[i + 1 == count ? 0 : i + 1];
      const bool sees_before = beyond(before, here, p) > 0, sees_after = beyond(here, after, p) > 0;
      if (!(sees_before && sees_after)) kept[kept_count++] = here;
      if (sees_after && !sees_before) kept[kept_count++] = p;
    }
    count = kept_count;
    for (int i = 0; i < count; ++i) corner[i] = kept[i];
  }
};

// Keeps at most `keep` (2 ... kMaxReduced) of the points, in the order of their features, and returns how many. Fewer
// are left when the rest lies within the area of those chosen.
CAROM_HD_LARGE int reduce_points(ContactPoint* points, int count, int keep) {
  constexpr Real kMargin = Real(1e-4), kSameNormal = Real(0.9), kMost = Real(1e30);
  constexpr Real kDepthMargin = sizeof(Real) == 8 ? Real(1e-7) : Real(2e-5);  // well above rounding
  sort_by_feature(points, count);
  if (count <= keep) return count;
  Real extent_squared = 0;
  for (int i = 1; i < count; ++i)
    extent_squared = max(extent_squared, length_squared(points[i].point - points[0].point));
  const Real extent = sqrt(extent_squared);

  const int deepest = best_of(points, 0, count, -kMost, kDepthMargin * extent,
                              [](const ContactPoint& p) CAROM_HD_LAMBDA { return -p.distance; });
  move_forward(points, deepest < 0 ? 0 : deepest, 0);
  int chosen = 1;
  while (chosen < keep) {  // other directions
    const int next =
        best_of(points, chosen, count, -kMost, kDepthMargin * extent, [&](const ContactPoint& p) CAROM_HD_LAMBDA {
          for (int i = 0; i < chosen; ++i) {
            if (dot(points[i].normal, p.normal) > kSameNormal) return -kMost;
          }
          return -p.distance;
        });
    if (next < 0) break;
    move_forward(points, next, chosen++);
  }
  ContactPolygon polygon;
  polygon.normal = points[0].normal;
  polygon.corner[polygon.count++] = points[0].point;
  while (chosen < keep) {
    const bool second = polygon.count == 1;
    const Real scale = second ? extent : extent_squared;
    const int next =
        best_of(points, chosen, count, kMargin * scale, kMargin * scale, [&](const ContactPoint& p) CAROM_HD_LAMBDA {
          return second ? length(p.point - points[0].point) : polygon.gain(p.point);
        });
    if (next < 0) break;
    polygon.add(points[next].point);
    move_forward(points, next, chosen++);
  }
  sort_by_feature(points, chosen);
  return chosen;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
