// The worlds of an EventStepper: how they are made, begin, run all together, and what is known of one now.
#include <algorithm>

#include "base/fail.h"
#include "events/stepping.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr int kTogether = 8;  // worlds in a group: as many as the widest lanes, whose numbers stay in a cache

const EventStepperConfig& checked(const EventStepperConfig& c) {
  const auto positive = [](const char* name, Real value) {
    if (!(value > 0)) fail(kStepper, ": ", name, " must be positive, is ", value);
  };
  if (!(c.tolerance >= Real(1e-13) && c.tolerance <= Real(0.1)))
    fail(kStepper, ": tolerance must be between 1e-13 and 0.1, is ", c.tolerance);
  positive("max_step", c.max_step);
  positive("slide_speed", c.slide_speed);
  positive("turn_speed", c.turn_speed);
  positive("max_damping", c.max_damping);
  positive("stiffness_scale", c.stiffness_scale);
  if (!(c.stick_speed >= 0) || !is_finite(c.stick_speed))
    fail(kStepper, ": stick_speed must be finite and not negative, is ", c.stick_speed);
  if (!has_integration_method(c.method))
    fail(kStepper, ": method '", integration_method_name(c.method),
         "' needs SUNDIALS, which was absent when carom was built");
  c.palette.solid(c.default_material);
  return c;
}

// What it can move; Error otherwise, before anything is made of the model.
const Model& checked(const Model& model) {
  if (!model.device.is_cpu()) fail(kStepper, ": the model is on ", model.device.name(), "; it runs on the CPU");
  check_features(kStepper, model, EventStepper::kFeatures);
  return model;
}

}  // namespace

EventStepper::Data::Data(const Model& m, const EventStepperConfig& c, const Queue& q)
    : model(checked(m)),
      config(checked(c)),
      queue(q),
      state(m.state()),
      control(m.control()),
      scratch(m.state()),
      motion(m, config, q),
      impacts(m, q),
      pair(m, q) {
  const int first = m.world_count == 0 ? -1 : 0, end = m.world_count;
  for (int w = first; w < end; ++w) runs.emplace_back(m, w, config, users);
  const int count = static_cast<int>(runs.size());
  for (int g = 0; g < count; g += kTogether) groups.push_back({g, std::min(g + kTogether, count)});
  if (config.method != IntegrationMethod::kRk45)
    for (WorldRun& run : runs) cvode.emplace_back(model, run, motion, config);
}

WorldRun& EventStepper::Data::run_of(int world) {
  if (model.world_count == 0 ? world != -1 : world < -1 || world >= model.world_count)
    fail(kStepper, ": world ", world, " does not exist: there are ", model.world_count);
  return runs[std::max(world, 0)];
}

void EventStepper::Data::restart(const State& from, Real time) {
  check_state(kStepper, "state", from, model);
  if (!is_finite(time)) fail(kStepper, ": time must be finite, is ", time);
  model.align(from);
  state.assign(from);
  events.clear();
  for (WorldRun& run : runs) run.events.clear(), run.counts = {};
  begin(time);
}

void EventStepper::Data::run_all(Real until) {
  if (!is_finite(until)) fail(kStepper, ": until must be finite, is ", until);
  for (WorldRun& run : runs) {
    if (until < run.time)
      fail(kStepper, ": until is ", until, " s, and world ", run.world, " is at ", run.time, " s already");
    run.stopped = false;
    run.begins_anew = true;
  }
  follow_edits();
  const bool has_globals =
      model.world_count > 0 && model.archetypes.size() > 0 && model.archetypes[0].world_list.front() < 0;
  one_thread = !users.empty() || has_globals;
  try {
    if (cvode.empty()) run_side_by_side(until);
    else
      for (std::size_t i = 0; i < runs.size(); ++i) run_cvode(runs[i], cvode[i], until);
  } catch (...) {
    show_state();
    throw;
  }
  show_state();
}

// Pairs and what contacts read of shapes, where the model is another one than when they were made.
void EventStepper::Data::follow_edits() {
  if (generation == model.generation()) return;
  generation = model.generation();
  for (WorldRun& run : runs) {
    look_at_now(run);
    run.take_contacts();
    run.look_around(scratch);
  }
}

void EventStepper::Data::check_idle(const char* what) const {
  if (acts) fail(kStepper, ": an action called ", what, "; it may write to its state, and restart() with a model");
}

void EventStepper::Data::copy_rows(const WorldRun& run, const State& from, const State& to) const {
  std::copy(from.joint_q.data() + run.coords.begin, from.joint_q.data() + run.coords.end,
            to.joint_q.data() + run.coords.begin);
  std::copy(from.joint_qd.data() + run.dofs.begin, from.joint_qd.data() + run.dofs.end,
            to.joint_qd.data() + run.dofs.begin);
}

void EventStepper::Data::look_at_now(WorldRun& run) {
  copy_rows(run, state, scratch);
  run.pairs.place(scratch);
}

void EventStepper::Data::begin(Real time) {
  for (WorldRun& run : runs) {
    run.time = run.counted_from = time, run.step = 0;
    run.tries = run.at_once = 0;
    run.landed = false;
    run.last_event = -std::numeric_limits<Real>::infinity();
    run.terminated = false;
    run.samples = {};
    run.next_time_event = 0;
    while (run.next_time_event < at_times.size() && at_times[run.next_time_event].time < time) ++run.next_time_event;
    look_at_now(run);
    run.initialize(scratch);
  }
  generation = model.generation();
}

void EventStepper::Data::show_state() {
  for (WorldRun& run : runs) run.landing.reset(), run.landed = false;
  model.align(state);
  for (WorldRun& run : runs) run.detection.find_zero_crossings(state);
}

}  // namespace carom::inline CAROM_PRECISION
