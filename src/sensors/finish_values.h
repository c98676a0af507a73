// The last stage of reading sensors: noise, cutoff, delay and interval of all of them.
#pragma once

#include "carom/sensors.h"
#include "sensors/finish_values.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ValueFinisher {
  Model model;
  std::uint64_t seed;
  Array<FinishedSensor> sensors;

  ValueFinisher(const Model& model, std::uint64_t seed);

  // value_at: of every sensor, where its numbers begin in values; both on the model's device.
  void send(const Queue& queue, const SensedStep& step, Real* values, const std::int64_t* value_at) const;
};

}  // namespace carom::inline CAROM_PRECISION
