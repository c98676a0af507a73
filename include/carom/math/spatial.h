// Spatial vectors (linear part first) and rigid-body inertias.
//
// A twist of a body in carom is (velocity of the body's centre of mass in world axes [m/s], angular velocity in
// world axes [rad/s]); a wrench is (force [N], torque about the centre of mass [N m]), both in world axes.
// This convention is stated here and used everywhere: body_qd, body_f, free joints.
#pragma once

#include "carom/math/transform.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SpatialVectorT {
  Vec3T<F> linear;
  Vec3T<F> angular;
};

using SpatialVector = SpatialVectorT<Real>;

template <class F>
CAROM_HD SpatialVectorT<F> operator+(SpatialVectorT<F> a, SpatialVectorT<F> b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
template <class F>
CAROM_HD SpatialVectorT<F> operator-(SpatialVectorT<F> a, SpatialVectorT<F> b) {
  return {a.linear - b.linear, a.angular - b.angular};
}
template <class F>
CAROM_HD SpatialVectorT<F> operator*(SpatialVectorT<F> a, F s) {
  return {a.linear * s, a.angular * s};
}
template <class F>
CAROM_HD SpatialVectorT<F> fma(SpatialVectorT<F> a, F s, SpatialVectorT<F> b) {
  return {fma(a.linear, s, b.linear), fma(a.angular, s, b.angular)};
}
template <class Mask, class F>
CAROM_HD SpatialVectorT<F> select(Mask mask, SpatialVectorT<F> a, SpatialVectorT<F> b) {
  return {select(mask, a.linear, b.linear), select(mask, a.angular, b.angular)};
}
template <class F>
CAROM_HD F dot(SpatialVectorT<F> a, SpatialVectorT<F> b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}
template <class F>
CAROM_HD auto is_finite(SpatialVectorT<F> a) {
  return is_finite(a.linear) && is_finite(a.angular);
}

// Mass [kg], centre of mass [m] and inertia about the centre of mass [kg m^2], all in one frame.
template <class F>
struct InertiaT {
  F mass{};
  Vec3T<F> com;
  Mat33T<F> inertia;
};

using Inertia = InertiaT<Real>;

// R I R^T: an inertia tensor seen from a frame in which the body's own axes are turned by q.
template <class F>
CAROM_HD Mat33T<F> rotate_inertia(QuatT<F> q, Mat33T<F> inertia) {
  const Mat33T<F> R = mat33_from_quat(q);
  return R * inertia * transpose(R);
}
// m (|d|^2 1 - d d^T): what moving the reference point by d from the centre of mass adds (parallel axes).
template <class F>
CAROM_HD Mat33T<F> point_inertia(F mass, Vec3T<F> d) {
  return (mat33_diagonal(Vec3T<F>{dot(d, d), dot(d, d), dot(d, d)}) - outer(d, d)) * mass;
}
// Inertia given in frame B, in frame A.
template <class F>
CAROM_HD InertiaT<F> transform_inertia(TransformT<F> X_AB, InertiaT<F> body) {
  return {body.mass, transform_point(X_AB, body.com), rotate_inertia(X_AB.q, body.inertia)};
}
// Two bodies of one frame glued together. Both massless gives a massless body at a's centre.
template <class F>
CAROM_HD InertiaT<F> combine_inertia(InertiaT<F> a, InertiaT<F> b) {
  const F mass = a.mass + b.mass;
  const auto heavy = mass > F(0);
  const F share = select(heavy, b.mass / select(heavy, mass, F(1)), F(0));
  const Vec3T<F> com = fma(b.com - a.com, share, a.com);
  return {mass, com, a.inertia + b.inertia + point_inertia(a.mass, a.com - com) + point_inertia(b.mass, b.com - com)};
}

}  // namespace carom::inline CAROM_PRECISION
