// Simulation: a model, a collision pipeline, a solver, a state and a control in one object, stepped by one call.
#pragma once

#include <span>
#include <string>

#include "carom/collide.h"
#include "carom/solver_mujoco.h"

namespace carom::inline CAROM_PRECISION {

class Simulation {
 public:
  // solver: "mujoco".
  explicit Simulation(const Model& model, const std::string& solver = "mujoco", Real dt = Real(1) / 240,
                      const Queue* queue = nullptr);
  Simulation(const Model& model, const SolverMuJoCo& solver, Real dt);

  // n steps of dt, which a GPU runs as one graph. Returns the status of every world: bits of StatusBit, of all the
  // steps of this call.
  const Array<std::int32_t>& step(int n = 1);
  void reset(std::span<const std::uint8_t> mask = {});  // chosen worlds back to the initial state

  const Model& model() const { return solver_.model(); }
  SolverMuJoCo& solver() { return solver_; }
  // Where joint coordinates were written since the last step or call, the poses of bodies are worked out anew first.
  const State& state() const;
  const Control& control() const { return control_; }
  // That the last step solved, with their forces, at the poses from which it began; before the first step those of the
  // initial state. They are written anew by the steps to come.
  const Contacts& contacts() const { return contacts_; }
  const CollisionPipeline& pipeline() const { return pipeline_; }
  const Array<std::int32_t>& status() const { return status_; }
  Real dt() const { return dt_; }
  std::int64_t steps() const { return steps_; }

  // Everything that the next step depends on.
  struct Snapshot {
    State state;
    Control control;
    std::int64_t steps = 0;
  };
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  void run(int steps);
  void send(int steps, bool again);

  SolverMuJoCo solver_;
  CollisionPipeline pipeline_;
  Contacts contacts_;
  std::shared_ptr<Graphs> graphs_;
  Array<std::int32_t> status_, run_status_;  // of all the steps of the last call; of those that were sent as a whole
  State state_, kept_;                       // kept: from before them, where they may have to be sent again
  Control control_;
  Real dt_;
  std::int64_t steps_ = 0;
};

}  // namespace carom::inline CAROM_PRECISION
