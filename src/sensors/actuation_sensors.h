// Sensors of actuators, tendons and the forces of limits, of all worlds.
#pragma once

#include "carom/sensors.h"
#include "sensors/sense_actuation.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ActuationSensors {
  Model model;
  Array<ActuationSensor> sensors;
  Array<int> tendon_actuator;  // as SenseActuation has it

  explicit ActuationSensors(const Model& model);

  // value_at: of every sensor, where its numbers begin in values; both on the model's device. Where the solver says
  // nothing they read 0.
  void send(const Queue& queue, const SensedStep& step, Real* values, const std::int64_t* value_at) const;
};

}  // namespace carom::inline CAROM_PRECISION
