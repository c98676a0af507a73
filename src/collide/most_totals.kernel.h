// The largest totals of several runs of the same stages: what there has to be room for.
#pragma once

#include "carom/array.h"

namespace carom::inline CAROM_PRECISION {

struct MostTotals {
  bool first;  // of the runs
  const std::int64_t* total;
  std::int64_t* most;

  CAROM_HD void operator()(int i) const { most[i] = first || most[i] < total[i] ? total[i] : most[i]; }
};

}  // namespace carom::inline CAROM_PRECISION
