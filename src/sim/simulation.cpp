#include "carom/simulation.h"

#include <algorithm>

#include "base/fail.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

SolverMuJoCo make_solver(const Model& model, const std::string& name, const Queue* queue) {
  if (name != "mujoco") fail("Simulation: solver '", name, "' is unknown; there is \"mujoco\"");
  return SolverMuJoCo(model, {}, queue);
}

Real check_dt(Real dt) {
  if (!(dt > 0) || !is_finite(dt)) fail("Simulation: dt must be positive and finite, is ", dt);
  return dt;
}

const SolverMuJoCo& check_solver(const Model& model, const SolverMuJoCo& solver) {
  check_owner("Simulation", "solver", solver.model().layout, model.layout);
  return solver;
}

}  // namespace

Simulation::Simulation(const Model& model, const std::string& solver, Real dt, const Queue* queue)
    : Simulation(model, make_solver(model, solver, queue), dt) {}

Simulation::Simulation(const Model& model, const SolverMuJoCo& solver, Real dt)
    : solver_(check_solver(model, solver)),
      pipeline_(model, {}, &solver_.queue()),
      contacts_(pipeline_.collide(model.state())),
      status_(std::max(model.world_count, 1), model.device),
      state_(model.state()),
      control_(model.control()),
      dt_(check_dt(dt)) {}

const Array<std::int32_t>& Simulation::step(int n) {
  if (n < 1) fail("Simulation: the number of steps must be at least 1, is ", n);
  for (int i = 0; i < n; ++i) {
    contacts_ = pipeline_.collide(state_, kNotSet, {.first = i == 0});
    solver_.step(state_, state_, control_, &contacts_, dt_, {.first = false, .last = i + 1 == n});
    if (i == 0) status_.assign(solver_.status());
    else send_add_status(solver_.queue(), solver_.status(), status_);
    send_add_status(solver_.queue(), pipeline_.status(), status_);
  }
  solver_.queue().finish();
  steps_ += n;
  return status_;
}

void Simulation::reset(std::span<const std::uint8_t> mask) { model().reset(state_, mask); }

const State& Simulation::state() const {
  send_poses_of_joints(solver_.queue(), model(), state_);
  solver_.queue().finish();
  return state_;
}

Simulation::Snapshot Simulation::snapshot() const { return {state_.clone(), control_.clone(), steps_}; }

void Simulation::restore(const Snapshot& snapshot) {
  check_state("restore", "snapshot.state", snapshot.state, model());
  check_control("restore", "snapshot.control", snapshot.control, model());
  state_.assign(snapshot.state);
  visit_control([&](const char*, Entity, auto get) { get(control_).assign(get(snapshot.control)); });
  steps_ = snapshot.steps;
}

}  // namespace carom::inline CAROM_PRECISION
