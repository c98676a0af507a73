// SmoothMotion: derivatives of the states of chosen worlds, for integrators with a step of their own in every world; on
// the CPU. Worlds of one structure are evaluated side by side, in lanes.
#pragma once

#include <span>
#include <vector>

#include "carom/queue.h"
#include "carom/state.h"
#include "dynamics/motors.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

class SmoothMotion {
 public:
  // Worlds that are evaluated together.
  struct Choice {
    // Which of them each plan and each archetype has, of the model as it was then.
    std::vector<std::vector<int>> parts;
    std::vector<Array<int>> of_archetypes;
    std::int64_t generation = -1;
  };

  // The queue must outlive it. Bodies that no joint moves, and particles, stand still.
  SmoothMotion(const Model& model, const Queue& queue);

  // A model without worlds has the world 0.
  Choice choose(std::span<const int> worlds);
  Choice all();
  bool is_up_to_date(const Choice& choice) const { return choice.generation == model_.generation(); }

  // Takes the numbers of the model as they are now: after an edit, and before several threads go on.
  void keep_up();

  // Poses and velocities of the bodies of these worlds, of joint_q and joint_qd, into the bodies of `state`.
  void place(const Choice& choice, const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state) const;

  // The derivatives of joint_q and joint_qd; the state says these and what pushes bodies, body_f. Several threads may
  // call it for different worlds.
  void eval(const Choice& choice, const State& state, const Control& control, const Array<Real>& joint_q_rate,
            const Array<Real>& joint_qdd);
  // Accelerations from rest that forces on bodies bring about beside gravity, nothing else: with gravity's own taken
  // off, what impulses do to velocities.
  void eval_push(const Choice& choice, const State& state, const Array<Real>& joint_qdd);

 private:
  Model model_;
  const Queue& queue_;
  WorldPlans worlds_;
  std::vector<Motors> motors_;
  Array<Real> no_dofs_;  // zeros
  // Of each world; -1: nothing moves there.
  struct Home {
    int plan = -1, part = -1, archetype = -1;
  };
  std::vector<Home> home_;
};

}  // namespace carom::inline CAROM_PRECISION
