// Simulation: a model, a solver, a state and a control in one object, stepped by one call.
#pragma once

#include <span>
#include <string>

#include "carom/solver_mujoco.h"

namespace carom::inline CAROM_PRECISION {

class Simulation {
 public:
  // solver: "mujoco".
  explicit Simulation(const Model& model, const std::string& solver = "mujoco", Real dt = Real(1) / 240,
                      const Queue* queue = nullptr);
  Simulation(const Model& model, const SolverMuJoCo& solver, Real dt);

  // n steps of dt. Returns the status of every world: bits of StatusBit, of all the steps of this call.
  const Array<std::int32_t>& step(int n = 1);
  void reset(std::span<const std::uint8_t> mask = {});  // chosen worlds back to the initial state

  const Model& model() const { return solver_.model(); }
  SolverMuJoCo& solver() { return solver_; }
  // Where joint coordinates were written since the last step or call, the poses of bodies are worked out anew first.
  const State& state() const;
  const Control& control() const { return control_; }
  Contacts contacts() const { return solver_.contacts(); }
  const Array<std::int32_t>& status() const { return solver_.status(); }
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
  SolverMuJoCo solver_;
  State state_;
  Control control_;
  Real dt_;
  std::int64_t steps_ = 0;
};

}  // namespace carom::inline CAROM_PRECISION
