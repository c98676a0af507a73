// A shape where it stands in the world, for one world or W of them: what the functions for pairs need to know.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct PosedShape {
  Vec3T<F> center;  // [m]; of planes any point on them
  Vec3T<F> axis;    // z axis of the shape: normal of a plane, axis of a capsule
  F radius;         // [m], 0 for planes
  F half_height;    // of the axis of a capsule [m], 0 otherwise
};

}  // namespace carom::inline CAROM_PRECISION
