// The status of every world, from its report and from what became of poses that were written from outside.
#pragma once

#include "carom/solver_mujoco.h"

namespace carom::inline CAROM_PRECISION {

struct ReadStatus {
  const WorldReport* report;
  const std::int32_t* pose_status;  // nullptr: nothing was written
  std::int32_t* status;

  CAROM_HD void operator()(int world) const {
    status[world] = report[world].status | (pose_status ? pose_status[world] : 0);
  }
};

}  // namespace carom::inline CAROM_PRECISION
