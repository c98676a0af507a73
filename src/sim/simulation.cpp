#include "carom/simulation.h"

#include <algorithm>

#include "backend/send_copy.h"
#include "base/fail.h"
#include "model/active_worlds.h"
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
  send_moved(queue, from, to);
  send_copy(queue, from.sensor_memory, to.sensor_memory);
  send_copy(queue, from.body_jump, to.body_jump);
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
          .speculative_time = model.options.speculative ? step : Real(0),
          .keep_distance = model.options.contact_keep_distance};
}

}  // namespace

Simulation::Simulation(const Model& model, const std::string& solver, std::optional<Real> dt, const Queue* queue,
                       ContactRule contacts, std::uint64_t sensor_seed)
    : Simulation(model, make_solver(solver, model, {}, queue), dt, contacts, sensor_seed) {}

Simulation::Simulation(const Model& model, const Solver& solver, std::optional<Real> dt, ContactRule contacts,
                       std::uint64_t sensor_seed)
    : solver_(check_solver(model, solver)),
      pipeline_(model, pipeline_config(model, dt, contacts), &solver_.queue()),
      contacts_(pipeline_.collide(model.state())),
      graphs_(std::make_shared<Graphs>()),
      status_(std::max(model.world_count, 1), model.device),
      run_status_(status_.clone()),
      state_(model.state()),
      kept_(pipeline_.keeps_room() ? model.state() : State()),
      control_(model.control()),
      sensor_seed_(sensor_seed),
      sensors_(model, &solver_.queue(), sensor_seed),
      sensed_(model.sensor_count > 0 ? model.state() : State()),
      no_jump_(state_.body_jump.clone()),
      unread_(std::max(model.world_count, 1), 1),
      active_(model.world_count, 1),
      dt_(checked_dt(dt.value_or(model.options.timestep))) {
  sensed_.sensor_memory = state_.sensor_memory;
  sensed_.body_f = state_.body_f;
  pipeline_.forget();  // steps begin as after a reset
}

const Array<std::int32_t>& Simulation::step(int n) {
  if (n < 1) fail("Simulation: the number of steps must be at least 1, is ", n);
  if (aside_) set_still_aside();
  for (int done = 0; done < n; done += kMostInGraph) {
    run(std::min(n - done, kMostInGraph), done == 0, n - done <= kMostInGraph);
    if (done == 0) send_copy(solver_.queue(), run_status_, status_);
    else send_add_status(solver_.queue(), run_status_, status_);
  }
  solver_.queue().finish();
  if (aside_) put_still_back();
  steps_ += n;
  return status_;
}

// All that the steps need is sent at once, and looked at once.
void Simulation::run(int steps, bool first, bool last) {
  contacts_known_ = true;
  for (std::size_t w = 0; w < unread_.size(); ++w)
    if (!aside_ || active_[w]) unread_[w] = 0;
  sensors_.prepare();
  if (!solver_.can_send()) return run_one_by_one(steps, first, last);
  bool again = false;
  do {
    GraphKey key;
    key.add(std::int64_t{steps});
    key.add(std::int64_t{again});
    key.add(sensors_.version());
    key.add(std::int64_t{first});
    key.add(std::int64_t{last});
    pipeline_.prepare(state_, key);
    solver_.prepare(state_, state_, control_, dt_, key);
    graphs_->run(solver_.queue(), key, [&] { send(steps, first, last, again); });
    again = true;
  } while (!pipeline_.settle(steps * solver_.stages()));
  contacts_ = pipeline_.contacts();
}

void Simulation::send(int steps, bool first, bool last, bool again) {
  const Queue& queue = solver_.queue();
  const bool keeps = pipeline_.keeps_room();
  if (again) copy_moving(queue, kept_, state_);
  const int stages = solver_.stages();
  const auto wake = [&] { solver_.send_wake(state_, control_); };
  for (int i = 0; i < steps * stages; ++i) {
    StepOfCall step{i, steps * stages, again};
    step.stage = i % stages;
    step.poses = step.last() || pipeline_.reads_poses() || sensors_.reads_bodies();
    step.velocities = pipeline_.reads_velocities() || sensors_.reads_bodies();
    const Contacts& contacts = solver_.sleeps() ? pipeline_.send(state_, step, wake) : pipeline_.send(state_, step);
    if (keeps && step.first() && !again) copy_moving(queue, state_, kept_);
    if (step.stage == 0) keep_sensed();
    solver_.send(state_, state_, control_, &contacts, dt_, step);
    if (step.stage == 0) sensors_.send(sensed_step(contacts), first && step.first(), last && i + stages == step.count);
    add_status(step.first());
  }
}

void Simulation::run_one_by_one(int steps, bool first, bool last) {
  for (int i = 0; i < steps; ++i) {
    contacts_ = pipeline_.collide(state_);
    keep_sensed();
    solver_.step(state_, state_, control_, &contacts_, dt_);
    sensors_.send(sensed_step(contacts_), first && i == 0, last && i + 1 == steps);
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
  pipeline_.forget(mask);
  const bool all = std::find(mask.begin(), mask.end(), 0) == mask.end();
  if (all) contacts_known_ = false;
  for (std::size_t w = 0; w < unread_.size(); ++w) unread_[w] |= mask.empty() || mask[w] ? 1 : 0;
}

const Contacts& Simulation::contacts() const {
  // By a pipeline of its own: later contacts do not depend on who looks.
  if (!contacts_known_) {
    CollisionPipeline pipeline(model(), pipeline_.config(), &solver_.queue());
    pipeline.set_active(active_);
    pipeline.recall(pipeline_.remember());
    contacts_ = pipeline.collide(state_);
  }
  contacts_known_ = true;
  return contacts_;
}

const State& Simulation::state() const {
  send_poses_of_joints(solver_.queue(), model(), state_);
  solver_.queue().finish();
  return state_;
}

// -- Worlds that are left out

// What sensors say of them, and remember.
struct Simulation::Aside {
  Sensors sensors;
  State state;  // of sensor_memory alone
  std::vector<std::uint8_t> left_out;
  Array<int> worlds;

  Aside(const Simulation& sim)
      : sensors(sim.model(), &sim.solver_.queue(), sim.sensor_seed_), state(sim.model().state()) {}
};

void Simulation::set_active(std::span<const std::uint8_t> mask) {
  const ActiveWorlds active("set_active", model().layout, mask);
  if (active.all()) mask = {};
  solver_.set_active(mask);
  pipeline_.set_active(mask);
  for (std::size_t w = 0; w < active_.size(); ++w) active_[w] = active.has(static_cast<int>(w));
  if (active.all()) {
    aside_ = nullptr;
    return;
  }
  sensors();  // what they say now is what they go on saying
  if (!aside_) aside_ = std::make_shared<Aside>(*this);
  aside_->left_out = active_;
  for (std::uint8_t& world : aside_->left_out) world = !world;
  aside_->worlds = chosen_worlds("set_active", model().layout, aside_->left_out);
}

void Simulation::set_still_aside() {
  if (model().sensor_count == 0) return;
  aside_->sensors.copy_worlds(sensors_, aside_->left_out);
  send_copy(solver_.queue(), state_.sensor_memory, aside_->state.sensor_memory);
}

void Simulation::put_still_back() const {
  if (model().sensor_count == 0) return;
  sensors_.copy_worlds(aside_->sensors, aside_->left_out);
  send_sensor_memory(solver_.queue(), aside_->state, state_, aside_->worlds);
  solver_.queue().finish();
}

// -- Sensors

// What a step changes and sensors read; of a solver that works in place nothing else would be left of it.
void Simulation::keep_sensed() const {
  if (model().sensor_count == 0) return;
  const Queue& queue = solver_.queue();
  send_copy(queue, state_.body_asleep, sensed_.body_asleep);
  if (!sensors_.reads_bodies()) return;
  send_copy(queue, state_.joint_q, sensed_.joint_q);
  send_copy(queue, state_.joint_qd, sensed_.joint_qd);
  send_copy(queue, state_.body_q, sensed_.body_q);
  send_copy(queue, state_.body_qd, sensed_.body_qd);
  send_copy(queue, state_.body_jump, sensed_.body_jump);
  send_copy(queue, no_jump_, state_.body_jump);
  send_copy(queue, state_.joint_spring_shift, sensed_.joint_spring_shift);
  send_copy(queue, state_.tendon_spring_shift, sensed_.tendon_spring_shift);
}

SensedStep Simulation::sensed_step(const Contacts& contacts) const {
  return {sensed_, state_.joint_qdd, contacts, control_, solver_.forces(), dt_, state_.body_asleep};
}

// A step that nobody takes.
struct Simulation::Look {
  CollisionPipeline pipeline;
  Sensors sensors;
  State now, next;  // `now` shares what it can with the state of the simulation

  Look(const Simulation& sim)
      : pipeline(sim.model(), sim.pipeline_.config(), &sim.solver_.queue()),
        sensors(sim.model(), &sim.solver_.queue(), sim.sensor_seed_),
        now(sim.state_),
        next(sim.model().state()) {
    now.sensor_memory = sim.state_.sensor_memory.clone();
    now.body_asleep = sim.state_.body_asleep.clone();
  }

  // As the next step will: what sleeps has none, but what was written to wakes.
  const Contacts& find_contacts(const Solver& solver, const Control& control, Real dt) {
    if (!solver.sleeps()) return pipeline.collide(now);
    StepOfCall step;
    do {
      GraphKey key;
      pipeline.prepare(now, key);
      solver.prepare(now, next, control, dt, key);
      pipeline.send(now, step, [&] { solver.send_wake(now, control); });
      step.again = true;
    } while (!pipeline.settle());
    return pipeline.contacts();
  }
};

const Sensors& Simulation::sensors_now() const {
  if (!look_) look_ = std::make_shared<Look>(*this);
  const Queue& queue = solver_.queue();
  Look& look = *look_;
  if (model().sensor_count == 0) return look.sensors;
  send_copy(queue, state_.sensor_memory, look.now.sensor_memory);
  send_copy(queue, state_.body_asleep, look.now.body_asleep);
  if (aside_) solver_.set_active({});
  if (pipeline_.config().keep_distance > 0) look.pipeline.recall(pipeline_.remember());  // no sensor reads ages
  const Contacts contacts = look.find_contacts(solver_, control_, dt_);
  const std::shared_ptr<const void> memory = solver_.remember();
  if (solver_.can_send()) {
    GraphKey key;
    solver_.prepare(look.now, look.next, control_, dt_, key);
    solver_.send(look.now, look.next, control_, &contacts, dt_, {.count = solver_.stages(), .poses = false});
  } else {
    solver_.step(look.now, look.next, control_, &contacts, dt_);
  }
  look.sensors.prepare();
  look.sensors.send({look.now, look.next.joint_qdd, contacts, control_, solver_.forces(), 0,  // no time passes
                     look.next.body_asleep});
  queue.finish();
  if (aside_) solver_.set_active(active_);
  solver_.recall(memory);
  return look.sensors;
}

const Sensors& Simulation::sensors() const {
  if (model().sensor_count == 0 || std::find(unread_.begin(), unread_.end(), 1) == unread_.end()) return sensors_;
  sensors_.copy_worlds(sensors_now(), unread_);
  std::fill(unread_.begin(), unread_.end(), 0);
  return sensors_;
}

Simulation::Snapshot Simulation::snapshot() const {
  const Queue& queue = solver_.queue();
  Snapshot snapshot{send_clone(queue, state_), send_clone(queue, control_), steps_,
                    solver_.remember(),        pipeline_.remember(),        active_};
  queue.finish();
  return snapshot;
}

void Simulation::restore(const Snapshot& snapshot) {
  check_state("restore", "snapshot.state", snapshot.state, model());
  check_control("restore", "snapshot.control", snapshot.control, model());
  if (snapshot.contact_memory) pipeline_.check_memory(snapshot.contact_memory);
  solver_.recall(snapshot.solver_memory);  // the last that may refuse the snapshot, of which then nothing is taken
  const Queue& queue = solver_.queue();
  send_assign(queue, state_, snapshot.state);
  send_assign(queue, control_, snapshot.control);
  queue.finish();
  set_active(snapshot.active);
  if (snapshot.contact_memory) pipeline_.recall(snapshot.contact_memory);
  else pipeline_.forget();
  steps_ = snapshot.steps;
  contacts_known_ = false;
  std::fill(unread_.begin(), unread_.end(), 1);
}

}  // namespace carom::inline CAROM_PRECISION
