#include "collide/broad/rank_tree.h"

#include <algorithm>
#include <bit>

#include "backend/launch.h"
#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

int bits_of_numbers_below(int n) { return std::bit_width(static_cast<unsigned>(std::max(n - 1, 0))); }

}  // namespace

RankTree::RankTree(const SegmentView& segments, const std::vector<int>& segment_start, Device device)
    : segments_(segments), members_(segment_start.back()) {
  int most = 0;  // members of a segment
  for (std::size_t s = 1; s < segment_start.size(); ++s) most = std::max(most, segment_start[s] - segment_start[s - 1]);
  segment_bits_ = bits_of_numbers_below(static_cast<int>(segment_start.size()) - 1);
  const int rank_bits = bits_of_numbers_below(most);
  const int kept_bits = std::min(rank_bits, (64 - segment_bits_ - KeysOfLeaves::kClassBits) / 3);
  dropped_bits_ = rank_bits - kept_bits;
  code_bits_ = 3 * kept_bits;
  key_ = Array<std::uint64_t>(members_, device);
  code_ = Array<std::uint64_t>(members_, device);
  member_ = Array<int>(members_, device);
  make_levels(most, device);
}

// Nodes with more leaves than any segment has are of no use.
void RankTree::make_levels(int most, Device device) {
  std::vector<std::int64_t> level_start{0};
  for (std::int64_t size = members_; view_.levels < RankTreeView::kMaxLevels; size = (size + 3) / 4) {
    if (view_.levels > 0 && RankTreeView::leaves(view_.levels) > most) break;
    level_start.push_back(level_start.back() + size);
    ++view_.levels;
  }
  box_ = Array<Box>(level_start.back(), device);
  for (int l = 0; l < view_.levels; ++l) view_.level[l] = box_.data() + level_start[l];
  view_.member = member_.data();
}

void RankTree::build(const Queue& queue, const Box* shape_box) {
  for (int axis = 0; axis < 3; ++axis) {
    launch(queue, members_, KeysAlongAxis{segments_, shape_box, axis, key_.data(), member_.data()});
    sort(queue, segment_bits_ + 32);
    launch(queue, members_, CodesOfRanks{segments_, member_.data(), axis, dropped_bits_, code_.data()});
  }
  launch(queue, members_, KeysOfLeaves{segments_, shape_box, code_.data(), code_bits_, key_.data(), member_.data()});
  sort(queue, segment_bits_ + KeysOfLeaves::kClassBits + code_bits_);
  launch(queue, members_, BoxesOfLeaves{segments_.shape, member_.data(), shape_box, box_.data()});
  int size = members_;
  for (int l = 1; l < view_.levels; ++l) {
    const int nodes = (size + 3) / 4;
    launch(queue, nodes, BoxesOfNodes{view_.level[l - 1], size, view_.level[l]});
    size = nodes;
  }
}

void RankTree::sort(const Queue& queue, int key_bits) {
  sort_by_key(queue, {key_.data(), members_}, {member_.data(), members_}, sort_, key_bits);
}

}  // namespace carom::inline CAROM_PRECISION
