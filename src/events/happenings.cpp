// What happens at the events of an EventStepper: contacts begin and end, shapes bounce, actions of the user's.
#include <cmath>

#include "base/fail.h"
#include "events/stepping.h"
#include "model/kinematics.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr int kMostAtOnce = 200;  // events at one instant

}  // namespace

void EventStepper::Data::happen(WorldRun& run) {
  const Landing landing = *run.landing;
  run.landing.reset();
  run.landed = false;
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

void EventStepper::Data::guard(WorldRun& run) {
  run.at_once = run.time - run.last_event <= shortest_step(run.time) ? run.at_once + 1 : 0;
  run.last_event = run.time;
  if (run.at_once > kMostAtOnce)
    fail_at(run, text("more than ", kMostAtOnce, " events at one instant; raise stick_speed"));
}

void EventStepper::Data::bounce(WorldRun& run, const Landing& landing) {
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

Restart EventStepper::Data::call(const WorldRun& run, const std::string& name, const Action& action) {
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

void EventStepper::Data::act(WorldRun& run, const std::string& name, const Action& action) {
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

void EventStepper::Data::fail_at(WorldRun& run, const std::string& what) {
  look_at_now(run);
  std::string near;
  for (const WorldRun::Touching& t : run.touching(scratch))
    near += text(near.empty() ? "; touching: " : ", ", run.names_of(run.pairs.id(t.pair)), " (", t.at.distance, " m)");
  const std::string where = run.world < 0 ? "" : text(" in world ", run.world);
  fail(kStepper, ": ", what, where, " at ", run.time, " s", near);
}

}  // namespace carom::inline CAROM_PRECISION
