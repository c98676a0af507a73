#include "events/motion_of_worlds.h"

#include <algorithm>

#include "backend/launch.h"
#include "events/kernels.h"

namespace carom::inline CAROM_PRECISION {

MotionOfWorlds::MotionOfWorlds(const Model& model, const EventStepperConfig& config, const Queue& queue)
    : model_(model),
      queue_(queue),
      speeds_{config.slide_speed, config.turn_speed},
      motion_(model, queue),
      free_(model, queue),
      at_(model.state()) {
  at_.aligned = {};  // nobody reads these bodies but the functions here
}

namespace {

// Balls of all worlds, those with like hosts behind each other.
void gather_balls(WorldGroup& group) {
  group.parts.clear(), group.balls.clear(), group.ball_body.clear(), group.host_body.clear();
  group.places.resize(group.runs.size());
  for (std::size_t i = 0; i < group.runs.size(); ++i) group.places[i].assign(group.runs[i]->contacts.size(), -1);
  for (const ShapeType host : {ShapeType::kPlane, ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kBox}) {
    const int begin = static_cast<int>(group.balls.size());
    for (std::size_t i = 0; i < group.runs.size(); ++i) {
      const std::vector<ActiveContact>& contacts = group.runs[i]->contacts;
      for (std::size_t c = 0; c < contacts.size(); ++c) {
        if (!contacts[c].ball || contacts[c].ball->host != host) continue;
        group.places[i][c] = static_cast<int>(group.balls.size());
        group.balls.push_back(contacts[c].ball->contact);
        group.ball_body.push_back(std::max(contacts[c].ball->ball_body, 0));
        group.host_body.push_back(std::max(contacts[c].ball->host_body, 0));
      }
    }
    const int end = static_cast<int>(group.balls.size());
    if (end > begin) group.parts.push_back({host, begin, end});
  }
  group.pushes.resize(group.balls.size());
}

}  // namespace

void MotionOfWorlds::gather(WorldGroup& group, std::span<WorldRun* const> runs) {
  const bool same_runs = std::equal(runs.begin(), runs.end(), group.runs.begin(), group.runs.end());
  bool same_contacts = same_runs;
  for (std::size_t i = 0; i < runs.size() && same_contacts; ++i)
    same_contacts = group.contact_changes[i] == runs[i]->contact_changes;
  if (!same_runs) group.runs.assign(runs.begin(), runs.end());
  if (!same_runs || !motion_.is_up_to_date(group.trees)) choose(group);
  if (same_contacts) return;
  group.contact_changes.clear();
  for (const WorldRun* const run : runs) group.contact_changes.push_back(run->contact_changes);
  gather_balls(group);
}

void MotionOfWorlds::choose(WorldGroup& group) {
  std::vector<int> trees, free;
  for (const WorldRun* const run : group.runs) {
    const int world = std::max(run->world, 0);
    (free_.are_all_of(world) ? free : trees).push_back(world);
  }
  group.trees = motion_.choose(trees), group.free = free_.choose(free);
}

void MotionOfWorlds::push_balls(WorldGroup& group) {
  for (const WorldGroup::Part& part : group.parts)
    launch(queue_, part.end - part.begin,
           PushBalls{.contact = group.balls.data() + part.begin,
                     .ball_body = group.ball_body.data() + part.begin,
                     .host_body = group.host_body.data() + part.begin,
                     .host = part.host,
                     .speeds = speeds_,
                     .body_q = at_.body_q.data(),
                     .body_qd = at_.body_qd.data(),
                     .push = group.pushes.data() + part.begin});
}

// In the order of the contacts of the world, whatever they are.
void MotionOfWorlds::add_pushes(WorldGroup& group, std::size_t i) {
  WorldRun& run = *group.runs[i];
  if (!run.contact_shapes.empty()) run.pairs.place_as_is(at_, run.contact_shapes);
  std::vector<WeightedPoint> points;
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    const ActiveContact& contact = run.contacts[c];
    if (const int place = group.places[i][c]; place >= 0) {
      const BallPush& push = group.pushes[place];
      add(contact.ball->ball_body, push.on_ball);
      add(contact.ball->host_body, push.on_host);
      run.contact_distance[c] = push.distance;
      continue;
    }
    run.pairs.contacts(contact.pair, points);
    for (const WeightedPoint& point : points)
      if (point.at.distance < 0 && point.weight > 0) push_at(run, contact, point);
  }
}

void MotionOfWorlds::push_at(const WorldRun& run, const ActiveContact& contact, const WeightedPoint& point) {
  const ContactPoint& at = point.at;
  const SpatialVector V = run.pairs.relative_velocity(at_, contact.pair, at.point);
  const auto wrench = elastic_wrench(contact.law, speeds_, -at.distance, at.normal, V.linear, V.angular);
  for (int side = 0; side < 2; ++side) {
    const int body = model_.shape_body[contact.pair[side]];
    if (body < 0) continue;
    const Real sign = side == 0 ? -point.weight : point.weight;
    const Vec3 arm = at.point - transform_point(at_.body_q[body], model_.body_com[body]);
    add(body, {wrench.force * sign, (wrench.torque + cross(arm, wrench.force)) * sign});
  }
}

void MotionOfWorlds::eval(WorldGroup& group, const Array<SpatialVector>& body_f, const Control& control,
                          const Array<Real>& joint_q_rate, const Array<Real>& joint_qdd) {
  for (WorldRun* const run : group.runs) {
    ++run->counts.evaluations;
    std::copy(body_f.data() + run->bodies.begin, body_f.data() + run->bodies.end,
              at_.body_f.data() + run->bodies.begin);
  }
  motion_.place(group.trees, at_.joint_q, at_.joint_qd, at_);
  free_.place(group.free, at_);
  push_balls(group);
  for (std::size_t i = 0; i < group.runs.size(); ++i) add_pushes(group, i);
  motion_.eval(group.trees, at_, control, joint_q_rate, joint_qdd);
  free_.eval(group.free, at_, control, joint_q_rate, joint_qdd);
}

}  // namespace carom::inline CAROM_PRECISION
