// Four corners of a convex polygon that span much of its area, as MuJoCo chooses them: from the first four on, the last
// corner goes ahead while the quad grows, and after each step of it the third and the second one follow.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

struct Quad {
  int corner[4];     // ascending
  Real square_area;  // times four
};

// corner(i): i-th of `count` > 4 corners. The quad has corner 0.
template <class Corner>
CAROM_HD_STAGE Quad widest_quad(int count, Corner corner) {
  Quad quad{{0, 1, 2, 3}, 0};
  const auto square_area = [&]() CAROM_HD_LAMBDA {
    const int* const c = quad.corner;
    return length_squared(cross(corner(c[0]) - corner(c[2]), corner(c[1]) - corner(c[3])));
  };
  // Moves corner k on if there is room before `end` and the area grows.
  const auto advance = [&](int k, int end) CAROM_HD_LAMBDA {
    if (quad.corner[k] + 1 >= end) return false;
    ++quad.corner[k];
    const Real area = square_area();
    const bool grows = area > quad.square_area;
    if (grows) quad.square_area = area;
    else --quad.corner[k];
    return grows;
  };
  quad.square_area = square_area();
  while (advance(3, count)) {
    while (advance(2, quad.corner[3])) {
    }
    while (advance(1, quad.corner[2])) {
    }
  }
  return quad;
}

}  // namespace as_mujoco

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
