// What the functions for pairs of shapes find: points where two shapes are near each other.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct ContactPoint {
  Vec3 point;     // midway between the surfaces [m]
  Vec3 normal;    // unit, from the first shape to the second
  Real distance;  // between the surfaces along the normal, negative when they overlap [m]
  int feature;    // which parts of the shapes touch; the same number as long as they are the same
};

// Most points that a function for one pair of convex shapes gives.
inline constexpr int kMaxManifold = 8;
// And one for shapes that are not convex.
inline constexpr int kMaxPoints = 64;

}  // namespace carom::inline CAROM_PRECISION
