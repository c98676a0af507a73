// An infinite plane and a sphere: one point.
#pragma once

#include "collide/narrow/hit.kernel.h"
#include "collide/posed_shape.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD MaskOf<F> plane_sphere(const PosedShape<F>& plane, const PosedShape<F>& sphere, HitT<F>* hit) {
  hit[0] = hit_of_plane_and_sphere(plane.center, plane.axis, sphere.center, sphere.radius);
  return F(0) > F(0);  // no second point
}

}  // namespace carom::inline CAROM_PRECISION
