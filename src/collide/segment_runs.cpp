#include "collide/segment_runs.h"

#include <algorithm>

namespace carom::inline CAROM_PRECISION {

SegmentRuns::SegmentRuns(const std::vector<Pieces>& segments, Device device) {
  std::vector<Run> run;
  std::vector<int> segment_run_start{0};
  for (const Pieces& pieces : segments) {
    const int segment = static_cast<int>(segment_run_start.size()) - 1;
    for (const auto& [first, end] : pieces) {
      if (first == kNothing) run.push_back({0, 0, segment});
      for (int at = first; at < end; at += kRunSize) run.push_back({at, std::min(at + kRunSize, end), segment});
    }
    segment_run_start.push_back(static_cast<int>(run.size()));
  }
  run_ = Array<Run>(std::span<const Run>(run), device);
  segment_run_start_ = Array<int>(std::span<const int>(segment_run_start), device);
  mark_ = Array<int>(count(), device);
  sum_ = Array<int>(count() + 1, device);
}

SegmentMarks SegmentRuns::sum_marks(const Queue& queue) {
  exclusive_scan(queue, mark_.view(), sum_.view(), scan_);
  return {segment_run_start_.data(), sum_.data()};
}

}  // namespace carom::inline CAROM_PRECISION
