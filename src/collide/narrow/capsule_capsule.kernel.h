// Two capsules: the nearest points of their axes, or both ends of the overlap when the axes are parallel.
//
// On the lines c0 + s a and c1 + t b with u = c1 - c0 and n = a x b the nearest points are at
//   s = (u x b) . n / |n|^2,   t = (u x a) . n / |n|^2,
// written with cross products because differences of dot products cancel for nearly parallel axes.
#pragma once

#include "collide/narrow/hit.kernel.h"
#include "collide/posed_shape.h"

namespace carom::inline CAROM_PRECISION {

namespace capsules {

// The spheres at s on a and at t on b.
template <class F>
CAROM_HD HitT<F> spheres_at(const PosedShape<F>& a, F s, const PosedShape<F>& b, F t) {
  const auto aside = [&]() CAROM_HD_LAMBDA { return across_axes(a.axis, b.axis); };
  return hit_of_spheres(fma(a.axis, s, a.center), a.radius, fma(b.axis, t, b.center), b.radius, aside);
}

// Where on b the point s of a is nearest, and the other way round.
template <class F>
CAROM_HD F nearest_on(const PosedShape<F>& b, const PosedShape<F>& a, F s) {
  return clamp(dot(b.axis, fma(a.axis, s, a.center) - b.center), -b.half_height, b.half_height);
}

}  // namespace capsules

template <class F>
CAROM_HD MaskOf<F> capsule_capsule(const PosedShape<F>& a, const PosedShape<F>& b, HitT<F>* hit) {
  const Vec3T<F> u = b.center - a.center, n = cross(a.axis, b.axis);
  const F det = length_squared(n);
  const auto parallel = det <= F(1e-8);  // of unit axes: within 1e-4 rad
  const F inv = F(1) / select(parallel, F(1), det);

  const F line = clamp(dot(cross(u, b.axis), n) * inv, -a.half_height, a.half_height);
  const F s0 = select(parallel, -a.half_height, line);
  const F t0 = capsules::nearest_on(b, a, s0);
  hit[0] = capsules::spheres_at(a, capsules::nearest_on(a, b, t0), b, t0);
  if (any(parallel)) {
    const F t1 = capsules::nearest_on(b, a, a.half_height);
    hit[1] = capsules::spheres_at(a, capsules::nearest_on(a, b, t1), b, t1);
  }
  return parallel;
}

}  // namespace carom::inline CAROM_PRECISION
