// SmoothMotion: derivatives of the states of chosen worlds, for integrators with a step of their own in every world; on
// the CPU. Worlds of one structure are evaluated side by side, in lanes.
#pragma once

#include <vector>

#include "carom/queue.h"
#include "carom/state.h"
#include "dynamics/motors.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

class SmoothMotion {
 public:
  // The queue must outlive it. Bodies that no joint moves, and particles, stand still.
  SmoothMotion(const Model& model, const Queue& queue);

  // Which worlds take part from here on, one entry a world; a model without worlds has one.
  void choose(const std::vector<std::uint8_t>& worlds);

  // Poses and velocities of the bodies of the chosen worlds, of joint_q and joint_qd, into the bodies of `state`.
  void place(const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state) const;

  // The derivatives of joint_q and joint_qd; the state says these and what pushes bodies, body_f.
  void eval(const State& state, const Control& control, const Array<Real>& joint_q_rate, const Array<Real>& joint_qdd);
  // Accelerations from rest that forces on bodies bring about beside gravity, nothing else: with gravity's own taken
  // off, what impulses do to velocities.
  void eval_push(const State& state, const Array<Real>& joint_qdd);

 private:
  void keep_up();

  Model model_;
  const Queue& queue_;
  WorldPlans worlds_;
  std::vector<Motors> motors_;
  std::vector<std::uint8_t> chosen_;
  std::vector<std::vector<int>> ids_;  // of each plan: chosen parts
  std::vector<Array<int>> of_archetypes_;
  Array<Real> no_dofs_;  // zeros
};

}  // namespace carom::inline CAROM_PRECISION
