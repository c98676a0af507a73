// Impulses that take their time: a force F(t) over a contact of length T whose integral is exactly J, so that a motion
// during the contact, an accelerometer or a gyroscope can follow it. With s = t/T, F = J/T f(s) and the part of J that
// is given until s is C(s), the integral of f:
//
//   rectangle   f = 1                               C = s
//   half sine   f = pi/2 sin(pi s)                  C = sin^2(pi s/2)          a linear spring
//   hertz       f = 16/(3 pi) (1 - x^2)^(3/2)       C = 1/2 + (x (5 - 2 x^2) sqrt(1 - x^2) + 3 asin x)/(3 pi)
//
// with x = 2 s - 1. In an elastic contact of round bodies (Hertz) the force goes with the power 3/2 of the depth; with
// the depth itself taken as a parabola in time, which is near to the truth, the integral is elementary.
#pragma once

#include "carom/impulse/arguments.h"

namespace carom::inline CAROM_PRECISION {

enum class ImpulseProfile { kRectangle, kHalfSine, kHertz };

// -- f and C, of s in [0, 1].

template <class F>
CAROM_HD F profile_force(ImpulseProfile profile, F s) {
  const F pi = F(3.14159265358979323846);
  const F x = fma(F(2), s, F(-1)), q = max(fma(-x, x, F(1)), F(0));
  switch (profile) {
    case ImpulseProfile::kRectangle: return F(1);
    case ImpulseProfile::kHalfSine: return pi * F(0.5) * sin(pi * s);
    default: return F(16) / (F(3) * pi) * (q * sqrt(q));
  }
}

template <class F>
CAROM_HD F profile_integral(ImpulseProfile profile, F s) {
  const F pi = F(3.14159265358979323846);
  const F x = fma(F(2), s, F(-1)), q = max(fma(-x, x, F(1)), F(0));
  switch (profile) {
    case ImpulseProfile::kRectangle: return s;
    case ImpulseProfile::kHalfSine: return square(sin(pi * F(0.5) * s));
    default: return F(0.5) + fma(x * fma(F(-2) * x, x, F(5)), sqrt(q), F(3) * asin(x)) / (F(3) * pi);
  }
}

// -- The functions.

inline namespace CAROM_TIER {

// F(t) [N]; zero outside of the contact.
CAROM_HD_LARGE Force force_at(const Impulse& impulse, Seconds duration, ImpulseProfile profile, Seconds time) {
  Arguments check("force_at");
  check.finite("impulse", impulse);
  check.duration("duration", duration);
  const Real s = time.value / duration.value;
  const Real inside = s >= 0 && s <= 1 ? profile_force(profile, s) : Real(0);
  return check.accept((impulse / duration) * inside);
}

// The part of the impulse that is given until t.
CAROM_HD_LARGE Impulse impulse_until(const Impulse& impulse, Seconds duration, ImpulseProfile profile, Seconds time) {
  Arguments check("impulse_until");
  check.finite("impulse", impulse);
  check.duration("duration", duration);
  const Real s = time.value / duration.value;
  return check.accept(s >= 1 ? impulse : impulse * (s > 0 ? profile_integral(profile, s) : Real(0)));
}

}  // namespace CAROM_TIER

struct ForceAndTorque {
  Force force;    // mean of a step [N]
  Torque torque;  // of it about the centre of mass [N m]
};

// Hands an impulse out over steps of any lengths. What was given is kept as it was rounded, and every step brings the
// sum up to date, so the sum of force * dt is J, and that of torque * dt is r x J, to the last rounding.
class ImpulseSpread {
 public:
  // `contact` is from the centre of mass to the contact point.
  CAROM_HD ImpulseSpread(const Impulse& impulse, const ContactVector& contact, Seconds duration, ImpulseProfile profile)
      : impulse_(impulse), contact_(contact), duration_(duration), profile_(profile) {
    Arguments check("ImpulseSpread");
    check.finite("impulse", impulse);
    check.finite("contact", contact);
    check.duration("duration", duration);
    impulse_ = check.accept(impulse);
  }

  // The mean force of the next step; the step that reaches the end of the contact takes all that is left.
  CAROM_HD ForceAndTorque step(Seconds delta_time) {
    Arguments check("ImpulseSpread.step");
    check.duration("delta_time", delta_time);
    time_.value += delta_time.value;
    // n steps of T/n need not add up to T: what is less than a thousandth of a step belongs to this one.
    if (duration_.value - time_.value < delta_time.value * Real(0.001)) time_ = max(time_.value, duration_.value);
    const Impulse due = finished() ? impulse_ : impulse_until(impulse_, duration_, profile_, time_);
    const Force force = check.accept((due - given_) / delta_time);
    given_ += delta_time * force;
    return {force, cross(contact_, force)};
  }

  CAROM_HD bool finished() const { return time_.value >= duration_.value; }
  CAROM_HD Seconds time() const { return time_; }
  CAROM_HD Impulse given() const { return given_; }

 private:
  Impulse impulse_, given_;
  ContactVector contact_;
  Seconds duration_, time_ = Real(0);
  ImpulseProfile profile_;
};

}  // namespace carom::inline CAROM_PRECISION
