// MotionOfWorlds: the derivatives of worlds at whatever instants their integrators are, with the contacts that each has
// then: smooth, since contacts change at events alone.
#pragma once

#include <span>
#include <vector>

#include "dynamics/smooth_motion.h"
#include "events/world_run.h"

namespace carom::inline CAROM_PRECISION {

class MotionOfWorlds {
 public:
  MotionOfWorlds(const Model& model, const EventStepperConfig& config, const Queue& queue);

  // Where the worlds are: joint_q and joint_qd, which integrators write.
  const State& at() const { return at_; }
  // body_f: what users push with.
  void eval(std::span<WorldRun* const> runs, const Array<SpatialVector>& body_f, const Control& control,
            const Array<Real>& joint_q_rate, const Array<Real>& joint_qdd);

 private:
  void push_contacts(WorldRun& run);
  void push_at(const WorldRun& run, const ActiveContact& contact, const WeightedPoint& point);

  Model model_;
  ElasticSpeeds speeds_;
  SmoothMotion motion_;
  State at_;
  std::vector<WeightedPoint> points_;  // of one contact at a time
};

}  // namespace carom::inline CAROM_PRECISION
