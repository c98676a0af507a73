// Small vectors over F, which is Real (one world) or Lanes (W worlds side by side).
#pragma once

#include "carom/math/scalar.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct Vec2T {
  F x{}, y{};
};

template <class F>
struct Vec3T {
  F x{}, y{}, z{};

  CAROM_HD F& operator[](int i) { return (&x)[i]; }
  CAROM_HD const F& operator[](int i) const { return (&x)[i]; }
};

template <class F>
struct Vec4T {
  F x{}, y{}, z{}, w{};

  CAROM_HD F& operator[](int i) { return (&x)[i]; }
  CAROM_HD const F& operator[](int i) const { return (&x)[i]; }
};

using Vec2 = Vec2T<Real>;
using Vec3 = Vec3T<Real>;
using Vec4 = Vec4T<Real>;

// -- Vec2

template <class F>
CAROM_HD Vec2T<F> operator+(Vec2T<F> a, Vec2T<F> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class F>
CAROM_HD Vec2T<F> operator-(Vec2T<F> a, Vec2T<F> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class F>
CAROM_HD Vec2T<F> operator*(Vec2T<F> a, F s) {
  return {a.x * s, a.y * s};
}
template <class F>
CAROM_HD F dot(Vec2T<F> a, Vec2T<F> b) {
  return fma(a.y, b.y, a.x * b.x);
}

// -- Vec3

template <class F>
CAROM_HD Vec3T<F> operator+(Vec3T<F> a, Vec3T<F> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class F>
CAROM_HD Vec3T<F> operator-(Vec3T<F> a, Vec3T<F> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class F>
CAROM_HD Vec3T<F> operator-(Vec3T<F> a) {
  return {-a.x, -a.y, -a.z};
}
template <class F>
CAROM_HD Vec3T<F> operator*(Vec3T<F> a, F s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class F>
CAROM_HD Vec3T<F> operator*(F s, Vec3T<F> a) {
  return a * s;
}
template <class F>
CAROM_HD Vec3T<F> operator/(Vec3T<F> a, F s) {
  return {a.x / s, a.y / s, a.z / s};
}
template <class F>
CAROM_HD Vec3T<F>& operator+=(Vec3T<F>& a, Vec3T<F> b) {
  return a = a + b;
}
template <class F>
CAROM_HD Vec3T<F>& operator-=(Vec3T<F>& a, Vec3T<F> b) {
  return a = a - b;
}
template <class F>
CAROM_HD auto operator==(Vec3T<F> a, Vec3T<F> b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// a * s + b, each component rounded once.
template <class F>
CAROM_HD Vec3T<F> fma(Vec3T<F> a, F s, Vec3T<F> b) {
  return {fma(a.x, s, b.x), fma(a.y, s, b.y), fma(a.z, s, b.z)};
}
template <class F>
CAROM_HD F dot(Vec3T<F> a, Vec3T<F> b) {
  return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}
template <class F>
CAROM_HD Vec3T<F> cross(Vec3T<F> a, Vec3T<F> b) {
  return {fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)), fma(a.x, b.y, -(a.y * b.x))};
}
template <class F>
CAROM_HD F length_squared(Vec3T<F> a) {
  return dot(a, a);
}
template <class F>
CAROM_HD F length(Vec3T<F> a) {
  return sqrt(dot(a, a));
}
// Unit vector along a; the zero vector stays zero.
template <class F>
CAROM_HD Vec3T<F> normalize(Vec3T<F> a) {
  const F l = length(a);
  const auto positive = l > F(0);
  const F inv = F(1) / select(positive, l, F(1));
  return {select(positive, a.x * inv, F(0)), select(positive, a.y * inv, F(0)), select(positive, a.z * inv, F(0))};
}
template <class F, class M>
CAROM_HD Vec3T<F> select(M mask, Vec3T<F> a, Vec3T<F> b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}
template <class F>
CAROM_HD Vec3T<F> min(Vec3T<F> a, Vec3T<F> b) {
  return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)};
}
template <class F>
CAROM_HD Vec3T<F> max(Vec3T<F> a, Vec3T<F> b) {
  return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)};
}
template <class F>
CAROM_HD Vec3T<F> abs(Vec3T<F> a) {
  return {abs(a.x), abs(a.y), abs(a.z)};
}
template <class F>
CAROM_HD auto is_finite(Vec3T<F> a) {
  return is_finite(a.x) && is_finite(a.y) && is_finite(a.z);
}

// -- Vec4

template <class F>
CAROM_HD Vec4T<F> operator+(Vec4T<F> a, Vec4T<F> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
template <class F>
CAROM_HD Vec4T<F> operator-(Vec4T<F> a, Vec4T<F> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}
template <class F>
CAROM_HD Vec4T<F> operator*(Vec4T<F> a, F s) {
  return {a.x * s, a.y * s, a.z * s, a.w * s};
}
template <class F>
CAROM_HD F dot(Vec4T<F> a, Vec4T<F> b) {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, a.x * b.x)));
}

}  // namespace carom::inline CAROM_PRECISION
