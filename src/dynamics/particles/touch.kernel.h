// A particle that touches something: the contact law of shapes (contact_law.kernel.h) for a point.
//
// All touches act at once, and none knows what the others do. So each of the n touches of a particle has a share of its
// mass, m / n (R. Tonge, F. Benevolenski, A. Voroshilov, "Mass Splitting for Jitter-Free Parallel Rigid Body
// Simulation", 2012), and so has each of those of a body: together they stop what moves and do not turn it round.
#pragma once

#include "carom/columns.h"
#include "dynamics/contact_law.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Of what does not resist spinning and rolling, as a point.
CAROM_HD ContactLaw<Real> point_law(Real ke, Real kd, Real kf, Real ka, Real mu) {
  return {ke, kd, kf, ka, mu, Real(0), Real(0)};
}

// Whether they are near enough at the end of the step to act on each other; v: of the far side against the near one.
CAROM_HD bool will_touch(const ContactLaw<Real>& law, Real depth, Vec3 normal, Vec3 v, Real dt) {
  return fma(-dt, dot(normal, v), depth) > -law.ka;
}

// On the far side, to which the normal points [N]. v: its velocity against the near one as it would be at the end of
// the step without this touch; w_normal, w_slip: how much an impulse changes it [1/kg].
CAROM_HD Vec3 touch_force(const ContactLaw<Real>& law, Real depth, Vec3 normal, Vec3 v, Real w_normal, Real w_slip,
                          Real dt) {
  const Real v_normal = dot(normal, v);
  const Vec3 slip = fma(normal, -v_normal, v);
  const Real push = law::NormalLaw<Real>(law, depth, w_normal, dt).impulse(v_normal);
  const Real speed = length(slip), drag = dt * law.kf;
  const Real wanted = drag * speed / fma(w_slip, drag, Real(1));  // friction of the slip that is left
  const Real friction = min(wanted, law.mu * max(push, Real(0)));
  return fma(normal, push, normalize(slip) * -friction) / dt;
}

// Who is moved by whom: worlds do not meet, not even through what is global (world -1). So nothing in a world moves
// what is global.
CAROM_HD bool is_moved_by(int world, int other_world) { return other_world < 0 || other_world == world; }

}  // namespace carom::inline CAROM_PRECISION
