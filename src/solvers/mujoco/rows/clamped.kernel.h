// A row whose force follows its law within bounds: with p = x held between low and high,
//
//   s(x) = D p (x - p / 2),   force -s'(x) = -D p,   weight s''(x) = D between the bounds
//
// A limit pushes and never pulls (-inf, 0), an equality does both (-inf, inf), dry friction does both up to a force f,
// (-f / D, f / D), and keeps to it beyond.
#pragma once

#include <limits>

#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr Real kNoBound = std::numeric_limits<Real>::infinity();

template <class F>
struct Clamped {
  F D, low, high;

  CAROM_HD F held(F x) const { return min(high, max(low, x)); }
  CAROM_HD MaskOf<F> within(F x) const { return x > low && x < high; }
  CAROM_HD F cost(F x) const {
    const F p = held(x);
    return p * (x + x - p) * D * F(0.5);
  }
  CAROM_HD F force(F x) const { return -(D * held(x)); }
  CAROM_HD F weight(F x) const { return select(within(x), D, F(0)); }
  // Of s(x + alpha y).
  CAROM_HD SlopeT<F> slope(F x, F y, F alpha) const {
    const F at = fma(alpha, y, x), weighted = D * y;
    return {weighted * held(at), select(within(at), weighted * y, F(0))};
  }
  // The force where it no longer follows x.
  CAROM_HD F offset(F x) const { return select(within(x), F(0), force(x)); }
  // A force that rounding moved out of its bounds, back within them.
  CAROM_HD F inside(F f) const { return select(D > F(0), min(-(D * low), max(-(D * high), f)), F(0)); }
};

}  // namespace carom::inline CAROM_PRECISION
