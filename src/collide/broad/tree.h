// BoxTree: which boxes overlap, by a tree of boxes that is built anew for every set.
//
// The boxes are sorted along a Hilbert curve and taken four by four, again and again, up to the root (a packed Hilbert
// R-tree: I. Kamel and C. Faloutsos, "On Packing R-trees", CIKM 1993). So the tree is nothing but arrays: node q of a
// level has the nodes 4 q ... 4 q + 3 of the level below, and nodes of level 0 hold the boxes. Two things keep it good
// for any input: cells of the curve with many boxes are sorted again on a finer scale, and boxes much larger than most
// stand apart from the others, where they widen no node but their own.
// Pairs are found by descending into pairs of nodes that overlap, beginning with the root beside itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "carom/array.h"
#include "collide/broad/box_quad.h"

namespace carom::inline CAROM_PRECISION {

class BoxTree {
 public:
  // Memory is kept from call to call; a build of no more boxes than some build before allocates nothing.
  void build(Span<const Box> boxes);

  // Calls visit(i, j), i < j, once for each pair of boxes that overlap, always in the same order.
  template <class Visit>
  void self_pairs(Visit&& visit) const {
    self_pairs_of_part(0, 1, visit);
  }

  // The same in parts for several threads: together the parts 0 ... parts - 1 visit each pair once.
  template <class Visit>
  void self_pairs_of_part(int part, int parts, Visit&& visit) const;

  // Calls visit(i, j) once for each box i of this tree and box j of the other one that overlap.
  template <class Visit>
  void pairs_with(const BoxTree& other, Visit&& visit) const;

  // Calls visit(i) once for each box that overlaps this one.
  template <class Visit>
  void query(const Box& box, Visit&& visit) const;

 private:
  static constexpr int kMaxLevels = 16;                                  // 4^16 boxes
  static constexpr int kStackSize = kMaxLevels * (BoxQuad::kBoxes * 4);  // a step adds at most sixteen pairs

  struct Range {
    std::uint32_t begin, end;
  };
  struct NodePair {
    std::uint32_t a, b;
    int level;
  };

  void sort_boxes(Span<const Box> boxes);
  void sort_range(Span<const Box> boxes, Range range, Real large);
  void add_long_runs(Range range);
  void fill_leaves(Span<const Box> boxes);
  void fill_level(int level);
  int part_level(int parts) const;

  // Above the root stand nodes whose first box is the whole tree, so that trees of different heights go together.
  const BoxQuad& node(int level, std::uint32_t q) const {
    return level < levels_ ? nodes_[level_start_[level] + q] : crown_;
  }

  std::vector<BoxQuad> nodes_;                 // level by level, leaves first
  std::vector<int> index_;                     // of each box in the leaves
  std::vector<std::uint64_t> keys_, scratch_;  // place along the curve << 32 | index
  std::vector<Range> long_runs_;               // to be sorted again
  std::int64_t level_start_[kMaxLevels] = {};
  std::uint32_t level_size_[kMaxLevels] = {};
  int levels_ = 0;  // none without boxes, else at least two: leaves and a root
  BoxQuad crown_ = {};
};

template <class Visit>
void BoxTree::self_pairs_of_part(int part, int parts, Visit&& visit) const {
  if (levels_ == 0) return;
  const int split = part_level(parts);
  const auto belongs_elsewhere = [&](const NodePair& pair) {
    return pair.level == split && std::int64_t(pair.a) * parts / level_size_[split] != part;
  };
  const auto visit_leaves = [&](std::uint32_t a, std::uint32_t b) CAROM_HD_LAMBDA {
    const std::uint32_t each_once = a == b ? kQuadPairsOnce : 0xffff;
    each_bit(overlap_mask(nodes_[a], nodes_[b]) & each_once, [&](int bit) CAROM_HD_LAMBDA {
      const QuadHit hit = quad_hit(bit);
      const int i = index_[4 * a + hit.a], j = index_[4 * b + hit.b], first = std::min(i, j);
      visit(first, i ^ j ^ first);  // not max(i, j): compilers make a branch of the two, which is guessed wrong
    });
  };
  NodePair stack[kStackSize];
  int depth = 0;
  stack[depth++] = {0, 0, levels_ - 1};
  while (depth > 0) {
    const NodePair pair = stack[--depth];
    if (belongs_elsewhere(pair)) continue;
    const BoxQuad* nodes = &nodes_[level_start_[pair.level]];
    const bool same = pair.a == pair.b;
    const std::uint32_t hits = overlap_mask(nodes[pair.a], nodes[pair.b]);
    const auto descend = [&](const auto& into) CAROM_HD_LAMBDA {
      each_bit(hits & (same ? kQuadPairsOnce : 0xffff), [&](int bit) CAROM_HD_LAMBDA {
        const QuadHit hit = quad_hit(bit);
        into(4 * pair.a + hit.a, 4 * pair.b + hit.b);
      });
      if (!same) return;
      const std::uint32_t end = std::min(4 * pair.a + 4, level_size_[pair.level - 1]);
      for (std::uint32_t child = 4 * pair.a; child < end; ++child) into(child, child);
    };
    if (pair.level == 1) descend(visit_leaves);
    else descend([&](std::uint32_t a, std::uint32_t b) { stack[depth++] = {a, b, pair.level - 1}; });
  }
}

template <class Visit>
void BoxTree::pairs_with(const BoxTree& other, Visit&& visit) const {
  if (levels_ == 0 || other.levels_ == 0) return;
  NodePair stack[kStackSize];
  int depth = 0;
  stack[depth++] = {0, 0, std::max(levels_, other.levels_) - 1};
  while (depth > 0) {
    const NodePair pair = stack[--depth];
    each_bit(overlap_mask(node(pair.level, pair.a), other.node(pair.level, pair.b)), [&](int bit) {
      const QuadHit hit = quad_hit(bit);
      const std::uint32_t a = 4 * pair.a + hit.a, b = 4 * pair.b + hit.b;
      if (pair.level == 0) visit(index_[a], other.index_[b]);
      else stack[depth++] = {a, b, pair.level - 1};
    });
  }
}

template <class Visit>
void BoxTree::query(const Box& box, Visit&& visit) const {
  if (levels_ == 0) return;
  struct Node {
    std::uint32_t q;
    int level;
  };
  Node stack[kStackSize];
  int depth = 0;
  stack[depth++] = {0, levels_ - 1};
  while (depth > 0) {
    const Node top = stack[--depth];
    each_bit(overlap_mask(box, node(top.level, top.q)), [&](int lane) {
      const std::uint32_t child = 4 * top.q + lane;
      if (top.level == 0) visit(index_[child]);
      else stack[depth++] = {child, top.level - 1};
    });
  }
}

}  // namespace carom::inline CAROM_PRECISION
