// Two capsules: the nearest points of their axes, or both ends of the overlap when the axes are parallel.
//
// On the lines c0 + s a and c1 + t b with u = c1 - c0 and n = a x b the nearest points are at
//   s = (u x b) . n / |n|^2,   t = (u x a) . n / |n|^2,
// written with cross products because differences of dot products cancel for nearly parallel axes. Along parallel ones
// (within 1e-4 rad) the overlap ends where either segment does, seen from the ends of a: the one at -axis first. Each
// of the two points has its own normal.
#pragma once

#include "collide/narrow/hit.kernel.h"
#include "collide/posed_shape.h"

namespace carom::inline CAROM_PRECISION {

namespace capsules {

// The spheres at s on a and at t on b; u leads from a to b.
template <class F>
CAROM_HD HitT<F> spheres_at(const PosedShape<F>& a, F s, const PosedShape<F>& b, F t, Vec3T<F> u) {
  const auto aside = [&]() CAROM_HD_LAMBDA { return across_axes(a.axis, b.axis); };
  const Vec3T<F> d = fma(b.axis, t, fma(a.axis, -s, u));
  return hit_of_spheres(fma(a.axis, s, a.center), a.radius, d, b.radius, aside);
}

// Where on `to` the point s of `from` is nearest; u leads from one to the other.
template <class F>
CAROM_HD F nearest_on(const PosedShape<F>& to, const PosedShape<F>& from, F s, Vec3T<F> u) {
  return clamp(dot(to.axis, fma(from.axis, s, -u)), -to.half_height, to.half_height);
}

// The point s of a and the nearest of b; where that is an end of b, the point of a that is nearest to it. Elsewhere s
// stays: looked for from b, parallel axes would find it aside by the square of their angle.
template <class F>
CAROM_HD HitT<F> hit_at(const PosedShape<F>& a, F s, const PosedShape<F>& b, Vec3T<F> u) {
  const F t = nearest_on(b, a, s, u);
  const auto at_end = abs(t) >= b.half_height;
  return spheres_at(a, select(at_end, nearest_on(a, b, t, -u), s), b, t, u);
}

}  // namespace capsules

template <class F>
CAROM_HD MaskOf<F> capsule_capsule(const PosedShape<F>& a, const PosedShape<F>& b, HitT<F>* hit) {
  const Vec3T<F> u = b.center - a.center, n = cross(a.axis, b.axis);
  const F det = length_squared(n);
  const auto parallel = det <= F(1e-8);  // of unit axes: within 1e-4 rad
  const F inv = F(1) / select(parallel, F(1), det);

  const F line = clamp(dot(cross(u, b.axis), n) * inv, -a.half_height, a.half_height);
  hit[0] = capsules::hit_at(a, select(parallel, -a.half_height, line), b, u);
  if (any(parallel)) hit[1] = capsules::hit_at(a, a.half_height, b, u);
  return parallel;
}

}  // namespace carom::inline CAROM_PRECISION
