// What happens at one contact point, in terms of the relative velocity u there and of K, the change of u per impulse J:
//
//   u' = u + K J,   K = (1/m1 + 1/m2) 1 + [r1]^T I1^-1 [r1] + [r2]^T I2^-1 [r2]   (symmetric, positive definite)
//
// d is the unit normal with u_n = u.d < 0 for approaching bodies. There are tangents e1, e2 in which
//
//   K = k (1, c1, c2) (1, c1, c2)^T + diag(0, s1, s2):   k = d.K d,  c_i = e_i.K d / k,
//
// the s_i and e_i being the principal values and axes of what is left of K across the normal. With j = J_n + c.J_t
//
//   u_n' = u_n + k j,   u_i' = u_i + c_i k j + s_i J_i
//
// so that restitution alone determines j = (u_n' - u_n)/k, whatever friction does. Without friction the slip would be
// q_i = u_i + c_i k j. Coulomb's friction opposes the slip that is left and is in the cone |J_t| <= mu J_n; or it is
// inside and leaves none. All impulses against the slip that is left are a curve,
//
//   J_i = -q_i y / (s_i y + s (1 - y)),   s = (s1 + s2)/2,   0 <= y <= 1
//
// from no friction to sticking. y = 1 if that is in the cone, and otherwise where the curve leaves it. For s1 = s2 and
// c = 0 (spheres) it is a straight line, and y one division; otherwise a few steps of the Illinois method.
// A restitution e_t of slip takes -e_t u_i for the goal instead of 0: q_i = (1 + e_t) u_i + c_i k j.
#pragma once

#include <limits>

#include "carom/math/mat33.h"

namespace carom::inline CAROM_PRECISION {

// How much of a restitution is left at an approach speed below the threshold [m/s].
template <class F>
CAROM_HD F faded_restitution(F restitution, F speed, F threshold) {
  const auto slow = speed < threshold;
  return select(slow, restitution * (speed / select(slow, threshold, F(1))), restitution);
}

// One body as an impulse at r sees it.
template <class F>
struct ContactBodyT {
  F inverse_mass;
  Mat33T<F> inverse_inertia;
  Vec3T<F> r;
};

// K p of one body.
template <class F>
CAROM_HD Vec3T<F> velocity_of_impulse(const ContactBodyT<F>& body, Vec3T<F> p) {
  return fma(p, body.inverse_mass, cross(body.inverse_inertia * cross(body.r, p), body.r));
}

// Two unit vectors that are orthogonal to the unit vector d and to each other (Duff et al., "Building an orthonormal
// basis, revisited", 2017).
template <class F>
CAROM_HD void tangents_of(Vec3T<F> d, Vec3T<F>& t1, Vec3T<F>& t2) {
  const F sign = copysign(F(1), d.z), a = F(-1) / (sign + d.z), b = d.x * d.y * a;
  t1 = {fma(sign * d.x, d.x * a, F(1)), sign * b, -sign * d.x};
  t2 = {b, fma(d.y, d.y * a, sign), -d.y};
}

// The normal, the tangents in which the rest of K is diagonal, and the numbers of K there, as above.
template <class F>
struct PrincipalFrameT {
  Vec3T<F> d, e1, e2;
  F k, c1, c2, s1, s2;
};

// k is known to the caller. The rest of K is never below 1/m1 + 1/m2, nor known better than to rounding of K.
// times_K: K p of any p.
template <class F, class TimesK>
CAROM_HD PrincipalFrameT<F> principal_frame(TimesK times_K, F inverse_masses, Vec3T<F> d, F k) {
  Vec3T<F> t1, t2;
  tangents_of(d, t1, t2);
  const Vec3T<F> K1 = times_K(t1), K2 = times_K(t2);
  const F n1 = dot(K1, d), n2 = dot(K2, d), per_k = select(k > F(0), F(1) / select(k > F(0), k, F(1)), F(0));
  const F c1 = n1 * per_k, c2 = n2 * per_k;
  const F K11 = dot(K1, t1), K22 = dot(K2, t2);
  const F S11 = fma(-c1, n1, K11), S22 = fma(-c2, n2, K22), S12 = fma(-c1, n2, dot(K1, t2));

  // Jacobi's rotation by the angle of tangent t, |t| <= 1, makes S diagonal.
  const F half = F(0.5) * (S11 - S22), radius = sqrt(fma(half, half, S12 * S12));
  const F divisor = half + copysign(radius, half);
  const F t = select(divisor == F(0), F(0), S12 / select(divisor == F(0), F(1), divisor));
  const F cosine = F(1) / sqrt(fma(t, t, F(1))), sine = t * cosine;
  const F epsilon = F(std::numeric_limits<Element<F>>::epsilon());
  const F floor = max(inverse_masses, epsilon * (k + K11 + K22));
  return {d,
          fma(t2, sine, t1 * cosine),
          fma(t1, -sine, t2 * cosine),
          k,
          fma(c2, sine, c1 * cosine),
          fma(c1, -sine, c2 * cosine),
          max(fma(t, S12, S11), floor),
          max(fma(-t, S12, S22), floor)};
}
// Of two bodies.
template <class F>
CAROM_HD PrincipalFrameT<F> principal_frame(const ContactBodyT<F>& one, const ContactBodyT<F>& other, Vec3T<F> d, F k) {
  const auto times_K = [&](Vec3T<F> p)
                           CAROM_HD_LAMBDA { return velocity_of_impulse(one, p) + velocity_of_impulse(other, p); };
  return principal_frame(times_K, one.inverse_mass + other.inverse_mass, d, k);
}

// In coordinates of a principal frame.
template <class F>
struct ContactImpulseT {
  F n, t1, t2;
};

template <class F>
CAROM_HD Vec3T<F> impulse_vector(const PrincipalFrameT<F>& frame, const ContactImpulseT<F>& J) {
  return fma(frame.d, J.n, fma(frame.e1, J.t1, frame.e2 * J.t2));
}

// The impulse at y on the curve of friction, and how far it is outside of the cone.
template <class F>
CAROM_HD ContactImpulseT<F> friction_at(const PrincipalFrameT<F>& f, F y, F q1, F q2, F j, F mu, F& outside) {
  const F rest = F(0.5) * (f.s1 + f.s2) * (F(1) - y);
  const F t1 = -(q1 * y) / fma(f.s1, y, rest), t2 = -(q2 * y) / fma(f.s2, y, rest);
  const F n = fma(-f.c1, t1, fma(-f.c2, t2, j));
  outside = fma(-mu, n, sqrt(fma(t1, t1, t2 * t2)));
  return {n, t1, t2};
}

// J with friction mu > 0, for j >= 0 and slips q to be taken away.
template <class F>
CAROM_HD ContactImpulseT<F> friction_impulse(const PrincipalFrameT<F>& frame, F q1, F q2, F j, F mu) {
  const F cone = mu * j, accuracy = F(4 * std::numeric_limits<Element<F>>::epsilon());
  F high = F(1), low = F(0), h_low = -cone, h_high, h;
  ContactImpulseT<F> J = friction_at(frame, high, q1, q2, j, mu, h_high);
  auto slides = h_high > F(0), was_up = slides;
  for (int step = 0; step < 60 && any(slides); ++step) {
    const F y = fma(high - low, h_low / (h_low - h_high), low);
    const ContactImpulseT<F> at = friction_at(frame, y, q1, q2, j, mu, h);
    J = {select(slides, at.n, J.n), select(slides, at.t1, J.t1), select(slides, at.t2, J.t2)};
    // An end that stays a second time counts half: the other one would creep otherwise.
    const auto up = h > F(0);
    const F weight = F(step > 0 ? 0.5 : 1);
    h_low = select(up, select(was_up, h_low * weight, h_low), h);
    h_high = select(up, h, select(was_up, h_high, h_high * weight));
    low = select(up, low, y);
    high = select(up, y, high);
    was_up = up;
    slides = slides && abs(h) > accuracy * cone && high > low;
  }
  return J;
}

}  // namespace carom::inline CAROM_PRECISION
