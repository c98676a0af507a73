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

// Axes turned by q: rotate() of unit vectors, without what zeros are multiplied with. The same numbers.
template <class F>
CAROM_HD Vec3T<F> axis_x(QuatT<F> q) {
  const F ty = q.z * F(2), tz = q.y * F(-2);
  return {F(1) + fma(q.y, tz, -(q.z * ty)), fma(ty, q.w, -(q.x * tz)), fma(tz, q.w, q.x * ty)};
}
template <class F>
CAROM_HD Vec3T<F> axis_y(QuatT<F> q) {
  const F tx = q.z * F(-2), tz = q.x * F(2);
  return {fma(tx, q.w, q.y * tz), F(1) + fma(q.z, tx, -(q.x * tz)), fma(tz, q.w, -(q.y * tx))};
}
template <class F>
CAROM_HD Vec3T<F> axis_z(QuatT<F> q) {
  const F tx = q.y * F(2), ty = q.x * F(-2);
  return {fma(tx, q.w, -(q.z * ty)), fma(ty, q.w, q.z * tx), F(1) + fma(q.x, ty, -(q.y * tx))};
}

// Rotation by angle [rad] about a unit axis.
template <class F>
CAROM_HD QuatT<F> quat_from_axis_angle(Vec3T<F> axis, F angle) {
  F s, c;
  sincos(angle * F(0.5), s, c);
  return {axis.x * s, axis.y * s, axis.z * s, c};
}
// Rotation by the length of a vector [rad] about it.
template <class F>
CAROM_HD QuatT<F> quat_from_rotation_vector(Vec3T<F> v) {
  const F angle = length(v);
  return quat_from_axis_angle(v * (F(1) / select(angle > F(0), angle, F(1))), angle);
}
// The other way round; no longer than pi.
template <class F>
CAROM_HD Vec3T<F> rotation_vector(QuatT<F> q) {
  const Vec3T<F> v = vector_part(q);
  const F s = length(v);
  const F angle = F(2) * atan2(s, abs(q.w));  // q and -q are one rotation
  return v * (select(q.w < F(0), -angle, angle) / select(s > F(0), s, F(1)));
}
template <class F>
CAROM_HD Mat33T<F> mat33_from_quat(QuatT<F> q) {
  return mat33_columns(axis_x(q), axis_y(q), axis_z(q));
}
// Angle in (-pi, pi] of the part of q that turns about a unit axis (the twist of a swing-twist decomposition) [rad].
template <class F>
CAROM_HD F twist_angle(QuatT<F> q, Vec3T<F> axis) {
  const F s = dot(vector_part(q), axis);
  const auto negative = q.w < F(0);  // q and -q are one rotation: take the one with the smaller angle
  return F(2) * atan2(select(negative, -s, s), abs(q.w));
}

}  // namespace carom::inline CAROM_PRECISION
