// CvodeRun: one world integrated by SUNDIALS' CVODE, step by step; between the ends of a step by its own polynomial, in
// which events are looked for as in that of every other method.
#pragma once

#include <memory>

#include "events/motion_of_worlds.h"

namespace carom::inline CAROM_PRECISION {

class CvodeRun {
 public:
  // All of them must outlive it.
  CvodeRun(const Model& model, WorldRun& run, MotionOfWorlds& motion, const EventStepperConfig& config);

  // A step from the state's rows, and where it ends: not behind `stop` [s].
  Real step(const State& from, const Control& control, Real stop);
  // Writes what lies at a time within that step to another state's rows.
  void write(Real time, const State& to) const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
