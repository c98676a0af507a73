// The kinds of constraint rows. A kind is one file of this folder, a struct of arrays with one number or vector per
// slot, that gives for a slot its residual (product), cost, force, weight and slope, and for all of them what they add
// to the gradient and to the Hessian. A new kind is a new file and a line in each of the three lists below.
#pragma once

#include "solvers/mujoco/rows/frictionless.kernel.h"
#include "solvers/mujoco/rows/limit.kernel.h"
#include "solvers/mujoco/rows/pyramid.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct RowKinds {
  LimitRows<F> limit;
  PyramidRows<F> pyramid;
  FrictionlessRows<F> frictionless;

  // f(kind) for every kind; sums over kinds are taken in this order.
  template <class Function>
  CAROM_HD void each(Function f) {
    f(limit);
    each_of_contacts(f);
  }
  // For those made from contacts.
  template <class Function>
  CAROM_HD void each_of_contacts(Function f) {
    f(pyramid);
    f(frictionless);
  }
};

}  // namespace carom::inline CAROM_PRECISION
