// For solvers that leave out worlds (SolverThatLeavesOut): nobody writes the reports of those, so that they stay zero.
#pragma once

#include "backend/send_copy.h"
#include "carom/solver.h"

namespace carom::inline CAROM_PRECISION {

inline void clear_reports(const Queue& queue, const SolverReports& reports) {
  const SolverReports nothing = make_reports(static_cast<int>(reports.status.size()), queue.device());
  visit_reports([&](const char*, auto array, const char*) { send_copy(queue, nothing.*array, reports.*array); });
  queue.finish();
}

}  // namespace carom::inline CAROM_PRECISION
