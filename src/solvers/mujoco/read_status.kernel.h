// The status of every world, from its report.
#pragma once

#include "carom/solver_mujoco.h"

namespace carom::inline CAROM_PRECISION {

struct ReadStatus {
  const WorldReport* report;
  std::int32_t* status;

  CAROM_HD void operator()(int world) const { status[world] = report[world].status; }
};

}  // namespace carom::inline CAROM_PRECISION
