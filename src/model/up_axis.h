// The axis that points up, as a vector and as a turn.
#pragma once

#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

inline Vec3 unit_vector(Axis axis) {
  Vec3 unit{};
  unit[static_cast<int>(axis)] = 1;
  return unit;
}

// Turns z to this axis. The axes take each other's places in a ring, x y z: so its numbers, and what it turns, are
// exact.
inline Quat turn_of_z(Axis axis) {
  constexpr Real h = Real(0.5);
  if (axis == Axis::kX) return {h, h, h, h};
  if (axis == Axis::kY) return {-h, -h, -h, h};
  return {};
}

}  // namespace carom::inline CAROM_PRECISION
