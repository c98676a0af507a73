// What sleeps has no contacts, and no solver looks at it: sensors of forces go on with what they measured when it was
// awake last. That is in the state, so it comes with snapshots, and a reset forgets it.
#pragma once

#include "sensors/sleeping_objects.h"

namespace carom::inline CAROM_PRECISION {

// One sensor of the model that does so.
struct KeptReading {
  int row, dim;
  int at;  // in State::sensor_memory
  SleepingObjects objects;
};

struct KeepReadings {
  const KeptReading* sensors;
  SleepingBodies asleep;
  const std::int64_t* value_at;
  Real *values, *memory;

  CAROM_HD void operator()(int i) const {
    const KeptReading& own = sensors[i];
    Real *const reading = values + value_at[own.row], *const kept = memory + own.at;
    const bool rests = own.objects.rest(asleep);
    Real* const to = rests ? reading : kept;
    const Real* const from = rests ? kept : reading;
    for (int k = 0; k < own.dim; ++k) to[k] = from[k];
  }
};

}  // namespace carom::inline CAROM_PRECISION
