#include "carom/simulation.h"

#include <algorithm>

#include "base/fail.h"
#include "model/copy_state.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

const Solver& check_solver(const Model& model, const Solver& solver) {
  check_owner("Simulation", "solver", solver.model().layout, model.layout);
  return solver;
}

Real checked_dt(Real dt) {
  check_dt("Simulation", dt);
  return dt;
}

}  // namespace

Simulation::Simulation(const Model& model, const std::string& solver, Real dt, const Queue* queue)
    : Simulation(model, make_solver(solver, model, {}, queue), dt) {}

Simulation::Simulation(const Model& model, const Solver& solver, Real dt)
    : solver_(check_solver(model, solver)),
      pipeline_(model, {}, &solver_.queue()),
      status_(std::max(model.world_count, 1), model.device),
      state_(model.state()),
      control_(model.control()),
      dt_(checked_dt(dt)) {}

const Array<std::int32_t>& Simulation::step(int n) {
  if (n < 1) fail("Simulation: the number of steps must be at least 1, is ", n);
  for (int i = 0; i < n; ++i) {
    contacts_ = pipeline_.collide(state_, kNotSet, {.first = i == 0});
    contacts_known_ = true;
    solver_.step(state_, state_, control_, &contacts_, dt_, {.first = false, .last = i + 1 == n});
    if (i == 0) status_.assign(solver_.status());
    else send_add_status(solver_.queue(), solver_.status(), status_);
    send_add_status(solver_.queue(), pipeline_.status(), status_);
  }
  solver_.queue().finish();
  steps_ += n;
  return status_;
}

void Simulation::reset(std::span<const std::uint8_t> mask) {
  const Queue& queue = solver_.queue();
  const Array<int> worlds = mask.empty() ? Array<int>() : chosen_worlds("reset", model().layout, mask);
  if (mask.empty()) send_reset(queue, model(), state_);
  else send_reset(queue, model(), state_, worlds);
  queue.finish();
  const bool all = std::find(mask.begin(), mask.end(), 0) == mask.end();
  if (all) contacts_known_ = false;
}

const Contacts& Simulation::contacts() const {
  if (!contacts_known_) contacts_ = pipeline_.collide(state_);
  contacts_known_ = true;
  return contacts_;
}

const State& Simulation::state() const {
  send_poses_of_joints(solver_.queue(), model(), state_);
  solver_.queue().finish();
  return state_;
}

Simulation::Snapshot Simulation::snapshot() const {
  const Queue& queue = solver_.queue();
  Snapshot snapshot{send_clone(queue, state_), send_clone(queue, control_), steps_};
  queue.finish();
  return snapshot;
}

void Simulation::restore(const Snapshot& snapshot) {
  check_state("restore", "snapshot.state", snapshot.state, model());
  check_control("restore", "snapshot.control", snapshot.control, model());
  const Queue& queue = solver_.queue();
  send_assign(queue, state_, snapshot.state);
  send_assign(queue, control_, snapshot.control);
  queue.finish();
  steps_ = snapshot.steps;
  contacts_known_ = false;
}

}  // namespace carom::inline CAROM_PRECISION
