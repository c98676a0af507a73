// What a link feels of itself and of all that hangs on it, while the joints give way: a symmetric matrix that makes a
// force of a motion, about a fixed point o in world axes. Featherstone 2008, section 7.1.
//
//   I_A = [ M    H ]   of (linear, angular);  of a rigid body M = m 1 and H = -[h]x, with h: mass times centre of mass
//         [ H^T  I ]
#pragma once

#include "dynamics/spatial_inertia.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct ArticulatedInertiaT {
  Sym33T<F> mass;     // [kg]
  Mat33T<F> moment;   // [kg m]
  Sym33T<F> inertia;  // [kg m^2]
};

template <class F>
CAROM_HD ArticulatedInertiaT<F> articulated(const SpatialInertiaT<F>& I) {
  return {{I.mass, I.mass, I.mass}, skew(-I.moment), I.inertia};
}

template <class F>
CAROM_HD ArticulatedInertiaT<F> operator+(const ArticulatedInertiaT<F>& a, const ArticulatedInertiaT<F>& b) {
  return {a.mass + b.mass, a.moment + b.moment, a.inertia + b.inertia};
}

template <class F>
CAROM_HD SpatialVectorT<F> operator*(const ArticulatedInertiaT<F>& I, const SpatialVectorT<F>& V) {
  return {I.mass * V.linear + I.moment * V.angular, transpose(I.moment) * V.linear + I.inertia * V.angular};
}

// A + s a a^T
template <class F>
CAROM_HD Sym33T<F> add_outer(const Sym33T<F>& A, Vec3T<F> a, F s) {
  const Vec3T<F> b = a * s;
  return {fma(b.x, a.x, A.xx), fma(b.y, a.y, A.yy), fma(b.z, a.z, A.zz),
          fma(b.x, a.y, A.xy), fma(b.x, a.z, A.xz), fma(b.y, a.z, A.yz)};
}

// I_A - U U^T / D: what is left of it behind a degree of freedom S that gives way, with U = I_A S and D = S . U.
template <class F>
CAROM_HD ArticulatedInertiaT<F> give_way(const ArticulatedInertiaT<F>& I, const SpatialVectorT<F>& U, F one_over_D) {
  const F s = -one_over_D;
  return {add_outer(I.mass, U.linear, s), I.moment + outer(U.linear * s, U.angular),
          add_outer(I.inertia, U.angular, s)};
}

}  // namespace carom::inline CAROM_PRECISION
