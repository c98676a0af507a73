// What an impulse does to a body: changes of velocity at once, or forces and accelerations over a time.
//
//   dv = J/m,   dw = I^-1 (r x J),   F = J/dt,   tau = (r x J)/dt,   I dw/dt = tau - w x I w
//
// Vectors are in a common frame in which the body is turned by `euler`; without it, in the body's own axes.
// Bad input throws Error (on a GPU: gives NaN). The templates without checks are for Real and Lanes.
#pragma once

#include "carom/impulse/arguments.h"
#include "carom/impulse/collision.h"

namespace carom::inline CAROM_PRECISION {

// I^-1 torque, in the common frame; also for angular impulses.
template <class F>
CAROM_HD Vec3T<F> turned_by(Vec3T<F> torque, const RotationalInertiaT<F>& I, const EulerT<F>& euler) {
  return inverse_inertia(I, euler, F(1)) * torque;
}
// w x I w, in the common frame. A body at rest has none, whatever its inertia.
template <class F>
CAROM_HD Vec3T<F> gyroscopic_torque(Vec3T<F> w, const RotationalInertiaT<F>& I, const EulerT<F>& euler) {
  const Mat33T<F> R = mat33_from_euler(euler);
  const Vec3T<F> b = transpose(R) * w, m = I.moments();
  const Vec3T<F> momentum = I.diagonal ? Vec3T<F>{m.x * b.x, m.y * b.y, m.z * b.z} : I.tensor * b;
  const auto rests = b.x == F(0) && b.y == F(0) && b.z == F(0);
  return select(rests, Vec3T<F>{F(0), F(0), F(0)}, R * cross(b, momentum));
}
// e (v - 2 (v.n) n) for a unit n.
template <class F>
CAROM_HD Vec3T<F> reflected_velocity(Vec3T<F> v, Vec3T<F> n, F e) {
  return fma(n, F(-2) * dot(v, n), v) * e;
}

inline namespace CAROM_TIER {

CAROM_HD_LARGE Velocity delta_velocity_from_impulse(const Impulse& impulse, Real mass) {
  Arguments check("delta_velocity_from_impulse");
  check.finite("impulse", impulse);
  check.mass("mass", mass);
  return check.accept(Velocity(impulse.vec() / mass));
}

CAROM_HD_LARGE Acceleration acceleration_from_impulse(const Impulse& impulse, Real mass, Seconds delta_time) {
  Arguments check("acceleration_from_impulse");
  check.finite("impulse", impulse);
  check.mass("mass", mass);
  check.duration("delta_time", delta_time);
  return check.accept(Velocity(impulse.vec() / mass) / delta_time);
}

CAROM_HD_LARGE Acceleration acceleration_by_force(const Force& force, Real mass) {
  Arguments check("acceleration_by_force");
  check.finite("force", force);
  check.mass("mass", mass);
  return check.accept(Acceleration(force.vec() / mass));
}

CAROM_HD_LARGE Force force_from_impulse(const Impulse& impulse, Seconds delta_time) {
  Arguments check("force_from_impulse");
  check.finite("impulse", impulse);
  check.duration("delta_time", delta_time);
  return check.accept(impulse / delta_time);
}

CAROM_HD_LARGE Torque torque_from_impulse(const Impulse& impulse, const ContactVector& r1, Seconds delta_time) {
  Arguments check("torque_from_impulse");
  check.finite("impulse", impulse);
  check.finite("r1", r1);
  check.duration("delta_time", delta_time);
  return check.accept(cross(r1, impulse) / delta_time);
}

CAROM_HD_LARGE AngularVelocity delta_angular_velocity_from_impulse(const Impulse& impulse, const ContactVector& r1,
                                                                   const RotationalInertia& I1,
                                                                   const Euler& euler = {}) {
  Arguments check("delta_angular_velocity_from_impulse");
  check.finite("impulse", impulse);
  check.finite("r1", r1);
  check.inertia("I1", I1);
  check.finite("euler", euler);
  return check.accept(AngularVelocity(turned_by(cross(r1.vec(), impulse.vec()), I1, euler)));
}

CAROM_HD_LARGE AngularAcceleration angular_acceleration_from_impulse(const Impulse& impulse, const ContactVector& r1,
                                                                     const RotationalInertia& I1, Seconds delta_time,
                                                                     const Euler& euler = {}) {
  Arguments check("angular_acceleration_from_impulse");
  check.finite("impulse", impulse);
  check.finite("r1", r1);
  check.inertia("I1", I1);
  check.duration("delta_time", delta_time);
  check.finite("euler", euler);
  return check.accept(AngularVelocity(turned_by(cross(r1.vec(), impulse.vec()), I1, euler)) / delta_time);
}

// Euler's equation. An infinite moment of a body that turns gives infinite or undefined values.
CAROM_HD_LARGE AngularAcceleration angular_acceleration_by_torque(const Torque& torque, const RotationalInertia& I1,
                                                                  const AngularVelocity& angular_velocity = {},
                                                                  const Euler& euler = {}) {
  Arguments check("angular_acceleration_by_torque");
  check.finite("torque", torque);
  check.inertia("I1", I1);
  check.finite("angular_velocity", angular_velocity);
  check.finite("euler", euler);
  const Vec3 rest = torque.vec() - gyroscopic_torque(angular_velocity.vec(), I1, euler);
  return check.accept(AngularAcceleration(turned_by(rest, I1, euler)));
}

// The mirrored velocity times e: the restitution acts on the tangential velocity, too, unlike in
// impulse_by_collision(), and nothing turns. For those who need the old behaviour.
CAROM_HD_LARGE Velocity velocity_after_contact_with_wall(const Velocity& v_before, const Vec3& normal, Real e) {
  Arguments check("velocity_after_contact_with_wall");
  check.finite("v_before", v_before);
  check.direction("normal", normal);
  check.within("e", e, 0, 1);
  return check.accept(Velocity(reflected_velocity(v_before.vec(), unit_direction(normal), e)));
}

// The normal is the line from the centre to the contact point, both positions in one frame [m].
CAROM_HD_LARGE Velocity velocity_after_contact_with_wall(const Velocity& v_before, const Vec3& center_position,
                                                         const Vec3& contact_position, Real e) {
  Arguments check("velocity_after_contact_with_wall");
  check.finite("v_before", v_before);
  check.finite("center_position", center_position);
  check.finite("contact_position", contact_position);
  check.direction("contact_position - center_position", contact_position - center_position);
  check.within("e", e, 0, 1);
  const Vec3 n = unit_direction(contact_position - center_position);
  return check.accept(Velocity(reflected_velocity(v_before.vec(), n, e)));
}

}  // namespace CAROM_TIER

}  // namespace carom::inline CAROM_PRECISION
