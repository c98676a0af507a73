// EventStepper: what users call.
#include "carom/event_stepper.h"

#include <algorithm>

#include "base/fail.h"
#include "events/stepping.h"

namespace carom::inline CAROM_PRECISION {

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
