// Collects the points of a pair whose contact is made of many parts: triangles of a surface, or places where a search
// began. Points that two parts share are one.
#pragma once

#include "collide/narrow/reduce.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct SurfaceManifold {
  static constexpr int kRoom = 48;
  Real same_place;  // points nearer to each other than this are one [m]
  ContactPoint point[kRoom];
  int count = 0;

  CAROM_HD explicit SurfaceManifold(Real same_place_in) : same_place(same_place_in) {}

  CAROM_HD_LARGE void add(const ContactPoint& p) {
    constexpr Real kSameNormal = Real(0.999);
    for (int i = 0; i < count; ++i) {
      ContactPoint& other = point[i];
      if (length_squared(other.point - p.point) > same_place * same_place || dot(other.normal, p.normal) < kSameNormal)
        continue;
      if (p.distance < other.distance) other = {p.point, p.normal, p.distance, other.feature};
      return;
    }
    if (count == kRoom) count = reduce_points(point, count, kMaxReduced);
    point[count++] = p;
  }

  // The best of them, sorted by feature.
  CAROM_HD int write(int room, ContactPoint* out) {
    count = reduce_points(point, count, room < kMaxReduced ? room : kMaxReduced);
    const int n = count < room ? count : room;
    for (int i = 0; i < n; ++i) out[i] = point[i];
    return n;
  }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
