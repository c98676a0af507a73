// The axis that points up, as a vector and as a turn.
#pragma once

#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

// Set, not multiplied: the others are 0, never -0.
inline Vec3 along(Axis axis, Real length) {
  Vec3 v{};
  v[static_cast<int>(axis)] = length;
  return v;
}

// [m/s^2]
inline Vec3 default_gravity(Axis up_axis) { return along(up_axis, Real(-9.81)); }

// Turns z to this axis. The axes take each other's places in a ring, x y z: so its numbers, and what it turns, are
// exact.
inline Quat turn_of_z(Axis axis) {
  constexpr Real h = Real(0.5);
  if (axis == Axis::kX) return {h, h, h, h};
  if (axis == Axis::kY) return {-h, -h, -h, h};
  return {};
}

}  // namespace carom::inline CAROM_PRECISION
