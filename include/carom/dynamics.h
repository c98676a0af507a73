// The equations of motion of all worlds of a model at once:
//
//   H(q) qdd + c(q, qd) = joint_f + J^T body_f
//
// with the armature of joints in H, and gravity, centrifugal and Coriolis forces in c. qdd is the derivative of
// joint_qd, and joint_f what Control::joint_f is: of free joints the acceleration of, and the force at, the child's
// centre of mass. The state says q, qd and body_f.
//
// joint_f stands for all that acts on joints beside it, and nothing else is counted: no springs, dampers, drives, dry
// friction, limits, actuators, tendons, fluid or carried weight, no contacts, equality constraints, distances that
// joints hold, or particles. Bodies whose motion is given (kinematic ones) have an inertia that nothing moves.
//
// Throws Error, which names what is wrong, where bodies are no trees of joints, or tendons have an armature.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "carom/model.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

// What the functions below work a model by: its trees, as links and degrees of freedom. They make one where none is
// given; who calls them often keeps one. It follows edits of its model; threads that share it take their turns.
struct Dynamics {
  struct Data;
  std::shared_ptr<Data> data;
};
Dynamics make_dynamics(const Model& model);

// joint_f [N], [N m] for the accelerations joint_qdd [m/s^2], [rad/s^2]; with zeros it is c - J^T body_f.
// Recursive Newton-Euler. Both arrays may be one.
void eval_inverse_dynamics(const Model& model, const State& state, const Array<Real>& joint_qdd,
                           const Array<Real>& joint_f, const Dynamics* dynamics = nullptr,
                           const Queue* queue = nullptr);

// The inverse, by articulated bodies: time grows with the number of links. What closes loops would be left out, so an
// enabled equality constraint is an Error here. Both arrays may be one.
void eval_forward_dynamics(const Model& model, const State& state, const Array<Real>& joint_f,
                           const Array<Real>& joint_qdd, const Dynamics* dynamics = nullptr,
                           const Queue* queue = nullptr);

// H of every world: symmetric, its degrees of freedom in the order of joint_qd, row by row. An articulation has the
// rows and columns of its joints.
struct MassMatrix {
  std::shared_ptr<const WorldLayout> layout;  // of the model that it is made for
  Array<Real> values;
  std::vector<std::int64_t> start;  // first value of each world, then of the globals, then the total
  std::vector<int> rows;            // per world, then of the globals; as many columns

  // One world's matrix; -1 = that of a model without worlds.
  Array<Real> world(int world) const;

  Array<std::int64_t> device_start;  // on the device, for the kernel
};
MassMatrix make_mass_matrix(const Model& model);
void eval_mass_matrix(const Model& model, const State& state, const MassMatrix& mass_matrix,
                      const Dynamics* dynamics = nullptr, const Queue* queue = nullptr);

}  // namespace carom::inline CAROM_PRECISION
