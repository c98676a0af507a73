// Actuators with a state of their own: how ctrl becomes activation, and what muscles make of it.
//
//   integrator: a' = u,   filter: a' = (u - a) / tau,   muscle: the same with tau that depends on a and on its sign
//
// Muscles: Millard et al. 2013 with the curves of MuJoCo's modelling chapter. With the length L and the rate V in units
// of the length where a muscle is strongest, it pulls with peak (a FL(L) FV(V) + FP(L)).
#pragma once

#include "carom/config.h"
#include "carom/math.h"
#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

// The time that a rate acts for: the step; what a controller leaves behind; the same, and in RK4 that of the first
// stage, with the rate of that one, as MuJoCo has it for bristles.
enum class ActivationSpan : int { kStep, kOwn, kOwnOfFirstStage };
struct ActivationSlot {
  int actuator;
  int act;  // its place in the part's State.act
  ActuatorDynamics dynamics;
  ActivationSpan span;
};
template <class F>
struct ActivationParams {
  F time[3];  // [s]
  F early;    // 1 or 0
  F lower, upper;
};
// As the column actuator_muscle.
template <class F>
struct MuscleParams {
  F range[2], length_range[2], peak, lmin, lmax, vmax, fpmax, fvmax;
};

namespace activation {

inline constexpr Real kLeast = Real(1e-15);  // what is divided by
template <class F>
CAROM_HD F at_least(F x) {
  return max(x, F(kLeast));
}
// a within its bounds. What is not a number stays so, and the world is reported; clamp() would make a bound of it.
template <class F>
CAROM_HD F bounded(F a, F low, F high) {
  return min(high, max(low, a));
}

// 0 below 0, 1 above 1, with two derivatives that vanish at both.
template <class F>
CAROM_HD F smooth_step(F x) {
  x = bounded(x, F(0), F(1));
  return x * x * x * fma(x, fma(x, F(6), F(-15)), F(10));
}

template <class F>
CAROM_HD F rate_of_muscle(const ActivationParams<F>& p, F ctrl, F act) {
  const F slow = fma(bounded(act, F(0), F(1)), F(1.5), F(0.5)), ahead = bounded(ctrl, F(0), F(1)) - act;
  const F rising = p.time[0] * slow, falling = p.time[1] / slow;
  const auto hard = p.time[2] < F(kLeast);
  const F share = select(hard, select(ahead > F(0), F(1), F(0)), smooth_step(ahead / at_least(p.time[2]) + F(0.5)));
  return ahead / at_least(fma(rising - falling, share, falling));
}

template <class F>
CAROM_HD F rate(ActuatorDynamics dynamics, const ActivationParams<F>& p, F ctrl, F act) {
  if (dynamics == ActuatorDynamics::kIntegrator) return ctrl;
  if (dynamics == ActuatorDynamics::kMuscle) return rate_of_muscle(p, ctrl, act);
  return (ctrl - act) / at_least(p.time[0]);
}

// After a time h with this rate.
template <class F>
CAROM_HD F next(ActuatorDynamics dynamics, const ActivationParams<F>& p, F act, F rate, F h) {
  if (dynamics == ActuatorDynamics::kFilterExact) {
    const F time = at_least(p.time[0]);
    h = time * (F(1) - exp(-h / time));
  }
  return bounded(fma(rate, h, act), p.lower, p.upper);
}

// Force per activation and its slope by velocity, and the force without any.
template <class F>
struct MuscleForce {
  F gain, gain_slope, bias;
};

// A bump: 0 outside [lmin, lmax], 1 at 1.
template <class F>
CAROM_HD F strength_at_length(const MuscleParams<F>& p, F L) {
  const F a = F(0.5) * (p.lmin + F(1)), b = F(0.5) * (F(1) + p.lmax);
  const auto below = L <= F(1), outer = (below && L <= a) || (!below && L > b);
  const F inner_width = select(below, F(1) - a, b - F(1)), outer_width = select(below, a - p.lmin, p.lmax - b);
  const F x = select(outer, select(below, L - p.lmin, p.lmax - L) / at_least(outer_width),
                     abs(L - F(1)) / at_least(inner_width));
  const F half = F(0.5) * x * x;
  return select(L >= p.lmin && L <= p.lmax, select(outer, half, F(1) - half), F(0));
}

// FV and its slope.
template <class F>
CAROM_HD F strength_at_speed(const MuscleParams<F>& p, F V, F& slope) {
  const F y = p.fvmax - F(1), rest = (y - V) / at_least(y);
  const auto shortens = V <= F(0), limited = V <= F(-1) || V > y;
  slope = select(limited, F(0), F(2) * select(shortens, V + F(1), rest));
  const F end = select(V <= F(-1), F(0), p.fvmax);
  return select(limited, end, select(shortens, (V + F(1)) * (V + F(1)), p.fvmax - (y - V) * rest));
}

template <class F>
CAROM_HD MuscleForce<F> pull_of_muscle(const MuscleParams<F>& p, F length, F speed) {
  const F unit = (p.length_range[1] - p.length_range[0]) / at_least(p.range[1] - p.range[0]);
  const F L = p.range[0] + (length - p.length_range[0]) / at_least(unit), fastest = at_least(unit * p.vmax);
  F slope;
  const F FL = strength_at_length(p, L), FV = strength_at_speed(p, speed / fastest, slope);
  const F b = F(0.5) * (F(1) + p.lmax), width = at_least(b - F(1)), x = (L - F(1)) / width;
  const F FP = p.fpmax * select(L <= F(1), F(0), select(L <= b, F(0.5) * x * x, F(0.5) + (L - b) / width));
  return {-(p.peak * FL * FV), -(p.peak * FL * slope) / fastest, -(p.peak * FP)};
}

// How the force of one changes with its length.
template <class F>
CAROM_HD F muscle_by_length(const MuscleParams<F>& p, F length, F speed, F act) {
  const F unit = at_least((p.length_range[1] - p.length_range[0]) / at_least(p.range[1] - p.range[0]));
  const F L = p.range[0] + (length - p.length_range[0]) / unit;
  const F a = F(0.5) * (p.lmin + F(1)), b = F(0.5) * (F(1) + p.lmax);
  const auto below = L <= F(1), outer = (below && L <= a) || (!below && L > b);
  const F inner_width = at_least(select(below, F(1) - a, b - F(1)));
  const F width = select(outer, at_least(select(below, a - p.lmin, p.lmax - b)), inner_width);
  const F x = select(outer, select(below, L - p.lmin, p.lmax - L), abs(L - F(1))) / width;
  const F bump = select(L >= p.lmin && L <= p.lmax, select(below, x, -x) / width, F(0));
  F slope;
  const F FV = strength_at_speed(p, speed / at_least(unit * p.vmax), slope);
  const F passive = p.fpmax * select(below, F(0), select(outer, F(1), (L - F(1)) / inner_width) / inner_width);
  return -p.peak * fma(act * bump, FV, passive) / unit;
}

}  // namespace activation

}  // namespace carom::inline CAROM_PRECISION
