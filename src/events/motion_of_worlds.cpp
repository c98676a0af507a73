#include "events/motion_of_worlds.h"

#include <algorithm>

namespace carom::inline CAROM_PRECISION {

MotionOfWorlds::MotionOfWorlds(const Model& model, const EventStepperConfig& config, const Queue& queue)
    : model_(model), speeds_{config.slide_speed, config.turn_speed}, motion_(model, queue), at_(model.state()) {
  at_.aligned = {};  // nobody reads these bodies but the functions here
}

void MotionOfWorlds::push_contacts(WorldRun& run) {
  run.pairs.place_as_is(at_, run.contact_shapes);
  for (const ActiveContact& contact : run.contacts) {
    run.pairs.contacts(contact.pair, points_);
    for (const WeightedPoint& point : points_)
      if (point.at.distance < 0 && point.weight > 0) push_at(run, contact, point);
  }
}

void MotionOfWorlds::push_at(const WorldRun& run, const ActiveContact& contact, const WeightedPoint& point) {
  const ContactPoint& at = point.at;
  const SpatialVector V = run.pairs.relative_velocity(at_, contact.pair, at.point);
  const ContactWrench wrench = elastic_wrench(contact.law, speeds_, -at.distance, at.normal, V.linear, V.angular);
  for (int side = 0; side < 2; ++side) {
    const int body = model_.shape_body[contact.pair[side]];
    if (body < 0) continue;
    const Real sign = side == 0 ? -point.weight : point.weight;
    const Vec3 arm = at.point - transform_point(at_.body_q[body], model_.body_com[body]);
    at_.body_f[body] =
        at_.body_f[body] + SpatialVector{wrench.force * sign, (wrench.torque + cross(arm, wrench.force)) * sign};
  }
}

void MotionOfWorlds::eval(std::span<WorldRun* const> runs, const Array<SpatialVector>& body_f, const Control& control,
                          const Array<Real>& joint_q_rate, const Array<Real>& joint_qdd) {
  std::vector<std::uint8_t> mask(std::max(model_.world_count, 1), 0);
  bool touches = false;
  for (WorldRun* const run : runs) {
    mask[std::max(run->world, 0)] = 1;
    touches |= !run->contacts.empty();
    ++run->counts.evaluations;
    for (int b = run->bodies.begin; b < run->bodies.end; ++b) at_.body_f[b] = body_f[b];
  }
  motion_.choose(mask);
  if (touches) motion_.place(at_.joint_q, at_.joint_qd, at_);
  for (WorldRun* const run : runs)
    if (!run->contacts.empty()) push_contacts(*run);
  motion_.eval(at_, control, joint_q_rate, joint_qdd);
}

}  // namespace carom::inline CAROM_PRECISION
