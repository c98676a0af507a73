// The step length along a search direction: the zero of the slope of a convex, piecewise quadratic function
//
//   phi(alpha) = 1/2 (a + alpha v - a0)^T M (a + alpha v - a0) + s(x + alpha y)
//
// by Newton's method, whose steps are exact as soon as no row changes state, inside a bracket that shrinks.
#pragma once

#include "solvers/mujoco/cost.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SlopeT {
  F slope{}, curvature{};
};
template <class F>
CAROM_HD SlopeT<F> operator+(SlopeT<F> a, SlopeT<F> b) {
  return {a.slope + b.slope, a.curvature + b.curvature};
}

namespace rows {

template <class F>
CAROM_HD SlopeT<F> row_slope(F D, F x, F y, F alpha) {
  const F at = fma(alpha, y, x);
  const F weight = select(at < F(0), D * y, F(0));
  return {weight * at, weight * y};
}
template <class F>
CAROM_HD SlopeT<F> frictional_slope(F D, F mu, Vec3T<F> x, Vec3T<F> y, F alpha) {
  const Edges<F> ex(x, mu), ey(y, mu);
  SlopeT<F> sum;
  for (int i = 0; i < 4; ++i) sum = sum + row_slope(D, ex.e[i], ey.e[i], alpha);
  return sum;
}

}  // namespace rows

// Slope and curvature of s(x + alpha y).
template <class F, class Team>
CAROM_HD_STAGE SlopeT<F> constraint_slope(Team team, const RowView& view, const RowWork<F>& w, F alpha) {
  const SlopeT<F> limits =
      sum_limits(team, view, [&](int s) { return rows::row_slope(w.limit.D[s], w.limit.x[s], w.limit.y[s], alpha); });
  const SlopeT<F> frictional = team.sum(w.frictional.count, [&](int c) {
    return rows::frictional_slope(w.frictional.D[c], w.frictional.mu[c], w.frictional.x[c], w.frictional.y[c], alpha);
  });
  const SlopeT<F> frictionless = team.sum(w.frictionless.count, [&](int c) {
    return rows::row_slope(w.frictionless.D[c], w.frictionless.x[c], w.frictionless.y[c], alpha);
  });
  return limits + frictional + frictionless;
}

// slope, curvature: of the quadratic part at alpha = 0. Lanes that are done get zero.
template <class F, class Team>
CAROM_HD_STAGE F line_search(Team team, const RowView& view, const RowWork<F>& w, SlopeT<F> quadratic, F small_slope,
                             int iterations, MaskOf<F> done) {
  F alpha(1), low(0), high(-1);  // high < 0: no upper end yet
  MaskOf<F> found = done;
  CAROM_ROLL
  for (int i = 0; i < iterations; ++i) {
    SlopeT<F> at = constraint_slope(team, view, w, alpha);
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
