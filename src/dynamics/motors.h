// The actuators of joints that a penalty solver drives: affine in ctrl, position and velocity, and bounded.
#pragma once

#include "dynamics/hold_joints.kernel.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

// Of the worlds of one plan.
struct Motors {
  Array<MotorSlot> slots;
  Array<Real> rows;  // parameters of the motors of each world
  int ctrls = 0;     // of a world

  Motors(const Model& model, const WorldPlan& plan);
  MotorView view() const { return {slots.const_view(), rows.data(), ctrls}; }
};

}  // namespace carom::inline CAROM_PRECISION
