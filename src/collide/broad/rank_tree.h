// RankTree: a tree over the boxes of all segments that is built and walked by one thread a box; for GPUs.
//
// The boxes of a segment are sorted along a curve through their ranks and taken four by four, again and again (J. Qi,
// Y. Tao, Y. Chang, R. Zhang, "Theoretically Optimal and Empirically Efficient R-trees with Strong Parallelizability",
// VLDB 2018). Ranks along the axes, in place of coordinates, make clusters and boxes that went astray harmless, and
// need no bounds of the worlds. Segments stand one behind the other, so that one sort serves all; in a segment the
// larger boxes stand behind the smaller ones, where they widen no node of theirs.
#pragma once

#include <vector>

#include "backend/sort.h"
#include "collide/broad/rank_tree.kernel.h"

namespace carom::inline CAROM_PRECISION {

class RankTree {
 public:
  // `segment_start` is that of the view, on the host.
  RankTree(const SegmentView& segments, const std::vector<int>& segment_start, Device device);

  // From the boxes of the shapes.
  void build(const Queue& queue, const Box* shape_box);
  const RankTreeView& view() const { return view_; }

 private:
  void make_levels(int most, Device device);
  void sort(const Queue& queue, int key_bits);

  SegmentView segments_;
  int members_;
  int segment_bits_, dropped_bits_, code_bits_;
  Array<std::uint64_t> key_, code_;
  Array<int> member_;
  Array<Box> box_;  // of all levels
  SortScratch sort_;
  RankTreeView view_ = {};
};

}  // namespace carom::inline CAROM_PRECISION
