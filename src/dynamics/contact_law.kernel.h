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

// Impulse along the normal, given the velocity v_free that there would be without one; w: velocity per impulse [1/kg].
template <class F>
CAROM_HD F normal_impulse(const ContactLaw<F>& law, F depth, F v_free, F w, F h) {
  const F spring = h * h * law.ke;
  const auto solved = [&](F resisted) CAROM_HD_LAMBDA {
    return fma(-resisted, v_free, h * law.ke * depth) / fma(w, resisted, F(1));
  };
  const F damped = solved(fma(h, law.kd, spring)), elastic = solved(spring);
  // Both agree where v_n = 0, so it is the damped one's velocity that tells on which side of it the solution is.
  F p = select(fma(w, damped, v_free) < F(0), damped, elastic);
  // What comes near from afar touches with a jump of kd |v_n|: then it ends the step just touching, at v_n = d / h.
  const F kiss = (depth / h - v_free) / select(w > F(0), w, F(1));
  p = select(depth < F(0), min(p, kiss), p);
  const F v_elastic = fma(w, elastic, v_free);
  const auto held = law.ka > F(0) && p <= F(0) && fma(-h, v_elastic, depth) > -law.ka;
  return select(held, min(elastic, F(0)), max(p, F(0)));
}

// v of at most this length, in its direction.
template <class F>
CAROM_HD Vec2T<F> clamp_length(Vec2T<F> v, F most) {
  const F size = sqrt(dot(v, v));
  return v * select(size > most, most / select(size > F(0), size, F(1)), F(1));
}

// The next impulse of friction after p, which led to the velocity v; w: the largest velocity per impulse in the plane.
template <class F>
CAROM_HD Vec2T<F> sliding_impulse(const ContactLaw<F>& law, Vec2T<F> p, Vec2T<F> v, F w, F p_normal, F h) {
  const F drag = h * law.kf;
  const Vec2T<F> wanted = (p * w - v) * (drag / fma(w, drag, F(1)));
  return clamp_length(wanted, law.mu * max(p_normal, F(0)));
}

// The same for what ends a motion as far as `most` allows: spinning, rolling.
template <class F>
CAROM_HD F ending_impulse(F p, F v, F w, F most) {
  const F wanted = p - v / select(w > F(0), w, F(1));
  return select(w > F(0), clamp(wanted, -most, most), F(0));
}
template <class F>
CAROM_HD Vec2T<F> ending_impulse(Vec2T<F> p, Vec2T<F> v, F w, F most) {
  const F inverse = F(1) / select(w > F(0), w, F(1));
  const Vec2T<F> wanted = clamp_length(p - v * inverse, most);
  return {select(w > F(0), wanted.x, F(0)), select(w > F(0), wanted.y, F(0))};
}

// The larger eigenvalue of (a b; b c).
template <class F>
CAROM_HD F largest_eigenvalue(F a, F b, F c) {
  const F mean = (a + c) * F(0.5), half = (a - c) * F(0.5);
  return mean + sqrt(fma(half, half, b * b));
}

}  // namespace law

}  // namespace carom::inline CAROM_PRECISION
