// EventStepper: steps, events, and what happens at each.
#include "carom/event_stepper.h"

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "events/cvode_run.h"
#include "events/dormand_prince.h"
#include "events/impacts.h"
#include "events/motion_of_worlds.h"
#include "events/world_run.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr const char* kStepper = EventStepper::kName;
constexpr Real kFirstStep = Real(1e-4);        // to try [s]
constexpr Real kDistanceMissed = Real(1e-12);  // that a landing may [m]
constexpr int kMostTries = 10;                 // of a landing
constexpr int kMostAtOnce = 200;               // events at one instant
// What takes so many steps for so little time does not get on [s].
constexpr int kManySteps = 50'000;
constexpr Real kLittleTime = Real(1e-3);

Real shortest_step(Real time) { return Real(1e-15) * (1 + abs(time)); }

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

struct TimeEvent {
  Real time;
  std::string name;
  Action act;
};

}  // namespace

struct EventStepper::Data {
  Model model;
  EventStepperConfig config;
  const Queue& queue;
  State state;
  Control control;
  State scratch;  // where one world is looked at
  MotionOfWorlds motion;
  Impacts impacts;
  DormandPrince pair;
  std::vector<UserEvent> users;
  std::vector<TimeEvent> at_times;
  std::vector<WorldRun> runs;
  std::vector<CvodeRun> cvode;  // of each world, if that is the method
  mutable std::vector<Event> events;
  Real sample_interval = 0, sampled_at = 0;  // of this run, and of the samples that there are
  bool stops_at_events = false;
  bool acts = false;           // an action of the user's is under way
  std::shared_ptr<Data> next;  // what that has asked for: another model

  Data(const Model& m, const EventStepperConfig& c, const Queue& q)
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
    if (config.method != IntegrationMethod::kRk45)
      for (WorldRun& run : runs) cvode.emplace_back(model, run, motion, config);
  }

  WorldRun& run_of(int world) {
    if (model.world_count == 0 ? world != -1 : world < -1 || world >= model.world_count)
      fail(kStepper, ": world ", world, " does not exist: there are ", model.world_count);
    return runs[std::max(world, 0)];
  }

  // -- States of one world.

  void copy_rows(const WorldRun& run, const State& from, const State& to) const {
    std::copy(from.joint_q.data() + run.coords.begin, from.joint_q.data() + run.coords.end,
              to.joint_q.data() + run.coords.begin);
    std::copy(from.joint_qd.data() + run.dofs.begin, from.joint_qd.data() + run.dofs.end,
              to.joint_qd.data() + run.dofs.begin);
  }
  void look_at_now(WorldRun& run) {
    copy_rows(run, state, scratch);
    run.pairs.place(scratch);
  }

  void begin(Real time) {
    for (WorldRun& run : runs) {
      run.time = run.counted_from = time, run.step = 0;
      run.tries = run.at_once = 0;
      run.last_event = -std::numeric_limits<Real>::infinity();
      run.terminated = false;
      run.samples = {};
      run.next_time_event = 0;
      while (run.next_time_event < at_times.size() && at_times[run.next_time_event].time < time) ++run.next_time_event;
      look_at_now(run);
      run.initialize(scratch);
    }
  }

  // -- Steps.

  Real next_stop(const WorldRun& run, Real until) const {
    if (run.next_time_event < at_times.size()) until = min(until, at_times[run.next_time_event].time);
    return until;
  }

  // Worlds with a step of their own each, side by side.
  void run_side_by_side(Real until) {
    std::vector<WorldRun*> active;
    std::vector<Real> step;
    for (;;) {
      active.clear(), step.clear();
      for (WorldRun& run : runs) {
        if (run.stopped || run.terminated || !reach(run, until)) continue;
        active.push_back(&run);
        step.push_back(run.landing ? run.landing->time - run.time : step_of(run, until));
      }
      if (active.empty()) return;
      pair.propose(active, step, motion, state, control);
      const std::span<const Real> errors = pair.errors(state, config.tolerance);
      for (std::size_t i = 0; i < active.size(); ++i) judge(*active[i], step[i], errors[i], until);
    }
  }
  Real step_of(WorldRun& run, Real until) {
    if (run.step == 0) run.step = min(kFirstStep, config.max_step);
    const Real left = next_stop(run, until) - run.time;
    const Real wanted = min(run.step, config.max_step);
    return wanted >= left ? left : wanted > Real(0.5) * left ? Real(0.5) * left : wanted;  // no tiny one at the end
  }
  // False where there is nothing left to do; events at times happen here.
  bool reach(WorldRun& run, Real until) {
    while (run.next_time_event < at_times.size() &&
           at_times[run.next_time_event].time - run.time <= shortest_step(run.time)) {
      if (at_times[run.next_time_event].time > until) break;
      const TimeEvent event = at_times[run.next_time_event++];
      look_at_now(run);
      act(run, event.name, event.act);
      if (run.stopped || run.terminated) return false;
    }
    if (until - run.time > shortest_step(until)) return true;
    run.time = max(run.time, until);
    return false;
  }

  void check_progress(WorldRun& run) {
    if (++run.tries < kManySteps) return;
    if (run.time - run.counted_from < kLittleTime)
      fail_at(run, text("the tolerance cannot be met: ", kManySteps, " steps led ", run.time - run.counted_from,
                        " s ahead; what touches there jumps to and fro, or is too stiff"));
    run.tries = 0, run.counted_from = run.time;
  }

  void judge(WorldRun& run, Real step, Real error, Real until) {
    check_progress(run);
    if (!(error <= 1)) {
      ++run.counts.rejected;
      run.landing.reset();
      const Real shrink = is_finite(error) ? max(Real(0.2), Real(0.9) * carom::pow(error, Real(-0.2))) : Real(0.1);
      run.step = step * shrink;
      if (run.step < shortest_step(run.time)) fail_at(run, "the tolerance cannot be met");
      return;
    }
    const Real end = run.landing ? run.landing->time
                                 : (run.time + step >= next_stop(run, until) ? next_stop(run, until) : run.time + step);
    const Curve curve = [&](Real t, const State& at) {
      const Real part = t == end ? Real(1) : (t - run.time) / step;
      pair.write(run, state, step, part, at);
    };
    const bool lands = run.landing && aim(run, end, curve);
    if (!lands && run.landing) return;
    if (!run.landing) {
      const Real grow = min(Real(5), Real(0.9) * carom::pow(max(error, Real(1e-8)), Real(-0.17)) *
                                         carom::pow(run.last_error, Real(0.04)));
      run.last_error = max(error, Real(1e-4));
      const Real next = step * max(grow, Real(0.2));
      run.step = step < run.step * Real(0.999) ? max(next, run.step) : next;  // not for a step that was cut short
      run.landing = run.find_event({end, motion.at(), true}, curve, scratch);
      if (run.landing) run.landing->limit = end;
      if (!run.landing) {
        commit(run, end, curve);
        run.advance(end);
        if (!users.empty()) look_at_now(run), run.keep_sides(scratch);
        pair.accept(run);
      } else if (run.landing->time - run.time <= shortest_step(run.time)) {
        look_at_now(run);
        happen(run);
      }
      return;
    }
    land(run, end, curve);
    pair.accept(run);
    happen(run);
  }

  // True where the step ends where it should; otherwise where to end it is known better, or that it was no event: the
  // step that was made again has none where its polynomial had one, since shapes hardly touch.
  bool aim(WorldRun& run, Real end, const Curve& curve) {
    Landing& landing = *run.landing;
    if (landing.kind == EventKind::kUser) return true;
    run.go(curve, end, scratch);
    Real rate = 0;
    const Real miss = run.miss(landing, scratch, rate);
    if (abs(miss) <= kDistanceMissed || rate == 0 || ++landing.tries > kMostTries) return true;
    const Real correction = miss / rate, most = Real(0.5) * (end - run.time);
    landing.time = end - std::clamp(correction, -most, most);
    if (landing.time > landing.limit) {
      run.landing.reset();
      return false;
    }
    if (landing.kind == EventKind::kImpact) landing.event_time = landing.time;
    return abs(landing.time - end) <= Real(1e-16) * (1 + abs(end));
  }

  void commit(WorldRun& run, Real end, const Curve& curve) {
    take_samples(run, end, curve);
    curve(end, state);
    run.time = end;
    ++run.counts.steps;
  }
  void land(WorldRun& run, Real end, const Curve& curve) {
    commit(run, end, curve);
    look_at_now(run);
  }

  void take_samples(WorldRun& run, Real end, const Curve& curve) {
    if (sample_interval <= 0) return;
    EventSamples& s = run.samples;
    for (;;) {
      const Real next = s.time.empty() ? run.time : s.time[0] + Real(s.time.size()) * sample_interval;
      if (next > end + shortest_step(end)) return;
      run.go(curve, min(next, end), scratch);
      s.time.push_back(next);
      s.joint_q.insert(s.joint_q.end(), scratch.joint_q.data() + run.coords.begin,
                       scratch.joint_q.data() + run.coords.end);
      s.joint_qd.insert(s.joint_qd.end(), scratch.joint_qd.data() + run.dofs.begin,
                        scratch.joint_qd.data() + run.dofs.end);
      s.nearest.push_back(run.nearest_in(scratch));
    }
  }

  // -- CVODE, one world after the other.

  Real step_of_cvode(WorldRun& run, CvodeRun& integrator, Real stop) {
    try {
      return integrator.step(state, control, stop);
    } catch (const Error& error) {
      fail_at(run, error.what());
    }
  }
  void run_cvode(WorldRun& run, CvodeRun& integrator, Real until) {
    while (!run.stopped && !run.terminated && reach(run, until)) {
      check_progress(run);
      const Real stop = next_stop(run, until);
      const Real end = min(step_of_cvode(run, integrator, stop), stop);
      const Curve curve = [&](Real t, const State& at) { integrator.write(t, at); };
      run.go(curve, end, scratch);
      run.landing = run.find_event({end, scratch, false}, curve, scratch);
      if (run.landing) run.landing->limit = std::numeric_limits<Real>::infinity();  // nothing is made again
      if (!run.landing) {
        commit(run, end, curve);
        run.advance(end);
        if (!users.empty()) look_at_now(run), run.keep_sides(scratch);
        continue;
      }
      for (int k = 0; k < kMostTries && !aim(run, min(run.landing->time, end), curve); ++k) {
      }
      const Real at = std::clamp(run.landing->time, run.time, end);
      if (at > run.time) land(run, at, curve);
      else look_at_now(run);
      happen(run);
    }
  }

  // -- Events; scratch is where they happen.

  void happen(WorldRun& run) {
    const Landing landing = *run.landing;
    run.landing.reset();
    guard(run);
    switch (landing.kind) {
      case EventKind::kUser: {
        const UserEvent& user = users[landing.index];
        act(run, user.name, user.act);
        run.cross_user(landing);
        return;
      }
      case EventKind::kImpact: bounce(run, landing); break;
      case EventKind::kEnd:
        run.log(landing, Restart::kRestart);
        run.detection.find_at_event(scratch);
        break;
      default:
        run.log(landing, Restart::kRestart);
        const PairID begins = run.pairs.id(landing.index);
        run.detection.find_at_event(scratch, {&begins, 1});
    }
    run.take_contacts();
    run.look_around(scratch);
    run.begins_anew = true;
    if (stops_at_events) run.stopped = true;
  }

  // Events that come ever faster would never end.
  void guard(WorldRun& run) {
    run.at_once = run.time - run.last_event <= shortest_step(run.time) ? run.at_once + 1 : 0;
    run.last_event = run.time;
    if (run.at_once > kMostAtOnce) fail_at(run, "more than 200 events at one instant; raise stick_speed");
  }

  void bounce(WorldRun& run, const Landing& landing) {
    std::vector<WorldRun::Touching> touching = run.touching(scratch);
    std::vector<TouchingPoint> points;
    std::vector<Vec3> velocity;
    for (const WorldRun::Touching& t : touching) {
      const Index2 shapes = run.pairs.pair(t.pair);
      const Vec3 point = (t.at.point_a + t.at.point_b) * Real(0.5);
      const WorldRun::Rebound rebound = run.rebound_of(shapes);
      points.push_back({{model.shape_body[shapes[0]], model.shape_body[shapes[1]]},
                        point,
                        t.at.normal,
                        t.in_contact ? Real(0) : rebound.restitution,
                        rebound.mu});
      velocity.push_back(run.pairs.relative_velocity(scratch, shapes, point).linear);
    }
    const std::vector<Vec3> impulse =
        impacts.resolve(run.world, scratch, points, config.hits, config.stick_speed, state.joint_qd);
    for (std::size_t i = 0; i < touching.size(); ++i) {
      const bool is_cause = touching[i].pair == landing.index;
      if (!is_cause && (touching[i].in_contact || !(dot(impulse[i], points[i].normal) > 0))) continue;
      run.log_pair(EventKind::kImpact, is_cause ? landing.event_time : run.time, run.pairs.id(touching[i].pair),
                   velocity[i], dot(velocity[i], points[i].normal));
    }
    look_at_now(run);
    run.detection.find_at_event(scratch);
  }

  Restart call(const WorldRun& run, const std::string& name, const Action& action) {
    if (!action) return Restart::kNone;
    acts = true, next.reset();
    Restart restart = Restart::kNone;
    try {
      restart = action({run.time, run.world, state}, control);
    } catch (...) {
      acts = false, next.reset();
      throw;
    }
    acts = false;
    if (restart == Restart::kFull && !next)
      fail(kStepper, ": event '", name, "' says full, and has called no restart() with a model");
    return next ? Restart::kFull : restart;
  }
  void act(WorldRun& run, const std::string& name, const Action& action) {
    align_world(model, state, run.world);
    const Restart restart = call(run, name, action);
    ++run.counts.events;
    run.events.push_back(
        {run.time, run.world, EventKind::kUser, 0, {}, 0, restart, name, std::numeric_limits<Real>::quiet_NaN()});
    if (restart == Restart::kTerminate) run.terminated = true;
    if (restart == Restart::kFull) {
      run.stopped = true;
      return;
    }
    if (restart == Restart::kRestart) {
      align_world(model, state, run.world);
      look_at_now(run);
      run.detection.find_at_event(scratch);
      run.take_contacts();
      run.begins_anew = true;
    }
    run.look_around(scratch);
    if (stops_at_events) run.stopped = true;
  }

  [[noreturn]] void fail_at(WorldRun& run, const std::string& what) {
    look_at_now(run);
    std::string near;
    for (const WorldRun::Touching& t : run.touching(scratch))
      near +=
          text(near.empty() ? "; touching: " : ", ", run.names_of(run.pairs.id(t.pair)), " (", t.at.distance, " m)");
    const std::string where = run.world < 0 ? "" : text(" in world ", run.world);
    fail(kStepper, ": ", what, where, " at ", run.time, " s", near);
  }

  // -- All worlds.

  void restart(const State& from, Real time) {
    check_state(kStepper, "state", from, model);
    if (!is_finite(time)) fail(kStepper, ": time must be finite, is ", time);
    model.align(from);
    state.assign(from);
    events.clear();
    for (WorldRun& run : runs) run.events.clear(), run.counts = {};
    begin(time);
  }
  void run_all(Real until) {
    if (!is_finite(until)) fail(kStepper, ": until must be finite, is ", until);
    for (WorldRun& run : runs) {
      if (until < run.time)
        fail(kStepper, ": until is ", until, " s, and world ", run.world, " is at ", run.time, " s already");
      run.stopped = false;
      run.begins_anew = true;
    }
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
  // What an action must not call.
  void check_idle(const char* what) const {
    if (acts) fail(kStepper, ": an action called ", what, "; it may write to its state, and restart() with a model");
  }
  void show_state() {
    for (WorldRun& run : runs) run.landing.reset();
    model.align(state);
    for (WorldRun& run : runs) run.detection.find_zero_crossings(state);
  }
};

EventStepper::EventStepper(const Model& model, const EventStepperConfig& config, const Queue* queue)
    : data_(std::make_shared<Data>(model, config, queue ? *queue : default_queue(model.device))) {
  data_->begin(0);
}

void EventStepper::restart(const State& state, Real time) {
  data_->check_idle("restart() with a state");
  data_->restart(state, time);
}

void EventStepper::restart(const Model& model, const State& state, Real time) {
  Data& d = *data_;
  if (d.acts && d.runs.size() > 1)
    fail(kStepper, ": an action of one world cannot replace the model of ", d.runs.size(), " worlds");
  auto next = std::make_shared<Data>(model, d.config, d.queue);
  next->users = d.users, next->at_times = d.at_times;
  next->restart(state, time);
  if (!d.acts) return go_on_with(std::move(next));
  const WorldRun& run = d.runs[0];  // the event that acts does not happen again
  next->runs[0].next_time_event = run.next_time_event;
  next->runs[0].at_once = run.at_once, next->runs[0].last_event = run.last_event;
  d.next = std::move(next);
}

void EventStepper::go_on_with(std::shared_ptr<Data> next) {
  next->events = events();
  next->sample_interval = data_->sample_interval, next->sampled_at = data_->sampled_at;
  next->stops_at_events = data_->stops_at_events;
  data_ = std::move(next);
}

void EventStepper::run(Real until, Real sample_interval) {
  if (!(sample_interval >= 0)) fail(kStepper, ": sample_interval must not be negative, is ", sample_interval);
  Data& d = *data_;
  d.check_idle("run()");
  if (sample_interval > 0 && sample_interval != d.sampled_at)
    for (WorldRun& run : d.runs) run.samples = {};
  if (sample_interval > 0) d.sampled_at = sample_interval;
  d.sample_interval = sample_interval;
  d.stops_at_events = false;
  data_->run_all(until);
  while (data_->next) {
    go_on_with(data_->next);
    data_->run_all(until);
  }
}

bool EventStepper::run_to_event(Real until) {
  data_->check_idle("run_to_event()");
  data_->sample_interval = 0;
  data_->stops_at_events = true;
  data_->run_all(until);
  const auto has_had_one = [](const WorldRun& run) { return run.stopped || run.terminated; };
  const bool any = std::any_of(data_->runs.begin(), data_->runs.end(), has_had_one);
  if (data_->next) go_on_with(data_->next);
  return any;
}

void EventStepper::add_event(const UserEvent& event) {
  if (!event.zero)
    fail(kStepper, ": event '", event.name, "' has no function zero; add_time_event() adds one at a time");
  if (event.direction < -1 || event.direction > 1)
    fail(kStepper, ": event '", event.name, "' has direction ", event.direction, "; 1 rises, -1 falls, 0 is both");
  data_->users.push_back(event);
  for (WorldRun& run : data_->runs) {
    data_->look_at_now(run);
    run.look_around(data_->scratch);
  }
}

void EventStepper::add_time_event(Real time, const std::string& name, Action act) {
  Data& d = *data_;
  for (const WorldRun& run : d.runs)
    if (!(time >= run.time))
      fail(kStepper, ": event '", name, "' is to be at ", time, " s; it is ", run.time, " s already");
  const auto at = std::upper_bound(d.at_times.begin(), d.at_times.end(), time,
                                   [](Real t, const TimeEvent& event) { return t < event.time; });
  d.at_times.insert(at, {time, name, std::move(act)});
}

const State& EventStepper::state() const { return data_->state; }
const Control& EventStepper::control() const { return data_->control; }
Real EventStepper::time(int world) const { return data_->run_of(world).time; }
bool EventStepper::terminated(int world) const { return data_->run_of(world).terminated; }
const EventSamples& EventStepper::samples(int world) const { return data_->run_of(world).samples; }
const ContactDetection& EventStepper::detection(int world) const { return data_->run_of(world).detection; }

const std::vector<Event>& EventStepper::events() const {
  Data& d = *data_;
  bool any = false;
  for (WorldRun& run : d.runs) {
    any |= !run.events.empty();
    d.events.insert(d.events.end(), run.events.begin(), run.events.end());
    run.events.clear();
  }
  if (any)
    std::stable_sort(d.events.begin(), d.events.end(), [](const Event& a, const Event& b) {
      return a.time != b.time ? a.time < b.time : a.world < b.world;
    });
  return d.events;
}

EventCounts EventStepper::counts(int world) const {
  if (world >= 0) return data_->run_of(world).counts;
  EventCounts sum;
  for (const WorldRun& run : data_->runs) {
    sum.steps += run.counts.steps, sum.rejected += run.counts.rejected;
    sum.evaluations += run.counts.evaluations, sum.events += run.counts.events;
  }
  return sum;
}

const EventStepperConfig& EventStepper::config() const { return data_->config; }
const Model& EventStepper::model() const { return data_->model; }

}  // namespace carom::inline CAROM_PRECISION
