// The kinds of constraint rows. A kind is one file of this folder, a struct of arrays with one number or vector per
// slot, that gives for a slot its residual (product), cost, force, weight and slope, and for all of them what they add
// to the gradient and to the Hessian. A new kind is a new file, a member here and its place in the order of the list.
// Those made from contacts say how many blocks of three rows a slot is in row space, whose kinds
// row_space_problem.kernel.h names; worlds with a slot that is not there are solved in degrees of freedom.
#pragma once

#include "solvers/mujoco/rows/frictional.kernel.h"
#include "solvers/mujoco/rows/frictionless.kernel.h"
#include "solvers/mujoco/rows/joint.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Those made from contacts; Jacobian<n>: of n directions. Sums over kinds are taken in this order.
template <class F, template <int> class Jacobian>
struct ContactKinds {
  FrictionalRows<F, false, Jacobian<3>> sliding;
  FrictionlessRows<F, Jacobian<1>> frictionless;
  FrictionalRows<F, true, Jacobian<6>> turning;

  // f(kind, the same kind of other), for every kind.
  template <class Other, class Function>
  CAROM_HD void each_with(Other& other, Function f) {
    f(sliding, other.sliding);
    f(frictionless, other.frictionless);
    f(turning, other.turning);
  }
  template <class Function>
  CAROM_HD void each(Function f) {
    each_with(*this, [&](auto& kind, auto&) CAROM_HD_LAMBDA { f(kind); });
  }
};

template <class F>
struct PartJacobians {
  template <int kDirections>
  using Of = ContactJacobian<F, kDirections>;
};

// All kinds of a part.
template <class F>
struct RowKinds {
  JointRows<F> joint;
  ContactKinds<F, PartJacobians<F>::template Of> contacts;

  template <class Function>
  CAROM_HD void each(Function f) {
    f(joint);
    contacts.each(f);
  }
};

}  // namespace carom::inline CAROM_PRECISION
