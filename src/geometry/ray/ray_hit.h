// Rays p + t d, 0 <= t <= max_t, in the frame of a shape, one or W of them: what the functions of this folder are given
// and find.
//
// A ray hits the first surface on its way, from whichever side it comes: the near side of a solid, or the far side when
// it begins inside. Planes are hit from above alone. The rules are those of MuJoCo's mj_ray. A ray whose direction has
// no length hits nothing.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct RayHit {
  Real t;        // negative: no hit
  int triangle;  // of a mesh or heightfield, -1 for other shapes
};

CAROM_HD RayHit no_hit() { return {Real(-1), -1}; }
CAROM_HD bool is_hit(const RayHit& hit) { return hit.t >= 0; }

// Inside of this folder rays have unit directions, so that t is a length [m].
template <class F>
struct RayT {
  Vec3T<F> p, d;
  F max_t;

  CAROM_HD Vec3T<F> at(F t) const { return fma(d, t, p); }
};
using Ray = RayT<Real>;

// Where a line is inside of a convex solid; nowhere for enter > leave.
template <class F>
struct RaySpanT {
  F enter, leave;
};
using RaySpan = RaySpanT<Real>;

inline constexpr Real kRayEnd = Real(1e30);
// By this factor t may differ from what it would be without rounding.
inline constexpr Real kRayRounding = 1 + (sizeof(Real) == 4 ? Real(1e-6) : Real(2e-15));

// Divides by nothing smaller, so that zero times infinity does not come up.
template <class F>
CAROM_HD F inverse_of(F d) {
  return copysign(F(1) / max(abs(d), F(Real(1e-20))), d);
}

template <class F>
CAROM_HD RaySpanT<F> common_span(const RaySpanT<F>& a, const RaySpanT<F>& b) {
  return {max(a.enter, b.enter), min(a.leave, b.leave)};
}

// Where lower <= p + t d <= upper, along one axis.
template <class F>
CAROM_HD RaySpanT<F> span_of_slab(F p, F inverse_d, F lower, F upper) {
  const F t0 = (lower - p) * inverse_d, t1 = (upper - p) * inverse_d;
  return {min(t0, t1), max(t0, t1)};
}

template <class F>
CAROM_HD RaySpanT<F> span_of_box(const RayT<F>& ray, Vec3T<F> inverse_d, Vec3T<F> lower, Vec3T<F> upper) {
  RaySpanT<F> span = span_of_slab(ray.p.x, inverse_d.x, lower.x, upper.x);
  for (int axis = 1; axis < 3; ++axis)
    span = common_span(span, span_of_slab(ray.p[axis], inverse_d[axis], lower[axis], upper[axis]));
  return span;
}

// t where the ray first meets the surface of a solid, given where its line is inside; -1 where it does not.
template <class F>
CAROM_HD F first_of_span(const RayT<F>& ray, const RaySpanT<F>& span) {
  const F t = select(span.enter >= F(0), span.enter, span.leave);
  return select(span.enter <= span.leave && t >= F(0) && t <= ray.max_t, t, F(-1));
}

}  // namespace carom::inline CAROM_PRECISION
