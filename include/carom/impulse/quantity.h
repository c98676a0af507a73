// Vectors that know their dimension: an impulse is neither a force nor a velocity, and the compiler says so.
//
// QuantityT<Dimension<kg, m, s>, F> holds three numbers in SI units; F is Real, or Lanes in kernels. Equal dimensions
// add up, cross products multiply them, Seconds move between rates. From a Vec3 and to it only by name: Velocity(v),
// q.vec().
#pragma once

#include "carom/math/vec.h"

namespace carom::inline CAROM_PRECISION {

// Exponents of kilogram, metre and second. Angles have none.
template <int kg, int m, int s>
struct Dimension {
  static constexpr int kKilogram = kg, kMetre = m, kSecond = s;
};
template <class A, class B>
using DimensionProduct = Dimension<A::kKilogram + B::kKilogram, A::kMetre + B::kMetre, A::kSecond + B::kSecond>;
template <class A, class B>
using DimensionQuotient = Dimension<A::kKilogram - B::kKilogram, A::kMetre - B::kMetre, A::kSecond - B::kSecond>;

// A time. Plain numbers are taken as seconds.
template <class F>
struct SecondsT {
  F value{};

  SecondsT() = default;
  CAROM_HD constexpr SecondsT(F seconds) : value(seconds) {}
};

template <class D, class F>
struct QuantityT {
  F x{}, y{}, z{};

  QuantityT() = default;
  CAROM_HD constexpr QuantityT(F x, F y, F z) : x(x), y(y), z(z) {}
  CAROM_HD constexpr explicit QuantityT(Vec3T<F> v) : x(v.x), y(v.y), z(v.z) {}
  CAROM_HD constexpr Vec3T<F> vec() const { return {x, y, z}; }

  friend CAROM_HD QuantityT operator+(QuantityT a, QuantityT b) { return QuantityT(a.vec() + b.vec()); }
  friend CAROM_HD QuantityT operator-(QuantityT a, QuantityT b) { return QuantityT(a.vec() - b.vec()); }
  friend CAROM_HD QuantityT operator-(QuantityT a) { return QuantityT(-a.vec()); }
  friend CAROM_HD QuantityT operator*(QuantityT a, F s) { return QuantityT(a.vec() * s); }
  friend CAROM_HD QuantityT operator*(F s, QuantityT a) { return a * s; }
  friend CAROM_HD QuantityT operator/(QuantityT a, F s) { return QuantityT(a.vec() / s); }
  friend CAROM_HD QuantityT& operator+=(QuantityT& a, QuantityT b) { return a = a + b; }
  friend CAROM_HD QuantityT& operator-=(QuantityT& a, QuantityT b) { return a = a - b; }
  friend CAROM_HD auto operator==(QuantityT a, QuantityT b) { return a.vec() == b.vec(); }
};

template <class D, class F>
CAROM_HD QuantityT<DimensionProduct<D, Dimension<0, 0, 1>>, F> operator*(SecondsT<F> t, QuantityT<D, F> a) {
  return {t.value * a.x, t.value * a.y, t.value * a.z};
}
template <class D, class F>
CAROM_HD QuantityT<DimensionProduct<D, Dimension<0, 0, 1>>, F> operator*(QuantityT<D, F> a, SecondsT<F> t) {
  return t * a;
}
template <class D, class F>
CAROM_HD QuantityT<DimensionQuotient<D, Dimension<0, 0, 1>>, F> operator/(QuantityT<D, F> a, SecondsT<F> t) {
  return {a.x / t.value, a.y / t.value, a.z / t.value};
}
template <class A, class B, class F>
CAROM_HD QuantityT<DimensionProduct<A, B>, F> cross(QuantityT<A, F> a, QuantityT<B, F> b) {
  return QuantityT<DimensionProduct<A, B>, F>(cross(a.vec(), b.vec()));
}
// A plain number, in SI units.
template <class A, class B, class F>
CAROM_HD F dot(QuantityT<A, F> a, QuantityT<B, F> b) {
  return dot(a.vec(), b.vec());
}

template <class F>
using ContactVectorT = QuantityT<Dimension<0, 1, 0>, F>;  // from a centre of mass to the contact point [m]
template <class F>
using VelocityT = QuantityT<Dimension<0, 1, -1>, F>;  // [m/s]
template <class F>
using AngularVelocityT = QuantityT<Dimension<0, 0, -1>, F>;  // [rad/s]
template <class F>
using AccelerationT = QuantityT<Dimension<0, 1, -2>, F>;  // [m/s^2]
template <class F>
using AngularAccelerationT = QuantityT<Dimension<0, 0, -2>, F>;  // [rad/s^2]
template <class F>
using ImpulseT = QuantityT<Dimension<1, 1, -1>, F>;  // [N s]
template <class F>
using ForceT = QuantityT<Dimension<1, 1, -2>, F>;  // [N]
template <class F>
using TorqueT = QuantityT<Dimension<1, 2, -2>, F>;  // [N m]

using Seconds = SecondsT<Real>;
using ContactVector = ContactVectorT<Real>;
using Velocity = VelocityT<Real>;
using AngularVelocity = AngularVelocityT<Real>;
using Acceleration = AccelerationT<Real>;
using AngularAcceleration = AngularAccelerationT<Real>;
using Impulse = ImpulseT<Real>;
using Force = ForceT<Real>;
using Torque = TorqueT<Real>;

}  // namespace carom::inline CAROM_PRECISION
