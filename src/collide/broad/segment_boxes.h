// Pairs by a sweep or a tree over the boxes of each segment; on the CPU. Segments are spread over the queue's threads.
#pragma once

#include <vector>

#include "collide/broad/near.kernel.h"
#include "collide/broad/sap.h"
#include "collide/broad/sort_pairs.h"
#include "collide/broad/tree.h"
#include "collide/segments.h"

namespace carom::inline CAROM_PRECISION {

class SegmentBoxes {
 public:
  // Segments of up to `most_swept` members are swept, the others have trees. Returns false when there are more than
  // `most` pairs in the segments of one thread; then there is no result.
  bool find_pairs(const Queue& queue, const Segments& segments, const PairFilter& filter, const NearTest& near,
                  int most_swept, std::int64_t most);
  std::int64_t pair_count() const;
  // Pairs of shapes, sorted by segment and shape, and where those of each segment begin.
  void write_pairs(Index2* pair, int* segment_pair_start) const;

 private:
  // What one thread works with: a range of segments and their pairs.
  struct Part {
    int first_segment = 0, end_segment = 0;
    bool full = false;  // there were too many pairs
    std::vector<Box> boxes;
    BoxTree tree;
    BoxSweep sweep;
    PairSorter sorter;
    std::vector<IndexPair> pairs;
    std::vector<std::int64_t> segment_end;  // in `pairs`
  };
  struct Job;

  std::vector<Part> parts_;
};

}  // namespace carom::inline CAROM_PRECISION
