// What an element has at each of its particles: positions, velocities, forces.
#pragma once

#include "carom/columns.h"

namespace carom::inline CAROM_PRECISION {

template <int N>
struct Corners {
  Vec3 at[N];

  CAROM_HD Vec3& operator[](int i) { return at[i]; }
  CAROM_HD const Vec3& operator[](int i) const { return at[i]; }
};

template <std::size_t N>
CAROM_HD Corners<static_cast<int>(N)> corners_of(const Vec3* rows, const std::array<std::int32_t, N>& indices) {
  Corners<static_cast<int>(N)> c;
  for (std::size_t k = 0; k < N; ++k) c[k] = rows[indices[k]];
  return c;
}

template <int N>
CAROM_HD void write_corners(const Corners<N>& c, int element, Vec3* to) {
  for (int k = 0; k < N; ++k) to[N * element + k] = c[k];
}

}  // namespace carom::inline CAROM_PRECISION
