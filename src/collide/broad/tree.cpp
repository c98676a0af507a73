#include "collide/broad/tree.h"

#include <array>

#include "carom/geometry.h"
#include "collide/broad/hilbert.h"
#include "collide/broad/radix_sort.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr int kCells = 1 << HilbertCurve::kBits;  // along each axis
constexpr std::uint32_t kLongestRun = 32;         // of boxes in one cell that are left as they come
constexpr int kSamples = 255;                     // of the boxes' sizes
constexpr Real kLarge = 4;                        // times the usual size; then again and again

// Twice the centre: what is sorted by needs no more.
Vec3 twice_center(const Box& box) { return box.lower + box.upper; }

// 0 for sizes up to `large`, 3 for the largest.
std::uint32_t size_class(Real size, Real large) {
  if (!(size > large)) return 0;
  return 1 + std::uint32_t(size > 8 * large) + std::uint32_t(size > 64 * large);
}

// Cells of a cube that holds the centres. What lies outside, or nowhere, goes into a cell at the border.
struct CurveCells {
  Vec3 origin;
  Real scale;

  std::uint32_t place(Vec3 center) const {
    const auto cell = [](Real a) { return std::uint32_t(std::int32_t(clamp(a, Real(0), Real(kCells - 1)))); };
    const Vec3 p = (center - origin) * scale;
    return HilbertCurve::place(cell(p.x), cell(p.y), cell(p.z));
  }
};

}  // namespace

void BoxTree::build(Span<const Box> boxes) {
  keys_.resize(boxes.size);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < boxes.size; ++i) {
    keys_[count] = i;
    count += !has_nan(boxes[i]);
  }
  keys_.resize(count);
  scratch_.resize(count);
  long_runs_.reserve(count / kLongestRun + 1);
  levels_ = 0;
  std::int64_t total = 0;
  for (std::int64_t size = count; size > 1 || (size == 1 && levels_ < 2);) {
    size = (size + 3) / 4;
    level_start_[levels_] = total;
    level_size_[levels_++] = std::uint32_t(size);
    total += size;
  }
  nodes_.resize(total);
  index_.resize(4 * (levels_ > 0 ? level_size_[0] : 0));
  if (levels_ == 0) return;
  sort_boxes(boxes);
  fill_leaves(boxes);
  for (int level = 1; level < levels_; ++level) fill_level(level);
  for (int lane = 0; lane < BoxQuad::kBoxes; ++lane) crown_.clear(lane);
  crown_.set(0, nodes_[level_start_[levels_ - 1]].bounds());
}

// Orders keys_, the low half of which are the boxes' indices.
void BoxTree::sort_boxes(Span<const Box> boxes) {
  const std::int64_t count = std::int64_t(keys_.size());
  std::array<Real, kSamples> sizes;
  const int samples = int(std::min<std::int64_t>(count, kSamples));
  for (int s = 0; s < samples; ++s) sizes[s] = max(largest_extent(boxes[keys_[s * count / samples]]), Real(0));
  std::nth_element(sizes.begin(), sizes.begin() + samples / 2, sizes.begin() + samples);

  long_runs_.clear();
  sort_range(boxes, {0, std::uint32_t(count)}, kLarge * sizes[samples / 2]);
  while (!long_runs_.empty()) {
    const Range run = long_runs_.back();
    long_runs_.pop_back();
    sort_range(boxes, run, std::numeric_limits<Real>::infinity());
  }
}

// Sorts by size class, then along the curve through the centres of those that are not large.
void BoxTree::sort_range(Span<const Box> boxes, Range range, Real large) {
  constexpr Real inf = std::numeric_limits<Real>::infinity();
  Vec3 lowest{inf, inf, inf}, highest{-inf, -inf, -inf};
  for (std::uint32_t k = range.begin; k < range.end; ++k) {
    const Box& box = boxes[std::uint32_t(keys_[k])];
    if (largest_extent(box) > large) continue;
    const Vec3 center = twice_center(box);
    for (int axis = 0; axis < 3; ++axis) {  // the limits keep the cube finite, whatever the boxes are
      const Real limited = clamp(center[axis], -2 * kUnbounded, 2 * kUnbounded);
      lowest[axis] = min(limited, lowest[axis]);
      highest[axis] = max(limited, highest[axis]);
    }
  }
  const Vec3 extent = highest - lowest;
  const Real longest = max(extent.x, max(extent.y, extent.z));
  if (!(longest > 0)) return;
  const CurveCells cells = {lowest, kCells / longest};
  for (std::uint32_t k = range.begin; k < range.end; ++k) {
    const std::uint32_t i = std::uint32_t(keys_[k]);
    const std::uint64_t place = cells.place(twice_center(boxes[i])) | size_class(largest_extent(boxes[i]), large) << 30;
    keys_[k] = place << 32 | i;
  }
  const std::int64_t count = range.end - range.begin;
  radix_sort({&keys_[range.begin], count}, {&scratch_[range.begin], count}, 32, 64);
  add_long_runs(range);
}

void BoxTree::add_long_runs(Range range) {
  const auto place = [&](std::uint32_t k) { return keys_[k] >> 32; };
  for (std::uint32_t begin = range.begin; begin < range.end;) {
    std::uint32_t end = begin + 1;
    while (end < range.end && place(end) == place(begin)) ++end;
    if (end - begin > kLongestRun) long_runs_.push_back({begin, end});
    begin = end;
  }
}

void BoxTree::fill_leaves(Span<const Box> boxes) {
  constexpr std::uint32_t kAhead = 16;  // boxes asked for before they are needed
  const std::uint32_t count = std::uint32_t(keys_.size());
  for (std::uint32_t k = 0; k < count; ++k) {
    if (k + kAhead < count) __builtin_prefetch(&boxes[std::uint32_t(keys_[k + kAhead])]);
    index_[k] = int(std::uint32_t(keys_[k]));
    nodes_[k / 4].set(k % 4, boxes[index_[k]]);
  }
  for (std::uint32_t k = count; k < 4 * level_size_[0]; ++k) {
    index_[k] = -1;
    nodes_[k / 4].clear(k % 4);
  }
}

void BoxTree::fill_level(int level) {
  const BoxQuad* below = &nodes_[level_start_[level - 1]];
  BoxQuad* nodes = &nodes_[level_start_[level]];
  const std::uint32_t count = level_size_[level - 1];
  for (std::uint32_t k = 0; k < count; ++k) nodes[k / 4].set(k % 4, below[k].bounds());
  for (std::uint32_t k = count; k < 4 * level_size_[level]; ++k) nodes[k / 4].clear(k % 4);
}

// The level whose nodes are dealt out to parts: the highest one with enough of them to make the parts alike.
int BoxTree::part_level(int parts) const {
  constexpr std::int64_t kNodesPerPart = 16;
  if (parts == 1) return -1;
  int level = levels_ - 1;
  while (level > 1 && level_size_[level] < kNodesPerPart * parts) --level;
  return level;
}

}  // namespace carom::inline CAROM_PRECISION
