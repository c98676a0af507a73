// What contacts of particles with shapes and with each other have in common: they are hard, and friction is Coulomb's.
//
//   gap(end of the sub-step) >= min(0, gap at its start),  lambda_n >= 0,  |lambda_t| <= mu lambda_n, against the slip
//
// An overlap that is there when a sub-step starts is no business of the lambdas: part of it is taken away by shifting
// the places from which displacements are counted, so that it does not become a velocity, nor a force or friction.
#pragma once

#include "solvers/xpbd/energy_projection.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

inline constexpr Real kPushedOut = Real(0.2);      // part of an overlap that a sub-step takes away
inline constexpr Real kPushOutSpeed = Real(0.25);  // at most, of bodies, whose places are not for us to shift [m/s]

// Of particles, beside what elements see of them: the first of the numbers of SpeedRows.
struct TouchedRows {
  ParticleRows at;
  Real* velocity;
  Real* shift;
  Real h;  // the sub-step [s]
};

template <class F>
CAROM_HD F inverse_mass_at(const ParticleRows& p, const LaneRows<F>& who) {
  F w[1];
  load_lane_rows<kParticleRow>(p.place, who, w, 3);
  return w[0];
}

// A contact's lambdas, on the side to which its normal points.
template <class F>
struct TouchLambda {
  F n{};         // [kg m]
  Vec3T<F> t{};  // in the plane of the contact

  CAROM_HD Vec3T<F> along(Vec3T<F> normal) const { return fma(normal, n, t); }
};

// 0 where nothing can be moved.
template <class F>
CAROM_HD F inverse_or_zero(F w) {
  const auto moves = w > F(0);
  return select(moves, F(1) / select(moves, w, F(1)), F(0));
}

// The next normal lambda: gap is the one left, w what a lambda adds to it.
template <class F>
CAROM_HD F next_normal_lambda(F lambda, F gap, F w) {
  return max(fma(-gap, inverse_or_zero(w), lambda), F(0));
}

// The next lambda of friction: slip is the one left, within the plane of the contact.
template <class F>
CAROM_HD Vec3T<F> next_slip_lambda(Vec3T<F> lambda, Vec3T<F> slip, F w, F most) {
  const Vec3T<F> wanted = fma(slip, -inverse_or_zero(w), lambda);
  const F size = length(wanted);
  return wanted * select(size > most, most / select(size > F(0), size, F(1)), F(1));
}

template <class F>
CAROM_HD Vec3T<F> within_plane(Vec3T<F> v, Vec3T<F> normal) {
  return fma(normal, -dot(normal, v), v);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
