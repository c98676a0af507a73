// Segments with something that is not finite. Things are looked at in runs, a few consecutive ones of a segment each,
// and the marks of the runs summed up, so that no thread has to look at all of a large world.
#pragma once

#include "backend/world_lanes.h"
#include "collide/broad/box.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kRunSize = 32;

struct Run {
  int first, end;
  int segment;
};

// Whether some run of a segment is marked.
struct SegmentMarks {
  const int* segment_run_start;  // one more than segments
  const int* sum;                // marks before each run, one more than runs

  CAROM_HD bool any(int segment) const { return sum[segment_run_start[segment]] < sum[segment_run_start[segment + 1]]; }
};

// Marks runs of shapes with a pose that is not finite; such a shape touches nothing. Runs without shapes are marked by
// who placed those of their segment.
struct MarkShapes {
  const Run* run;
  const Box* box;
  int* mark;

  CAROM_HD void operator()(int r) const {
    static_assert(sizeof(Box) == 6 * sizeof(Real));
    const int first = run[r].first, end = run[r].end;
    if (first < end) mark[r] = !all_finite(&box[first].lower.x, 6 * (end - first));
  }
  CAROM_HD static bool all_finite(const Real* number, int count) {
    Real sum = 0;  // 0 x is 0 for every finite x
    int i = 0;
#if !defined(__CUDACC__)
    using L = Lanes<Real, kTierWidth<Real>>;
    L sums(0);
    for (; i + kTierWidth<Real> <= count; i += kTierWidth<Real>) sums += L::load(number + i) * L(0);
    if (!all(sums == L(0))) return false;
#endif
    for (; i < count; ++i) sum += number[i] * Real(0);
    return sum == Real(0);
  }
};

}  // namespace carom::inline CAROM_PRECISION
