// Which bodies that may sleep the sensors of a model look at.
#pragma once

#include <vector>

#include "carom/sensors.h"
#include "model/host_model.h"
#include "sensors/sleeping_objects.h"

namespace carom::inline CAROM_PRECISION {

SleepingBodies sleeping_bodies(const SensedStep& step);

class SensedSleepers {
 public:
  explicit SensedSleepers(const HostModel& host);
  SleepingObjects operator()(int sensor) const;

 private:
  int root_of(int body) const { return body < 0 ? -1 : root_of_moving(host_, body_joint_, dof_start_, body); }
  SleepingObjects first_two(const std::vector<int>& bodies) const;
  SleepingObjects of_actuator(int actuator) const;
  int body_of(SensorObject object, int body, int shape) const;

  const HostModel& host_;
  Array<int> body_joint_, dof_start_;
  std::vector<std::vector<int>> bodies_of_tendon_;
};

}  // namespace carom::inline CAROM_PRECISION
