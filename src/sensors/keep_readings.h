// Sensors of forces that keep what they read while what they look at sleeps.
#pragma once

#include "carom/sensors.h"
#include "sensors/keep_readings.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ReadingKeeper {
  Array<KeptReading> sensors;  // none, where nothing may sleep

  explicit ReadingKeeper(const Model& model);

  // value_at: of every sensor, where its numbers begin in values; both on the model's device.
  void send(const Queue& queue, const SensedStep& step, Real* values, const std::int64_t* value_at) const;
};

}  // namespace carom::inline CAROM_PRECISION
