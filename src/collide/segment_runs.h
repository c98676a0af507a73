// SegmentRuns: the things of each segment in runs, worked out once, and marks of the runs (see not_finite.kernel.h).
#pragma once

#include <utility>
#include <vector>

#include "backend/scan.h"
#include "carom/model.h"
#include "collide/not_finite.kernel.h"

namespace carom::inline CAROM_PRECISION {

class SegmentRuns {
 public:
  // Ranges [first, end) of things for every segment: consecutive, or in pieces. One that begins with kNothing is a run
  // without things.
  static constexpr int kNothing = -1;
  using Pieces = std::vector<std::pair<int, int>>;
  SegmentRuns(const std::vector<Pieces>& segments, Device device);

  int count() const { return static_cast<int>(run_.size()); }
  const Array<Run>& runs() const { return run_; }
  // A kernel writes 0 or 1 for each run, then they are summed up.
  int* marks() const { return mark_.data(); }
  const int* first_run() const { return segment_run_start_.data(); }  // of each segment
  SegmentMarks sum_marks(const Queue& queue);

 private:
  Array<Run> run_;
  Array<int> segment_run_start_, mark_, sum_;
  ScanScratch scan_;
};

}  // namespace carom::inline CAROM_PRECISION
