// An infinite plane and a capsule: the spheres at its two ends, the one at +axis first.
#pragma once

#include "collide/narrow/hit.kernel.h"
#include "collide/posed_shape.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD MaskOf<F> plane_capsule(const PosedShape<F>& plane, const PosedShape<F>& capsule, HitT<F>* hit) {
  for (int end = 0; end < 2; ++end) {
    const F along = end == 0 ? capsule.half_height : -capsule.half_height;
    hit[end] =
        hit_of_plane_and_sphere(plane.center, plane.axis, fma(capsule.axis, along, capsule.center), capsule.radius);
  }
  return F(0) <= F(0);  // always two points
}

}  // namespace carom::inline CAROM_PRECISION
