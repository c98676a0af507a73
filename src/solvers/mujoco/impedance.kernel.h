// MuJoCo's soft constraints: how a residual becomes impedance, regularisation and reference acceleration.
//
//   d = d0 + y(|r| / width) (dwidth - d0)       y: a sigmoid through (midpoint, midpoint) with an exponent
//   R = (1 - d) / d * A                         A: diagonal of J M^-1 J^T at the initial pose
//   a_ref = -B (J v) - K d r
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// Smallest regularisation: the inverse of D = 1 / R stays finite.
inline constexpr Real kMinRegularisation = Real(1e-15);

// K and B of the reference acceleration.
template <class F>
struct ReferenceNumbers {
  F stiffness, damping;  // [1/s^2], [1/s]
};

// Shortest time constant of solref that is stable for a timestep [s]. Discrete has another rule (ImplicitLaw).
CAROM_HD Real least_time(const ModelOptions& options, Real timestep) {
  return options.refsafe && options.integrator != Integrator::kDiscrete ? 2 * timestep : Real(0);
}

// From MuJoCo's solref (time constant, damping ratio; or both negative: stiffness, damping); least: the time constant
// is as long as this; dmax: impedance at full depth. One number of either form, a zero among them, means nothing: the
// default is taken.
template <class F>
CAROM_HD ReferenceNumbers<F> reference_numbers(F first, F second, F dmax, F least) {
  const auto mixed = (first > F(0) && !(second > F(0))) || (!(first > F(0)) && second > F(0));
  first = select(mixed, F(kDefaultSolref[0]), first);
  second = select(mixed, F(kDefaultSolref[1]), second);
  const auto direct = !(first > F(0));
  const F time = max(select(direct, F(1), first), least);
  const F ratio = select(direct, F(1), second);
  return {select(direct, -first / (dmax * dmax), F(1) / (dmax * dmax * time * time * ratio * ratio)),
          select(direct, -second / dmax, F(2) / (dmax * time))};
}

// Whether solref is a stiffness and a damping.
template <class F>
CAROM_HD MaskOf<F> is_direct(const F (&solref)[2]) {
  return !(solref[0] > F(0)) && !(solref[1] > F(0));
}

// Brings solimp within the bounds that MuJoCo keeps.
template <class F>
CAROM_HD void bound_impedance(F (&p)[5]) {
  for (const int share : {0, 1, 3}) p[share] = clamp(p[share], F(1e-4), F(0.9999));
  p[2] = max(p[2], F(0));
  p[4] = max(p[4], F(1));
}

// p: d0, dwidth, width, midpoint, power; within their bounds.
template <class F>
CAROM_HD F impedance(const F (&p)[5], F r) {
  const auto flat = p[2] <= F(1e-15) || p[0] == p[1];
  const F x = min(abs(r) / select(flat, F(1), p[2]), F(1));
  const auto lower = x <= p[3];
  const F base = select(lower, x, F(1) - x);
  const F edge = select(lower, p[3], F(1) - p[3]);
  const auto square = p[4] == F(2);
  F y = base * base / edge;
  if (!all(square)) y = select(square, y, base * pow(base / edge, p[4] - F(1)));
  y = select(lower, y, F(1) - y);
  return select(flat, (p[0] + p[1]) * F(0.5), fma(y, p[1] - p[0], p[0]));
}

// D = 1 / R
template <class F>
CAROM_HD F stiffness_of_row(F impedance, F diagonal) {
  return F(1) / max((F(1) - impedance) / impedance * diagonal, F(kMinRegularisation));
}

// What D of a row is multiplied by when its diagonal is known better than it was assumed to be; D stays within its
// bound, and a row that nothing moves keeps it.
template <class F>
CAROM_HD F stiffening(F D, F assumed, F diagonal) {
  const auto moves = diagonal > F(0) && assumed > F(0) && D > F(0);
  const F most = F(1) / (select(moves, D, F(1)) * F(kMinRegularisation));
  return select(moves, min(assumed / select(moves, diagonal, F(1)), most), F(1));
}

}  // namespace carom::inline CAROM_PRECISION
