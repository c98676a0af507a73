// The step length along a search direction: the zero of the slope of a convex, piecewise quadratic function
//
//   phi(alpha) = 1/2 (a + alpha v - a0)^T M (a + alpha v - a0) + s(x + alpha y)
//
// by Newton's method, whose steps are exact as soon as no row changes state, inside a bracket that shrinks.
#pragma once

#include "solvers/mujoco/cost.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Slope and curvature of s(x + alpha y).
template <class Team, class Problem, class F>
CAROM_HD SlopeT<F> constraint_slope(Team team, const Problem& problem, F alpha) {
  return sum_rows<SlopeT<F>>(team, problem, [&](auto& kind, int s) CAROM_HD_LAMBDA { return kind.slope(s, alpha); });
}

// slope, curvature: of the quadratic part at alpha = 0. Lanes that are done get zero.
template <class Team, class Problem, class F>
CAROM_HD F line_search(Team team, const Problem& problem, SlopeT<F> quadratic, F small_slope, int iterations,
                       MaskOf<F> done) {
  F alpha(1), low(0), high(-1);  // high < 0: no upper end yet
  MaskOf<F> found = done;
  CAROM_ROLL
  for (int i = 0; i < iterations; ++i) {
    SlopeT<F> at = constraint_slope(team, problem, alpha);
    at.slope = at.slope + fma(alpha, quadratic.curvature, quadratic.slope);
    at.curvature = at.curvature + quadratic.curvature;
    found = found || !(abs(at.slope) > small_slope);  // a slope that is not a number ends the search, too
    if (all(found)) break;
    const auto before = at.slope < F(0);
    low = select(found, low, select(before, alpha, low));
    high = select(found, high, select(before, high, alpha));
    F next = alpha - at.slope / at.curvature;
    const auto open = high < F(0);
    const auto inside = next > low && (open || next < high);
    next = select(inside, next, select(open, alpha + alpha, (low + high) * F(0.5)));
    found = found || next == alpha;
    alpha = select(found, alpha, next);
  }
  return select(done, F(0), alpha);
}

}  // namespace carom::inline CAROM_PRECISION
