// The axes of a contact, along which solvers have friction and sensors tell forces (MuJoCo's mju_makeFrame).
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Normal and two tangents as rows; the suggested tangent where there is one, otherwise y or z.
template <class F>
CAROM_HD Mat33T<F> contact_frame(Vec3T<F> n, Vec3T<F> tangent) {
  const Vec3T<F> y{F(0), F(1), F(0)}, z{F(0), F(0), F(1)};
  const Vec3T<F> rule = select(abs(n.y) < F(0.5), y, z);
  Vec3T<F> t = select(length_squared(tangent) < F(0.25), rule, tangent);
  t = fma(n, -dot(n, t), t);
  // A capsule that stands upright on a plane suggests no tangent at all.
  t = select(length_squared(t) < F(1e-12), fma(n, -dot(n, rule), rule), t);
  t = normalize(t);
  return {n, t, cross(n, t)};
}

}  // namespace carom::inline CAROM_PRECISION
