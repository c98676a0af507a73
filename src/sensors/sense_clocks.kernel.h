// Clocks: the time since the reset of their world. One item is a sensor.
#pragma once

#include "sensors/sensed_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct SenseClocks {
  const int* sensor;     // row of each item
  const int* memory_at;  // where each keeps its time
  Real dt;               // [s]
  Real* memory;
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    Real& time = memory[memory_at[i]];
    out.write(sensor[i], time);
    time += dt;
  }
};

}  // namespace carom::inline CAROM_PRECISION
