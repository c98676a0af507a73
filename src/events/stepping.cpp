// Steps of the worlds of an EventStepper, by an explicit pair side by side, or by CVODE one after the other.
#include "events/stepping.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr Real kFirstStep = Real(1e-4);        // to try [s]
constexpr Real kDistanceMissed = Real(1e-12);  // that a landing may [m]
constexpr int kMostTries = 10;                 // of a landing
constexpr int kStepsInARow = 32;               // of a group, before it is the turn of the next one
// What takes so many steps for so little time does not get on [s].
constexpr int kManySteps = 50'000;
constexpr Real kLittleTime = Real(1e-3);

}  // namespace

Real EventStepper::Data::next_stop(const WorldRun& run, Real until) const {
  if (run.next_time_event < at_times.size()) until = min(until, at_times[run.next_time_event].time);
  return until;
}

void EventStepper::Data::run_side_by_side(Real until) {
  std::vector<SteppingGroup*> busy;
  for (;;) {
    busy.clear();
    for (SteppingGroup& group : groups)
      if (choose_steps(group, until)) busy.push_back(&group);
    if (busy.empty()) return;
    step_groups(busy, until);
    for (SteppingGroup* const group : busy)
      for (WorldRun* const run : group->runs)
        if (run->landed) happen(*run);
  }
}

bool EventStepper::Data::choose_steps(SteppingGroup& group, Real until) {
  group.runs.clear(), group.step.clear();
  for (int w = group.begin; w < group.end; ++w) {
    WorldRun& run = runs[w];
    if (run.stopped || run.terminated || !reach(run, until)) continue;
    group.runs.push_back(&run);
    group.step.push_back(run.landing ? run.landing->time - run.time : step_of(run, until));
  }
  return !group.runs.empty();
}

void EventStepper::Data::step_groups(std::span<SteppingGroup* const> busy, Real until) {
  struct Job {
    Data& data;
    std::span<SteppingGroup* const> groups;
    Real until;
  } job{*this, busy, until};
  const auto step_some = [](const void* given, int begin, int end) {
    const Job& job = *static_cast<const Job*>(given);
    for (int g = begin; g < end; ++g) job.data.step_group(*job.groups[g], job.until);
  };
  static ItemCost cost;
  const int n = static_cast<int>(busy.size());
  motion.keep_up();
  if (one_thread) step_some(&job, 0, n);
  else run_on_threads(queue, {.run = step_some, .kernel = &job, .n = n, .cost = &cost});
}

void EventStepper::Data::step_group(SteppingGroup& group, Real until) {
  // What the next steps read is near the processor already; actions at times wait for their turn.
  const int most = at_times.empty() ? kStepsInARow : 1;
  for (int k = 0; k < most && (k == 0 || choose_steps(group, until)); ++k) {
    pair.propose(group.steps, group.runs, group.step, motion, state, control);
    const std::span<const Real> errors = pair.errors(group.steps, state, config.tolerance);
    for (std::size_t i = 0; i < group.runs.size(); ++i) judge(*group.runs[i], group.step[i], errors[i], until);
    const auto landed = [](const WorldRun* run) { return run->landed; };
    if (std::any_of(group.runs.begin(), group.runs.end(), landed)) return;
  }
}

Real EventStepper::Data::step_of(WorldRun& run, Real until) {
  if (run.step == 0) run.step = min(kFirstStep, config.max_step);
  const Real left = next_stop(run, until) - run.time;
  const Real wanted = min(run.step, config.max_step);
  return wanted >= left ? left : wanted > Real(0.5) * left ? Real(0.5) * left : wanted;  // no tiny one at the end
}

bool EventStepper::Data::reach(WorldRun& run, Real until) {
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

void EventStepper::Data::check_progress(WorldRun& run) {
  if (++run.tries < kManySteps) return;
  if (run.time - run.counted_from < kLittleTime)
    fail_at(run, text("the tolerance cannot be met: ", kManySteps, " steps led ", run.time - run.counted_from,
                      " s ahead; what touches there jumps to and fro, or is too stiff"));
  run.tries = 0, run.counted_from = run.time;
}

void EventStepper::Data::judge(WorldRun& run, Real step, Real error, Real until) {
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
    const Real grow = min(
        Real(5), Real(0.9) * carom::pow(max(error, Real(1e-8)), Real(-0.17)) * carom::pow(run.last_error, Real(0.04)));
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
      run.landed = true;
    }
    return;
  }
  land(run, end, curve);
  pair.accept(run);
  run.landed = true;
}

bool EventStepper::Data::aim(WorldRun& run, Real end, const Curve& curve) {
  Landing& landing = *run.landing;
  if (landing.kind == EventKind::kUser) return true;
  run.go(curve, end, scratch);
  Real rate = 0;
  const Real miss = run.miss(landing, scratch, rate);
  if (abs(miss) <= kDistanceMissed || rate == 0 || ++landing.tries > kMostTries) return true;
  const Real correction = miss / rate, most = Real(0.5) * (end - run.time);
  landing.time = end - std::clamp(correction, -most, most);
  if (landing.time > landing.limit) {
    // Shapes that part, and meet again before they are as far apart as wanted, have parted.
    if (landing.kind == EventKind::kEnd && miss + landing.target > 0) {
      landing.time = end;
      return true;
    }
    run.landing.reset();
    return false;
  }
  if (landing.kind == EventKind::kImpact) landing.event_time = landing.time;
  return abs(landing.time - end) <= Real(1e-16) * (1 + abs(end));
}

void EventStepper::Data::commit(WorldRun& run, Real end, const Curve& curve) {
  take_samples(run, end, curve);
  curve(end, state);
  run.time = end;
  ++run.counts.steps;
}

void EventStepper::Data::land(WorldRun& run, Real end, const Curve& curve) {
  commit(run, end, curve);
  look_at_now(run);
}

void EventStepper::Data::take_samples(WorldRun& run, Real end, const Curve& curve) {
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
    s.nearest.push_back(run.nearest());
  }
}

Real EventStepper::Data::step_of_cvode(WorldRun& run, CvodeRun& integrator, Real stop) {
  try {
    return integrator.step(state, control, stop);
  } catch (const Error& error) {
    fail_at(run, error.what());
  }
}

void EventStepper::Data::run_cvode(WorldRun& run, CvodeRun& integrator, Real until) {
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

}  // namespace carom::inline CAROM_PRECISION
