// Spatial vectors about a fixed point o, in world axes, and the inertia of a rigid set of bodies about it.
//
// A motion is (velocity of the point of the set that is at o, angular velocity), a force is (force, torque about o).
// Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.
#pragma once

#include "carom/math/spatial.h"

namespace carom::inline CAROM_PRECISION {

// A symmetric 3 x 3 matrix.
template <class F>
struct Sym33T {
  F xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
};

template <class F>
CAROM_HD Vec3T<F> operator*(const Sym33T<F>& a, Vec3T<F> v) {
  return {fma(a.xz, v.z, fma(a.xy, v.y, a.xx * v.x)), fma(a.yz, v.z, fma(a.yy, v.y, a.xy * v.x)),
          fma(a.zz, v.z, fma(a.yz, v.y, a.xz * v.x))};
}
template <class F>
CAROM_HD Sym33T<F> operator+(const Sym33T<F>& a, const Sym33T<F>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

// Zeros of a singular one, as of any matrix.
template <class F>
CAROM_HD Sym33T<F> inverse(const Sym33T<F>& a) {
  const F xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz, xz = a.xy * a.yz - a.xz * a.yy;
  const F det = a.xx * xx + a.xy * xy + a.xz * xz;
  const MaskOf<F> regular = abs(det) > F(0);
  const F scale = select(regular, F(1) / select(regular, det, F(1)), F(0));
  return {xx * scale, (a.xx * a.zz - a.xz * a.xz) * scale, (a.xx * a.yy - a.xy * a.xy) * scale, xy * scale,
          xz * scale, (a.xy * a.xz - a.xx * a.yz) * scale};
}
// R A R^T
template <class F>
CAROM_HD Sym33T<F> rotate(const Mat33T<F>& R, const Sym33T<F>& a) {
  const Vec3T<F> x = a * R.row0, y = a * R.row1, z = a * R.row2;  // rows of R A
  return {dot(x, R.row0), dot(y, R.row1), dot(z, R.row2), dot(x, R.row1), dot(x, R.row2), dot(y, R.row2)};
}

template <class F>
struct SpatialInertiaT {
  F mass{};           // [kg]
  Vec3T<F> moment{};  // mass times (centre of mass - o) [kg m]
  Sym33T<F> inertia;  // about o [kg m^2]
};

template <class F>
CAROM_HD SpatialInertiaT<F> operator+(const SpatialInertiaT<F>& a, const SpatialInertiaT<F>& b) {
  return {a.mass + b.mass, a.moment + b.moment, a.inertia + b.inertia};
}

// Of a body whose centre of mass is at d from o; inertia_c: about the centre of mass, world axes.
template <class F>
CAROM_HD SpatialInertiaT<F> spatial_inertia(F mass, Vec3T<F> d, const Sym33T<F>& inertia_c) {
  const Vec3T<F> md = d * mass;
  return {mass,
          md,
          {fma(md.y, d.y, fma(md.z, d.z, inertia_c.xx)), fma(md.x, d.x, fma(md.z, d.z, inertia_c.yy)),
           fma(md.x, d.x, fma(md.y, d.y, inertia_c.zz)), fma(-md.x, d.y, inertia_c.xy), fma(-md.x, d.z, inertia_c.xz),
           fma(-md.y, d.z, inertia_c.yz)}};
}

// Momentum of a motion.
template <class F>
CAROM_HD SpatialVectorT<F> operator*(const SpatialInertiaT<F>& I, const SpatialVectorT<F>& V) {
  return {fma(V.linear, I.mass, cross(V.angular, I.moment)), I.inertia * V.angular + cross(I.moment, V.linear)};
}

// How a motion S changes that is carried along by a motion V.
template <class F>
CAROM_HD SpatialVectorT<F> cross_motion(const SpatialVectorT<F>& V, const SpatialVectorT<F>& S) {
  return {cross(V.angular, S.linear) + cross(V.linear, S.angular), cross(V.angular, S.angular)};
}
// How a momentum P changes that is carried along by a motion V.
template <class F>
CAROM_HD SpatialVectorT<F> cross_force(const SpatialVectorT<F>& V, const SpatialVectorT<F>& P) {
  return {cross(V.angular, P.linear), cross(V.angular, P.angular) + cross(V.linear, P.linear)};
}

}  // namespace carom::inline CAROM_PRECISION
