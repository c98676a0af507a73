// Two spheres: one point.
#pragma once

#include "collide/narrow/hit.kernel.h"
#include "collide/posed_shape.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD MaskOf<F> sphere_sphere(const PosedShape<F>& a, const PosedShape<F>& b, HitT<F>* hit) {
  const auto aside = [&]() CAROM_HD_LAMBDA { return across_axes(a.axis, b.axis); };
  hit[0] = hit_of_spheres(a.center, a.radius, b.center - a.center, b.radius, aside);
  return F(0) > F(0);
}

}  // namespace carom::inline CAROM_PRECISION
