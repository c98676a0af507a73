// The contact law of penalty solvers: what the material of two shapes does at a point where they touch.
//
// With the depth d [m] of the overlap and the velocities v_n (positive when the shapes part) and v_t of shape 1 against
// shape 0, the forces on shape 1 are
//
//   f_n = ke d + kd max(-v_n, 0)      while d > 0, and ke d while -ka < d < 0: adhesion
//   f_t = -min(kf |v_t|, mu f_n) v_t / |v_t|
//   m_n = what ends the spinning about the normal, up to torsional f_n;  m_t = the rolling, up to rolling f_n
//
// All of them are taken at the end of the step, d - h v_n and v, so that no stiffness is too large for a step: a
// contact is solved for the impulse p = h f that leads to a velocity v = v_free + w p, which the same law answers by p.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Numbers of a material, or of two that are combined.
template <class F>
struct ContactLaw {
  F ke;         // [N/m]
  F kd;         // [N s/m]
  F kf;         // [N s/m]
  F ka;         // [m]
  F mu;         // [1]
  F torsional;  // [m]
  F rolling;    // [m]
};

namespace law {

// The impulse along the normal, given the velocity v_free that there would be without one. Numbers that do not depend
// on it are found once: whoever pushes a contact again and again divides by nothing.
template <class F>
struct NormalLaw {
  F w;                       // velocity per impulse [1/kg]
  F damped, damped_slope;    // with the damper the impulse is damped - damped_slope v_free,
  F elastic, elastic_slope;  // without it elastic - elastic_slope v_free,
  F kiss, kiss_slope;        // and one that ends the step just touching kiss - kiss_slope v_free
  F depth, ka, h;

  NormalLaw() = default;
  CAROM_HD NormalLaw(const ContactLaw<F>& law, F depth, F w, F h) : w(w), depth(depth), ka(law.ka), h(h) {
    const F spring = h * h * law.ke, resisted = fma(h, law.kd, spring), at_rest = h * law.ke * depth;
    const F with_damper = F(1) / fma(w, resisted, F(1)), without = F(1) / fma(w, spring, F(1));
    damped = at_rest * with_damper, damped_slope = resisted * with_damper;
    elastic = at_rest * without, elastic_slope = spring * without;
    kiss_slope = F(1) / select(w > F(0), w, F(1)), kiss = depth / h * kiss_slope;
  }

  CAROM_HD F impulse(F v_free) const {
    const F p_damped = fma(-damped_slope, v_free, damped), p_elastic = fma(-elastic_slope, v_free, elastic);
    // Both agree where v_n = 0, so it is the damped one's velocity that tells on which side of it the solution is.
    F p = select(fma(w, p_damped, v_free) < F(0), p_damped, p_elastic);
    // What comes near from afar touches with a jump of kd |v_n|: then it ends the step just touching, at v_n = d / h.
    p = select(depth < F(0), min(p, fma(-kiss_slope, v_free, kiss)), p);
    const F v_elastic = fma(w, p_elastic, v_free);
    const auto held = ka > F(0) && p <= F(0) && fma(-h, v_elastic, depth) > -ka;
    return select(held, min(p_elastic, F(0)), max(p, F(0)));
  }
};

// v of at most this length, in its direction.
template <class F>
CAROM_HD Vec2T<F> clamp_length(Vec2T<F> v, F most) {
  const F square = dot(v, v);
  const MaskOf<F> longer = square > most * most;
  if (!any(longer)) return v;  // what sticks waits for no root
  return v * select(longer, most / sqrt(select(longer, square, F(1))), F(1));
}

// How much of a velocity friction takes in one push, as an impulse [kg]; w: the largest velocity per impulse in the
// plane.
template <class F>
CAROM_HD F sliding_gain(const ContactLaw<F>& law, F w, F h) {
  const F drag = h * law.kf;
  return drag / fma(w, drag, F(1));
}
// The next impulse of friction after p, which led to the velocity v; most: mu times what presses.
template <class F>
CAROM_HD Vec2T<F> sliding_impulse(Vec2T<F> p, Vec2T<F> v, F w, F gain, F most) {
  return clamp_length((p * w - v) * gain, most);
}

// 1 / w of a velocity per impulse; 0 where nothing moves.
template <class F>
CAROM_HD F per_velocity(F w) {
  return select(w > F(0), F(1) / select(w > F(0), w, F(1)), F(0));
}
// The same for what ends a motion as far as `most` allows: spinning, rolling. gain: per_velocity().
template <class F>
CAROM_HD F ending_impulse(F p, F v, F gain, F most) {
  return select(gain > F(0), clamp(fma(-gain, v, p), -most, most), F(0));
}
template <class F>
CAROM_HD Vec2T<F> ending_impulse(Vec2T<F> p, Vec2T<F> v, F gain, F most) {
  const Vec2T<F> wanted = clamp_length(p - v * gain, most);
  return {select(gain > F(0), wanted.x, F(0)), select(gain > F(0), wanted.y, F(0))};
}

// The larger eigenvalue of (a b; b c).
template <class F>
CAROM_HD F largest_eigenvalue(F a, F b, F c) {
  const F mean = (a + c) * F(0.5), half = (a - c) * F(0.5);
  return mean + sqrt(fma(half, half, b * b));
}

}  // namespace law

}  // namespace carom::inline CAROM_PRECISION
