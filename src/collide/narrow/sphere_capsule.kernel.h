// A sphere and a capsule: the sphere against the nearest point of the capsule's axis.
#pragma once

#include "collide/narrow/hit.kernel.h"
#include "collide/posed_shape.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD MaskOf<F> sphere_capsule(const PosedShape<F>& sphere, const PosedShape<F>& capsule, HitT<F>* hit) {
  const Vec3T<F> u = capsule.center - sphere.center;
  const F along = clamp(-dot(capsule.axis, u), -capsule.half_height, capsule.half_height);
  const auto aside = [&]() CAROM_HD_LAMBDA { return across_axes(sphere.axis, capsule.axis); };
  hit[0] = hit_of_spheres(sphere.center, sphere.radius, fma(capsule.axis, along, u), capsule.radius, aside);
  return F(0) > F(0);
}

}  // namespace carom::inline CAROM_PRECISION
