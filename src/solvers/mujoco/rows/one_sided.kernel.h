// A row that pushes and never pulls:
//
//   s(x) = 1/2 D min(x, 0)^2,   force -s'(x) = -D min(x, 0),   weight s''(x) = D where it pushes
#pragma once

#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION::one_sided {

template <class F>
CAROM_HD F pushed(F x) {
  return min(x, F(0));
}
template <class F>
CAROM_HD F cost(F D, F x) {
  return pushed(x) * pushed(x) * D * F(0.5);
}
template <class F>
CAROM_HD F force(F D, F x) {
  return -(D * pushed(x));
}
template <class F>
CAROM_HD F weight(F D, F x) {
  return select(x < F(0), D, F(0));
}
// Of s(x + alpha y).
template <class F>
CAROM_HD SlopeT<F> slope(F D, F x, F y, F alpha) {
  const F at = fma(alpha, y, x);
  const F weighted = select(at < F(0), D * y, F(0));
  return {weighted * at, weighted * y};
}

}  // namespace carom::inline CAROM_PRECISION::one_sided
