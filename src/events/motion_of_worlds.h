// MotionOfWorlds: the derivatives of worlds at whatever instants their integrators are, with the contacts that each has
// then: smooth, since contacts change at events alone.
#pragma once

#include <span>
#include <vector>

#include "dynamics/smooth_motion.h"
#include "events/free_bodies.h"
#include "events/world_run.h"

namespace carom::inline CAROM_PRECISION {

// Worlds that are evaluated together, and what kernels read of their contacts. Made anew where there are other worlds
// or contacts.
struct WorldGroup {
  std::vector<WorldRun*> runs;
  std::vector<std::int64_t> contact_changes;  // of each
  SmoothMotion::Choice trees;
  FreeBodies::Choice free;

  // Balls by the type of their hosts, which are in parts.
  struct Part {
    ShapeType host;
    int begin, end;
  };
  std::vector<Part> parts;
  std::vector<BallContact> balls;
  std::vector<int> ball_body, host_body;
  std::vector<BallPush> pushes;
  std::vector<std::vector<int>> places;  // of the contacts of each world among them; -1: no ball
};

class MotionOfWorlds {
 public:
  MotionOfWorlds(const Model& model, const EventStepperConfig& config, const Queue& queue);

  // Where the worlds are: joint_q and joint_qd, which integrators write; and, once they have been evaluated there with
  // contacts, their bodies.
  const State& at() const { return at_; }
  // Takes the numbers of the model as they are now: before several threads evaluate groups of their own.
  void keep_up() { motion_.keep_up(); }
  void gather(WorldGroup& group, std::span<WorldRun* const> runs);
  // body_f: what users push with. Writes how far balls in contact are apart, too.
  void eval(WorldGroup& group, const Array<SpatialVector>& body_f, const Control& control,
            const Array<Real>& joint_q_rate, const Array<Real>& joint_qdd);

 private:
  void choose(WorldGroup& group);
  void push_balls(WorldGroup& group);
  void add_pushes(WorldGroup& group, std::size_t i);
  void push_at(const WorldRun& run, const ActiveContact& contact, const WeightedPoint& point);
  void add(int body, SpatialVector push) {
    if (body >= 0) at_.body_f[body] = at_.body_f[body] + push;
  }

  Model model_;
  const Queue& queue_;
  ElasticSpeeds speeds_;
  SmoothMotion motion_;
  FreeBodies free_;
  State at_;
};

}  // namespace carom::inline CAROM_PRECISION
