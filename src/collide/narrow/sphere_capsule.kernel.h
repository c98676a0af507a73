// A sphere and a capsule: the sphere against the nearest point of the capsule's axis.
#pragma once

#include "collide/narrow/hit.kernel.h"
#include "collide/posed_shape.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD MaskOf<F> sphere_capsule(const PosedShape<F>& sphere, const PosedShape<F>& capsule, HitT<F>* hit) {
  const F along = clamp(dot(capsule.axis, sphere.center - capsule.center), -capsule.half_height, capsule.half_height);
  const auto aside = [&]() CAROM_HD_LAMBDA { return across_axes(sphere.axis, capsule.axis); };
  hit[0] =
      hit_of_spheres(sphere.center, sphere.radius, fma(capsule.axis, along, capsule.center), capsule.radius, aside);
  return F(0) > F(0);
}

}  // namespace carom::inline CAROM_PRECISION
