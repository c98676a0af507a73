#include "carom/simulation.h"

#include <algorithm>

#include "backend/send_copy.h"
#include "base/fail.h"
#include "model/copy_state.h"
#include "model/graph_keys.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A graph of a step has some thirty launches, and to record and keep it costs in proportion.
constexpr int kMostInGraph = 64;

// What steps write and read again, of states whose sides are in line.
void copy_moving(const Queue& queue, const State& from, const State& to) {
  send_copy(queue, from.joint_q, to.joint_q);
  send_copy(queue, from.joint_qd, to.joint_qd);
  send_copy(queue, from.joint_qdd, to.joint_qdd);
  send_copy(queue, from.act, to.act);
  send_copy(queue, from.ctrl_history, to.ctrl_history);
  send_copy(queue, from.sensor_memory, to.sensor_memory);
  send_copy(queue, from.joint_spring_shift, to.joint_spring_shift);
  send_copy(queue, from.tendon_spring_shift, to.tendon_spring_shift);
  send_copy(queue, from.body_asleep, to.body_asleep);
  send_copy(queue, from.aligned.asleep_q, to.aligned.asleep_q);
  send_copy(queue, from.body_q, to.body_q);
  send_copy(queue, from.body_qd, to.body_qd);
  send_copy(queue, from.particle_q, to.particle_q);
  send_copy(queue, from.particle_qd, to.particle_qd);
}

const Solver& check_solver(const Model& model, const Solver& solver) {
  check_owner("Simulation", "solver", solver.model().layout, model.layout);
  return solver;
}

Real checked_dt(Real dt) {
  check_dt("Simulation", dt);
  return dt;
}

CollisionConfig pipeline_config(const Model& model, std::optional<Real> dt, ContactRule contacts) {
  const Real step = checked_dt(dt.value_or(model.options.timestep));
  return {.broad_phase_mode = BroadPhaseMode::kAuto,
          .contacts = contacts,
          .speculative_time = model.options.speculative ? step : Real(0)};
}

}  // namespace

Simulation::Simulation(const Model& model, const std::string& solver, std::optional<Real> dt, const Queue* queue,
                       ContactRule contacts)
    : Simulation(model, make_solver(solver, model, {}, queue), dt, contacts) {}

Simulation::Simulation(const Model& model, const Solver& solver, std::optional<Real> dt, ContactRule contacts)
    : solver_(check_solver(model, solver)),
      pipeline_(model, pipeline_config(model, dt, contacts), &solver_.queue()),
      contacts_(pipeline_.collide(model.state())),
      graphs_(std::make_shared<Graphs>()),
      status_(std::max(model.world_count, 1), model.device),
      run_status_(status_.clone()),
      state_(model.state()),
      kept_(pipeline_.keeps_room() ? model.state() : State()),
      control_(model.control()),
      dt_(checked_dt(dt.value_or(model.options.timestep))) {}

const Array<std::int32_t>& Simulation::step(int n) {
  if (n < 1) fail("Simulation: the number of steps must be at least 1, is ", n);
  for (int done = 0; done < n; done += kMostInGraph) {
    run(std::min(n - done, kMostInGraph));
    if (done == 0) send_copy(solver_.queue(), run_status_, status_);
    else send_add_status(solver_.queue(), run_status_, status_);
  }
  solver_.queue().finish();
  steps_ += n;
  return status_;
}

// All that the steps need is sent at once, and looked at once.
void Simulation::run(int steps) {
  contacts_known_ = true;
  if (!solver_.can_send()) return run_one_by_one(steps);
  bool again = false;
  do {
    GraphKey key;
    key.add(std::int64_t{steps});
    key.add(std::int64_t{again});
    pipeline_.prepare(state_, key);
    solver_.prepare(state_, state_, control_, dt_, key);
    graphs_->run(solver_.queue(), key, [&] { send(steps, again); });
    again = true;
  } while (!pipeline_.settle(steps * solver_.stages()));
  contacts_ = pipeline_.contacts();
}

void Simulation::send(int steps, bool again) {
  const Queue& queue = solver_.queue();
  const bool keeps = pipeline_.keeps_room();
  if (again) copy_moving(queue, kept_, state_);
  const int stages = solver_.stages();
  const auto wake = [&] { solver_.send_wake(state_, control_); };
  for (int i = 0; i < steps * stages; ++i) {
    StepOfCall step{i, steps * stages, again};
    step.stage = i % stages;
    step.poses = step.last() || pipeline_.reads_poses();
    step.velocities = pipeline_.reads_velocities();
    const Contacts& contacts = solver_.sleeps() ? pipeline_.send(state_, step, wake) : pipeline_.send(state_, step);
    if (keeps && step.first() && !again) copy_moving(queue, state_, kept_);
    solver_.send(state_, state_, control_, &contacts, dt_, step);
    add_status(step.first());
  }
}

void Simulation::run_one_by_one(int steps) {
  for (int i = 0; i < steps; ++i) {
    contacts_ = pipeline_.collide(state_);
    solver_.step(state_, state_, control_, &contacts_, dt_);
    add_status(i == 0);
  }
}

void Simulation::add_status(bool first) {
  const Queue& queue = solver_.queue();
  if (first) send_copy(queue, solver_.status(), run_status_);
  else send_add_status(queue, solver_.status(), run_status_);
  send_add_status(queue, pipeline_.status(), run_status_);
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
  // By a pipeline of its own: the ages of later contacts do not depend on who looks.
  if (!contacts_known_) contacts_ = CollisionPipeline(model(), pipeline_.config(), &solver_.queue()).collide(state_);
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
