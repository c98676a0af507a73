// Kernels of RankTree (rank_tree.h): the places of boxes along a curve, the boxes of the nodes, and the walk.
#pragma once

#include <limits>

#include "backend/count.h"
#include "collide/broad/near.kernel.h"
#include "collide/broad/ordered.h"
#include "collide/segments.h"

namespace carom::inline CAROM_PRECISION {

// Keys that sort the members of each segment along an axis, by the centres of their boxes.
struct KeysAlongAxis {
  SegmentView segments;
  const Box* shape_box;
  int axis;
  std::uint64_t* key;
  int* member;

  CAROM_HD void operator()(int m) const {
    const Box& box = shape_box[segments.shape[m]];
    const Real center = box.lower[axis] * Real(0.5) + box.upper[axis] * Real(0.5);
    key[m] = static_cast<std::uint64_t>(segments.segment[m]) << 32 | ordered(center);
    member[m] = m;
  }
};

// Adds the rank of each member along an axis to its code: bits of the three ranks alternate (the Z-order curve).
struct CodesOfRanks {
  SegmentView segments;
  const int* member;  // sorted along the axis
  int axis;
  int dropped_bits;  // the lowest ones of a rank that the code has no room for
  std::uint64_t* code;

  CAROM_HD void operator()(int k) const {
    const int m = member[k], rank = (k - segments.start[segments.segment[m]]) >> dropped_bits;
    const std::uint64_t bits = spread(static_cast<std::uint64_t>(rank)) << axis;
    code[m] = axis == 0 ? bits : code[m] | bits;
  }

  // Bit k moves to bit 3 k, for 21 bits.
  CAROM_HD static std::uint64_t spread(std::uint64_t v) {
    v = (v | v << 32) & 0x001f00000000ffffull;
    v = (v | v << 16) & 0x001f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
  }
};

// Keys for the order of the leaves: segment, then how large the box is, then its place along the curve.
struct KeysOfLeaves {
  static constexpr int kClassBits = 6;

  SegmentView segments;
  const Box* shape_box;
  const std::uint64_t* code;
  int code_bits;
  std::uint64_t* key;
  int* member;

  CAROM_HD void operator()(int m) const {
    const std::uint64_t segment = segments.segment[m];
    key[m] = (segment << kClassBits | size_class(shape_box[segments.shape[m]])) << code_bits | code[m];
    member[m] = m;
  }

  // Boxes up to 16 times as large as others share a class; those without end are in the last one.
  CAROM_HD static std::uint64_t size_class(const Box& box) {
    const Real extent = largest_extent(box);
    return extent > 0 ? static_cast<std::uint64_t>(to_bits(static_cast<float>(extent))) >> 25 : 0;
  }
};

struct BoxesOfLeaves {
  Span<const int> shape;  // of each member
  const int* member;
  const Box* shape_box;
  Box* box;

  CAROM_HD void operator()(int k) const { box[k] = shape_box[shape[member[k]]]; }
};

// Boxes around those of up to four children; min and max leave out what is not a number.
struct BoxesOfNodes {
  const Box* child;
  int child_count;
  Box* box;

  CAROM_HD void operator()(int q) const {
    const int end = child_count < 4 * q + 4 ? child_count : 4 * q + 4;
    constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
    Box around = {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
    for (int c = 4 * q; c < end; ++c) around = {min(child[c].lower, around.lower), max(child[c].upper, around.upper)};
    box[q] = around;
  }
};

// Node q of a level has the nodes 4 q ... 4 q + 3 of the level below; those of level 0 are the boxes in order.
struct RankTreeView {
  static constexpr int kMaxLevels = 16;

  Box* level[kMaxLevels];
  int levels;
  const int* member;  // of each leaf

  // Calls visit(j) for the leaves j behind leaf i and before `end` whose boxes overlap that of i. From where it stands
  // the walk takes the largest node that begins there and does not reach beyond the end: it goes down in those that
  // overlap and past all others. So it needs no stack.
  template <class Visit>
  CAROM_HD void visit_later(int i, int end, const Visit& visit) const {
    const Box box = level[0][i];
    int at = i + 1, height = 0;
    while (at < end) {
      while (height + 1 < levels && begins_at(height + 1, at) && end - at >= leaves(height + 1)) ++height;
      while (end - at < leaves(height)) --height;
      bool hit = overlap(box, level[height][at >> 2 * height]);
      while (hit && height > 0) {
        --height;
        hit = overlap(box, level[height][at >> 2 * height]);
      }
      if (hit) visit(at);
      at += leaves(height);
    }
  }

  CAROM_HD static int leaves(int height) { return 1 << 2 * height; }  // below a node
  CAROM_HD static bool begins_at(int height, int leaf) { return (leaf & (leaves(height) - 1)) == 0; }
};

// Pairs of members, each found by its leaf that comes first: the smaller one, as a rule, so that no thread looks for
// all that touches the ground. Run once to count, once to fill, as in rows.kernel.h.
struct PairsInTree {
  struct Output {
    const int* start = nullptr;    // of each leaf, and the end of the last; nullptr: pairs are only counted
    std::uint64_t* key = nullptr;  // first member, second member: sorted, the order of the pairs
    int room = 0;                  // for keys; leaves whose pairs exceed it are left out
  };

  SegmentView segments;
  PairFilter filter;
  NearTest near;
  RankTreeView tree;
  int member_bits;
  int* count;  // of each leaf
  Output out = {};

  CAROM_HD void operator()(int leaf) const {
    if (out.start && out.start[leaf + 1] > out.room) return;
    const int m = tree.member[leaf], segment = segments.segment[m];
    int n = 0;
    tree.visit_later(leaf, segments.start[segment + 1], [&](int other_leaf) CAROM_HD_LAMBDA {
      const int other = tree.member[other_leaf], first = m < other ? m : other, second = m ^ other ^ first;
      const int a = segments.shape[first], b = segments.shape[second];
      if (near.is_above_plane(a, b) || near.is_above_plane(b, a)) return;
      if (!meet_in_segment(filter, segment, segments.world_count, a, b)) return;
      if (out.start)
        out.key[out.start[leaf] + n] = static_cast<std::uint64_t>(first) << member_bits | static_cast<unsigned>(second);
      ++n;
    });
    if (!out.start) count[leaf] = n;
  }
};

// Room without a pair is sorted to the end: no pair has these bits, since its members differ.
struct BlankKeys {
  Count pairs;
  std::uint64_t* key;

  CAROM_HD void operator()(int k) const {
    if (k >= pairs.size()) key[k] = ~std::uint64_t{0};
  }
};

struct PairsOfKeys {
  Span<const int> shape;  // of each member
  const std::uint64_t* key;
  int member_bits;
  Index2* pair;

  CAROM_HD void operator()(int k) const {
    const std::uint64_t mask = (std::uint64_t{1} << member_bits) - 1;
    pair[k] = {shape[key[k] >> member_bits & mask], shape[key[k] & mask]};
  }
};

}  // namespace carom::inline CAROM_PRECISION
