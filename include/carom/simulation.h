// Simulation: a model, a collision pipeline, a solver, a state and a control in one object, stepped by one call.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "carom/collide.h"
#include "carom/sensors.h"
#include "carom/solvers.h"

namespace carom::inline CAROM_PRECISION {

class Simulation {
 public:
  // solver: one of solver_names(), with its default options, or one that was made before: whatever is SolverLike.
  // dt [s]: without it the timestep of the model's options. contacts: how the pipeline makes the points of a pair.
  // sensor_seed: of the noise of sensors.
  explicit Simulation(const Model& model, const std::string& solver = kDefaultSolver, std::optional<Real> dt = {},
                      const Queue* queue = nullptr, ContactRule contacts = ContactRule::kCarom,
                      std::uint64_t sensor_seed = 0);
  Simulation(const Model& model, const Solver& solver, std::optional<Real> dt = {},
             ContactRule contacts = ContactRule::kCarom, std::uint64_t sensor_seed = 0);

  // n steps of dt, which a GPU runs as one graph. Returns the status of every world: bits of StatusBit, of all the
  // steps of this call.
  const Array<std::int32_t>& step(int n = 1);
  // Chosen worlds, or all, back to the initial state. What it costs grows with the worlds that are chosen.
  void reset(std::span<const std::uint8_t> mask = {});
  // Which worlds steps take from now on, one entry a world; empty: all of them, as at the beginning. The others stand
  // still and cost nothing: their state keeps its bits, they have no contacts, their status is 0, and their sensors say
  // what they said. What is done to their state between steps stays. Error where the solver cannot leave out worlds.
  void set_active(std::span<const std::uint8_t> mask);
  // One entry a world.
  const std::vector<std::uint8_t>& active() const { return active_; }

  const Model& model() const { return solver_.model(); }
  const Solver& solver() const { return solver_; }
  // Where joint coordinates were written since the last step or call, the poses of bodies are worked out anew first.
  const State& state() const;
  const Control& control() const { return control_; }
  // That the last step solved, with their forces, at the poses from which it began (of RK4: at those of its last
  // stage); they are written anew by the steps to come. Where there is no such step, at the start and after reset() of
  // all worlds or restore(), they are those of the state, without forces, found when they are asked for. A world that
  // was reset alone shows what it touched in its last step until the next one, since the forces of the others are still
  // wanted.
  const Contacts& contacts() const;
  const CollisionPipeline& pipeline() const { return pipeline_; }
  // As they were at the beginning of the last step, where its forces acted. Worlds that have made no step since they
  // began, or since reset() or restore(), show what they read now. All of it is in one place, which steps write anew.
  const Sensors& sensors() const;
  // As they are now: contacts are looked for, and forces found, as the next step will, with the control as it is; that
  // costs as much as a step, and solver().reports() tell of it. All of it is in another place.
  const Sensors& sensors_now() const;
  const Array<std::int32_t>& status() const { return status_; }
  Real dt() const { return dt_; }
  std::int64_t steps() const { return steps_; }

  // Everything that the next step depends on.
  struct Snapshot {
    State state;
    Control control;
    std::int64_t steps = 0;
    std::shared_ptr<const void> solver_memory = nullptr;   // see SolverThatRemembers
    std::shared_ptr<const void> contact_memory = nullptr;  // see CollisionPipeline::remember()
    std::vector<std::uint8_t> active = {};                 // see set_active()
  };
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  // first, last: of a call of step(), which may be several of these.
  void run(int steps, bool first, bool last);
  void run_one_by_one(int steps, bool first, bool last);
  void send(int steps, bool first, bool last, bool again);
  void add_status(bool first);
  void keep_sensed() const;
  void set_still_aside();
  void put_still_back() const;
  SensedStep sensed_step(const Contacts& contacts) const;

  Solver solver_;
  CollisionPipeline pipeline_;
  mutable Contacts contacts_;
  mutable bool contacts_known_ = true;  // they are those of the last step, or of the state if there was none
  std::shared_ptr<Graphs> graphs_;
  Array<std::int32_t> status_, run_status_;  // of all the steps of the last call; of those that were sent as a whole
  State state_, kept_;                       // kept: from before them, where they may have to be sent again
  Control control_;
  std::uint64_t sensor_seed_;
  Sensors sensors_;
  State sensed_;                              // from before a step, where sensors read it
  Array<SpatialVector> no_jump_;              // zeros
  mutable std::vector<std::uint8_t> unread_;  // worlds whose sensors show an instant before a reset
  std::vector<std::uint8_t> active_;          // of each world
  struct Aside;
  std::shared_ptr<Aside> aside_;  // what sensors of worlds that are left out say; nullptr: all take part
  struct Look;
  mutable std::shared_ptr<Look> look_;  // of sensors_now()
  Real dt_;
  std::int64_t steps_ = 0;
};

}  // namespace carom::inline CAROM_PRECISION
