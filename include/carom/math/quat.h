// Unit quaternions for rotations, in the order x, y, z, w. R(a * b) = R(a) R(b).
#pragma once

#include "carom/math/mat33.h"
#include "carom/math/trig.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct QuatT {
  F x{}, y{}, z{}, w{1};

  CAROM_HD F& operator[](int i) { return (&x)[i]; }
  CAROM_HD const F& operator[](int i) const { return (&x)[i]; }
};

using Quat = QuatT<Real>;

template <class F>
CAROM_HD Vec3T<F> vector_part(QuatT<F> q) {
  return {q.x, q.y, q.z};
}
template <class F>
CAROM_HD QuatT<F> conjugate(QuatT<F> q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class F>
CAROM_HD QuatT<F> operator*(QuatT<F> a, QuatT<F> b) {
  return {fma(a.w, b.x, fma(a.x, b.w, fma(a.y, b.z, -(a.z * b.y)))),
          fma(a.w, b.y, fma(a.y, b.w, fma(a.z, b.x, -(a.x * b.z)))),
          fma(a.w, b.z, fma(a.z, b.w, fma(a.x, b.y, -(a.y * b.x)))),
          fma(a.w, b.w, -fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)))};
}
template <class F>
CAROM_HD F dot(QuatT<F> a, QuatT<F> b) {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, a.x * b.x)));
}
template <class F>
CAROM_HD QuatT<F> normalize(QuatT<F> q) {
  const F inv = F(1) / sqrt(dot(q, q));
  return {q.x * inv, q.y * inv, q.z * inv, q.w * inv};
}
template <class F, class M>
CAROM_HD QuatT<F> select(M mask, QuatT<F> a, QuatT<F> b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z), select(mask, a.w, b.w)};
}
template <class F>
CAROM_HD auto is_finite(QuatT<F> q) {
  return is_finite(q.x) && is_finite(q.y) && is_finite(q.z) && is_finite(q.w);
}

// v turned by q: v + 2 w (u x v) + 2 u x (u x v), with u the vector part.
template <class F>
CAROM_HD Vec3T<F> rotate(QuatT<F> q, Vec3T<F> v) {
  const Vec3T<F> u = vector_part(q);
  const Vec3T<F> t = cross(u, v) * F(2);
  return fma(t, q.w, v + cross(u, t));
}
template <class F>
CAROM_HD Vec3T<F> rotate_inverse(QuatT<F> q, Vec3T<F> v) {
  return rotate(conjugate(q), v);
}

// Rotation by angle [rad] about a unit axis.
template <class F>
CAROM_HD QuatT<F> quat_from_axis_angle(Vec3T<F> axis, F angle) {
  F s, c;
  sincos(angle * F(0.5), s, c);
  return {axis.x * s, axis.y * s, axis.z * s, c};
}
template <class F>
CAROM_HD Mat33T<F> mat33_from_quat(QuatT<F> q) {
  // Its columns are the axes turned by q, as rotate() does it, without the products with zeros.
  const F one(1), two(2);
  const F x2 = q.x * two, y2 = q.y * two, z2 = q.z * two;
  const F xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  return {{one + fma(q.y, -y2, -zz), fma(-z2, q.w, xy), fma(y2, q.w, xz)},
          {fma(z2, q.w, xy), one + fma(q.z, -z2, -xx), fma(-x2, q.w, yz)},
          {fma(-y2, q.w, xz), fma(x2, q.w, yz), one + fma(q.x, -x2, -yy)}};
}
// Angle in (-pi, pi] of the part of q that turns about a unit axis (the twist of a swing-twist decomposition) [rad].
template <class F>
CAROM_HD F twist_angle(QuatT<F> q, Vec3T<F> axis) {
  const F s = dot(vector_part(q), axis);
  const auto negative = q.w < F(0);  // q and -q are one rotation: take the one with the smaller angle
  return F(2) * atan2(select(negative, -s, s), abs(q.w));
}

}  // namespace carom::inline CAROM_PRECISION
