// The impulse of a collision of two rigid bodies at one point: Newton's restitution along the normal, Coulomb friction
// across it. The equations are in contact_law.h.
//
// Kinetic energy never grows. Newton's restitution with friction could make it grow (Kane's paradox: friction that
// turns the body against the wall); then only the part s of the friction acts that leaves the energy as it was:
//
//   E(s) = E0 + s g + s^2/2 h,   E0 = -(1 - e)/2 j |u_n| <= 0,   g = sum (u_i - c_i u_n) J_i,   h = sum s_i J_i^2 >= 0
//
// E is convex and not positive without friction. Restitution and the cone hold on the whole way.
//
// Everything is computed in units of the lighter mass, with inverse masses and inertias: infinite ones are exact
// limits, and tiny ones do not overflow.
#pragma once

#include "carom/impulse/arguments.h"
#include "carom/impulse/contact_law.h"

namespace carom::inline CAROM_PRECISION {

struct ImpulseOptions {
  bool oriented = false;            // the normal points from self to other, and bodies that separate get no impulse
  Real friction = 0;                // Coulomb's mu
  Real tangential_restitution = 0;  // -1 .. 1: of the slip, where the contact sticks
  Real restitution_threshold = 0;   // [m/s], below this approach speed e fades linearly to 0
};

// Two bodies and their contact, all vectors in one frame.
template <class F>
struct CollisionT {
  Vec3T<F> v1, w1;  // of self: velocity of the centre of mass [m/s], angular velocity [rad/s]
  EulerT<F> self_euler;
  Vec3T<F> v2, w2;
  EulerT<F> target_euler;
  Vec3T<F> r1, r2;  // from each centre of mass to the contact point [m]
  F m1, m2;         // [kg]
  RotationalInertiaT<F> I1, I2;
  Vec3T<F> normal;  // of any length
  F e, friction, tangential_restitution, restitution_threshold;
  bool oriented;
};

// -- The physics; Real and Lanes, no checks.

// The unit vector along a of any length: squares of extreme ones are kept in range by powers of two.
template <class F>
CAROM_HD Vec3T<F> unit_direction(Vec3T<F> a) {
  constexpr bool single = sizeof(Element<F>) == 4;
  constexpr Element<F> large = single ? Element<F>(0x1p40) : Element<F>(0x1p300);
  constexpr Element<F> scale = single ? Element<F>(0x1p100) : Element<F>(0x1p700);
  const F size = max(max(abs(a.x), abs(a.y)), abs(a.z));
  const Vec3T<F> b = a * select(size < F(1 / large), F(scale), select(size > F(large), F(1 / scale), F(1)));
  return b * (F(1) / length(b));
}

// The largest s in [0, 1] with E0 + s g + s^2/2 h <= 0, for E0 <= 0 <= h.
template <class F>
CAROM_HD F dissipative_share(F E0, F g, F h) {
  const F root = sqrt(max(fma(g, g, F(-2) * (h * E0)), F(0)));
  const auto rises = g > F(0), curved = h > F(0);
  const F zero = select(rises, F(-2) * E0, root - g) / select(rises, g + root, select(curved, h, F(1)));
  return select(rises || curved, min(zero, F(1)), F(1));
}

template <class F>
CAROM_HD Vec3T<F> impulse_with_friction(const CollisionT<F>& c, const PrincipalFrameT<F>& frame, Vec3T<F> u, F e, F j) {
  const F u_n = dot(u, frame.d), u1 = dot(u, frame.e1), u2 = dot(u, frame.e2), yield = frame.k * j;
  const F goal = F(1) + c.tangential_restitution;
  ContactImpulseT<F> J =
      friction_impulse(frame, fma(u1, goal, frame.c1 * yield), fma(u2, goal, frame.c2 * yield), j, c.friction);
  const F E0 = F(0.5) * (F(1) - e) * (j * u_n);
  const F g = fma(fma(-frame.c1, u_n, u1), J.t1, fma(-frame.c2, u_n, u2) * J.t2);
  const F h = fma(frame.s1 * J.t1, J.t1, frame.s2 * J.t2 * J.t2);
  const F s = dissipative_share(E0, g, h);
  return impulse_vector(frame, {fma(s, J.n - j, j), s * J.t1, s * J.t2});
}

// J on self [N s]. NaN where neither body can move along the normal.
template <class F>
CAROM_HD Vec3T<F> collision_impulse(const CollisionT<F>& c) {
  const Vec3T<F> n = unit_direction(c.normal);
  const Vec3T<F> u = (c.v1 + cross(c.w1, c.r1)) - (c.v2 + cross(c.w2, c.r2));
  const F along = dot(u, n), speed = abs(along);
  const Vec3T<F> d = select(along > F(0), -n, n);  // from other to self, if they approach

  const F lighter = min(c.m1, c.m2), unit = select(lighter < infinity<F>(), lighter, F(1));
  const ContactBodyT<F> self{unit / c.m1, inverse_inertia(c.I1, c.self_euler, unit), c.r1};
  const ContactBodyT<F> other{unit / c.m2, inverse_inertia(c.I2, c.target_euler, unit), c.r2};
  const Vec3T<F> turn1 = cross(c.r1, d), turn2 = cross(c.r2, d);
  const F k = (self.inverse_mass + other.inverse_mass) +
              (dot(turn1, self.inverse_inertia * turn1) + dot(turn2, other.inverse_inertia * turn2));

  const F e = faded_restitution(c.e, speed, c.restitution_threshold);
  const F j = select(k > F(0), (F(1) + e) * speed / select(k > F(0), k, F(1)), not_a_number<F>());
  Vec3T<F> J = d * j;
  const auto rough = c.friction > F(0);
  if (any(rough)) J = select(rough, impulse_with_friction(c, principal_frame(self, other, d, k), u, e, j), J);
  if (c.oriented) J = select(along > F(0), J, Vec3T<F>{F(0), F(0), F(0)});
  return J * unit;
}

// Goes through the arguments; see arguments.h.
template <class F, class Check>
CAROM_HD void check_collision(const CollisionT<F>& c, Check& check) {
  check.finite("v1", c.v1);
  check.finite("w1", c.w1);
  check.finite("self_euler", c.self_euler);
  check.finite("v2", c.v2);
  check.finite("w2", c.w2);
  check.finite("target_euler", c.target_euler);
  check.finite("r1", c.r1);
  check.finite("r2", c.r2);
  check.mass("m1", c.m1);
  check.mass("m2", c.m2);
  check.inertia("I1", c.I1);
  check.inertia("I2", c.I2);
  check.direction("normal", c.normal);
  check.within("e", c.e, F(0), F(1));
  check.magnitude("friction", c.friction);
  check.within("tangential_restitution", c.tangential_restitution, F(-1), F(1));
  check.magnitude("restitution_threshold", c.restitution_threshold);
}

// -- The functions.

inline namespace CAROM_TIER {

CAROM_HD_LARGE Impulse checked_collision_impulse(const CollisionT<Real>& c, Arguments check) {
  check_collision(c, check);
  const Vec3 J = collision_impulse(c);
#if !defined(__CUDA_ARCH__)
  const bool massive = c.m1 == infinity<Real>() && c.m2 == infinity<Real>();
  if (massive && J.x != J.x) check.fail("m1 and m2", "are infinite, and no inertia lets the bodies yield");
#endif
  return check.accept(Impulse(J));
}

// The impulse on self by a collision with another body; -J acts on that one. All vectors are in one frame, in which the
// bodies are turned by self_euler and target_euler; inertias are in the bodies' own axes. The normal may have any
// length and, unless options.oriented, either sign. Throws Error for bad input.
CAROM_HD_LARGE Impulse impulse_by_collision(const Velocity& v1, const AngularVelocity& w1, const Euler& self_euler,
                                            const Velocity& v2, const AngularVelocity& w2, const Euler& target_euler,
                                            const ContactVector& r1, const ContactVector& r2, Real m1, Real m2,
                                            const RotationalInertia& I1, const RotationalInertia& I2,
                                            const Vec3& normal, Real e, const ImpulseOptions& options = {}) {
  return checked_collision_impulse(
      {v1.vec(), w1.vec(), self_euler, v2.vec(), w2.vec(), target_euler, r1.vec(), r2.vec(), m1, m2, I1, I2, normal, e,
       options.friction, options.tangential_restitution, options.restitution_threshold, options.oriented},
      Arguments("impulse_by_collision"));
}

// The same with something that nothing moves; v2 is the velocity of its contact point.
CAROM_HD_LARGE Impulse impulse_by_collision(const Velocity& v1, const AngularVelocity& w1, const Euler& self_euler,
                                            const Velocity& v2, const ContactVector& r1, Real m1,
                                            const RotationalInertia& I1, const Vec3& normal, Real e,
                                            const ImpulseOptions& options = {}) {
  const Real inf = infinity<Real>();
  return impulse_by_collision(v1, w1, self_euler, v2, {}, {}, r1, {}, m1, inf, I1, {inf, inf, inf}, normal, e, options);
}

}  // namespace CAROM_TIER

}  // namespace carom::inline CAROM_PRECISION
