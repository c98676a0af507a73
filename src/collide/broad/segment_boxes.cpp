#include "collide/broad/segment_boxes.h"

#include <algorithm>

#include "backend/launch.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct TooManyPairs {};  // leaves a traversal, and never a thread

}  // namespace

// The work of a call, as the threads see it.
struct SegmentBoxes::Job {
  std::vector<Part>& parts;
  const Segments& segments;
  const PairFilter& filter;
  const NearTest& near;
  int most_swept;
  std::int64_t most;

  static void run(const void* job, int begin, int end) {
    const Job& self = *static_cast<const Job*>(job);
    for (int p = begin; p < end; ++p) self.find(self.parts[p]);
  }

  void find(Part& part) const {
    part.pairs.clear();
    part.segment_end.clear();
    part.full = false;
    try {
      for (int segment = part.first_segment; segment < part.end_segment; ++segment) {
        find_in_segment(part, segment);
        part.segment_end.push_back(static_cast<std::int64_t>(part.pairs.size()));
      }
    } catch (const TooManyPairs&) {
      part.full = true;
    }
  }

  void find_in_segment(Part& part, int segment) const {
    const int first = segments.start[segment], end = segments.start[segment + 1];
    part.boxes.clear();
    for (int m = first; m < end; ++m) part.boxes.push_back(near.box[segments.shape[m]]);
    const Span<const Box> boxes{part.boxes.data(), static_cast<std::int64_t>(part.boxes.size())};
    const std::size_t before = part.pairs.size();
    const auto add = [&](int i, int j) {
      const int a = segments.shape[first + i], b = segments.shape[first + j];
      if (!near.is_above_plane(a, b) && !near.is_above_plane(b, a) &&
          meet_in_segment(filter, segment, segments.view.world_count, a, b))
        part.pairs.push_back({a, b});
      if (static_cast<std::int64_t>(part.pairs.size()) > most) throw TooManyPairs{};
    };
    if (end - first <= most_swept) {
      part.sweep.build(boxes);
      part.sweep.self_pairs(add);
    } else {
      part.tree.build(boxes);
      part.tree.self_pairs(add);
    }
    part.sorter.sort({part.pairs.data() + before, static_cast<std::int64_t>(part.pairs.size() - before)});
  }
};

bool SegmentBoxes::find_pairs(const Queue& queue, const Segments& segments, const PairFilter& filter,
                              const NearTest& near, int most_swept, std::int64_t most) {
  const int count = segments.view.count();
  const int parts = std::clamp(count / 8, 1, 64);
  if (static_cast<int>(parts_.size()) != parts) parts_ = std::vector<Part>(parts);
  for (int p = 0; p < parts; ++p) {
    parts_[p].first_segment = static_cast<int>(std::int64_t{count} * p / parts);
    parts_[p].end_segment = static_cast<int>(std::int64_t{count} * (p + 1) / parts);
  }
  const Job job{parts_, segments, filter, near, most_swept, most};
  run_on_threads(queue, {&Job::run, &job, parts});
  return std::none_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.full; });
}

std::int64_t SegmentBoxes::pair_count() const {
  std::int64_t total = 0;
  for (const Part& part : parts_) total += static_cast<std::int64_t>(part.pairs.size());
  return total;
}

void SegmentBoxes::write_pairs(Index2* pair, int* segment_pair_start) const {
  int at = 0;
  segment_pair_start[0] = 0;
  for (const Part& part : parts_) {
    for (int s = part.first_segment; s < part.end_segment; ++s)
      segment_pair_start[s + 1] = at + static_cast<int>(part.segment_end[s - part.first_segment]);
    for (const IndexPair& p : part.pairs) pair[at++] = {p.i, p.j};
  }
}

}  // namespace carom::inline CAROM_PRECISION
