// The force of a contact that is elastic, damped and rubs, between events (Hertz; Hunt and Crossley 1975):
//
//   f_n = K delta^(3/2) (1 + d delta'), not below zero
//   K   = 4/3 E sqrt(R),  1/E = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
//   f_t = -mu f_n v_t / reg(|v_t|, slide_speed)
//   tau = -f_n (r_roll w_t / reg(|w_t|, turn_speed) + r_spin w_n n / reg(|w_n|, turn_speed))
//
// delta: how deep the shapes overlap; v_t, w: of shape b relative to a, w_n along the normal; R: of the radii of the
// shapes where they touch, 1/R = 1/R_a + 1/R_b, faces having none. reg(v, s) = v from s on, below it a parabola of
// second order that ends at s/3, so that what rests creeps instead of jumping to and fro.
//
// d = a(e) / v with the speed v at which the contact began. Without other forces the shapes part at the speed r v with
// a - ln(1 + a) = -a r - ln(1 - a r), whatever K, mass and exponent are: so a(e) is the root of that for r = e.
// Functions are those of carom/math.h, whose bits are the same on every machine.
#pragma once

#include <cmath>

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Of one contact, as it began.
template <class F>
struct ElasticContactT {
  F stiffness;  // K [N/m^(3/2)]
  F damping;    // d [s/m]
  F mu;
  F rolling, spinning;  // r_roll, r_spin [m]
};
using ElasticContact = ElasticContactT<Real>;

struct ElasticSpeeds {
  Real slide;  // [m/s]
  Real turn;   // [rad/s]
};

// a(e) of a restitution between 0 and 1. The root is between 0 and 1/e, and grows without bound towards e = 0.
inline Real damping_number(Real e) {
  if (e >= 1) return 0;
  constexpr Real kMost = Real(1e12);
  if (!(e > 1 / kMost)) return kMost;
  const auto excess = [&](Real a) { return (a - carom::log(1 + a)) + (a * e + carom::log(1 - a * e)); };
  // Below the root the excess is positive for small a, as (1 - e) (1 + e) a^2 / 2; it falls to minus infinity at 1/e.
  Real low = 0, high = 1 / e;
  for (int i = 0; i < 200 && high - low > Real(1e-15) * high; ++i) {
    const Real middle = Real(0.5) * (low + high);
    (excess(middle) > 0 ? low : high) = middle;
  }
  return Real(0.5) * (low + high);
}

template <class F>
CAROM_HD F regular_speed(F v, F slow) {
  return select(v >= slow, v, v * v / slow * (F(Real(1)) - v / (F(Real(3)) * slow)) + slow / F(Real(3)));
}

template <class F>
struct ContactWrenchT {
  Vec3T<F> force;   // on b at the contact point [N]
  Vec3T<F> torque;  // on b [N m]
};

// normal: from a to b; depth: negative where they are apart; v, w: of b relative to a at the point [m/s], [rad/s].
template <class F>
CAROM_HD ContactWrenchT<F> elastic_wrench(const ElasticContactT<F>& c, const ElasticSpeeds& speeds, F depth,
                                          Vec3T<F> normal, Vec3T<F> v, Vec3T<F> w) {
  const F zero(Real(0)), deep = select(depth > zero, depth, zero);
  const F v_n = dot(v, normal);  // apart
  const F f_n = c.stiffness * deep * sqrt(deep) * max(F(Real(1)) - c.damping * v_n, zero);
  const Vec3T<F> v_t = v - normal * v_n;
  const Vec3T<F> force = normal * f_n - v_t * (c.mu * f_n / regular_speed(length(v_t), F(speeds.slide)));
  const F w_n = dot(w, normal), turn(speeds.turn);
  const Vec3T<F> w_t = w - normal * w_n;
  return {force, w_t * (-f_n * c.rolling / regular_speed(length(w_t), turn)) -
                     normal * (f_n * c.spinning * w_n / regular_speed(abs(w_n), turn))};
}

}  // namespace carom::inline CAROM_PRECISION
