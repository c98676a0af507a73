// Pairs row by row: a row is a member of a segment, or all members of a small one, with the later members that it is
// near to. Run once to count and, after the counts were summed, once more to fill; rows are in order, so pairs come out
// sorted. On the CPU the pass that counts also places the members of small segments.
#pragma once

#include "collide/broad/near.kernel.h"
#include "collide/broad/near_rows.kernel.h"
#include "collide/broad/near_worlds.kernel.h"
#include "collide/place_shapes.kernel.h"
#include "collide/segments.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION {

// Segments with so many members at most have a bit for each of them in a word; larger ones have lists.
inline constexpr int kMostInWord = 64;

// Members that the filters leave to a member, by archetype; worlds of an archetype share them. Members are counted from
// 0 in their segment.
struct PartnerLists {
  Span<const int> row_start;               // first member of each row, one more than rows
  Span<const int> segment_list;            // list of each segment
  Span<const int> list_start;              // first row of each list
  Span<const int> partner_start;           // of each row
  Span<const int> partner;                 // ascending
  Span<const std::uint64_t> partner_bits;  // of each row: the partners in a small segment, which has no list
  Span<const std::uint64_t> plane_bits;    // of each list: members of a small segment that are planes
  // On the CPU members of small segments are placed on the way. Of each list: those that are, all of them shapes with
  // ends on bodies of the world. Of each row: the body in its world, and a shape that has the numbers of this member in
  // all segments, or -1.
  Span<const std::uint64_t> placed_bits;
  Span<const int> placed_body, placed_like;
  // Room for what the pass that counts finds, so that the pass that fills need not test again: of members of small
  // segments that have partners one word, of those of others a bit per partner. First word of each.
  Span<const int> word_start;
  std::uint64_t* word;
};

// Where pairs go; start == nullptr: they are only counted.
struct PairOutput {
  int* count;        // per row
  const int* start;  // per row, and the end of the last
  Index2* pair;
  int room = 0;  // for pairs; rows that exceed it are left out

  CAROM_HD bool fits(int row) const { return start[row + 1] <= room; }
};

// All later members of a segment, filtered on the way.
struct NearMembers {
  SegmentView segments;
  PairFilter filter;
  NearTest near;
  PairOutput out;

  CAROM_HD void operator()(int m) const {
    if (out.start && !out.fits(m)) return;
    const int segment = segments.segment[m], end = segments.start[segment + 1], a = segments.shape[m];
    int n = 0;
    for (int other = m + 1; other < end; ++other) {
      const int b = segments.shape[other];
      if (!near(a, b) || !meet_in_segment(filter, segment, segments.world_count, a, b)) continue;
      if (out.start) out.pair[out.start[m] + n] = {a, b};
      ++n;
    }
    if (!out.start) out.count[m] = n;
  }
};

// How members of small segments are placed before they are tested.
struct PlacingOnTheWay {
  ShapePlacing shapes;
  bool keep_all;  // poses and boxes of all are kept; otherwise the poses of those that are near to something
  // 1 where something is not finite, 0 otherwise: the mark of each segment is the first of its runs.
  int* mark;
  const int* first_run;
  Span<const int> body_world_start;

  CAROM_HD void set_mark(int segment, bool finite) const { mark[first_run[segment]] = !finite; }
};

// The members on the lists. A row may have several members, of one segment, one after the other.
struct NearPartners {
  SegmentView segments;
  PartnerLists lists;
  NearTest near;
  PlacingOnTheWay placing;
  PairOutput out;

  CAROM_HD void operator()(int row) const {
    const int m = lists.row_start[row];
    const int segment = segments.segment[m], first = segments.start[segment];
    const bool small = segments.start[segment + 1] - first <= kMostInWord;
    if (out.start) {
      if (out.fits(row)) small ? fill_from_words(row, first) : fill(m, first, list_row(m), out.pair + out.start[row]);
    } else {
      out.count[row] = small ? test_words(row, first) : test(m, first, list_row(m));
    }
  }

  CAROM_HD int list_row(int m) const {
    const int segment = segments.segment[m];
    return lists.list_start[lists.segment_list[segment]] + m - segments.start[segment];
  }

  // Members of large segments have a row each.
  CAROM_HD int test(int m, int first, int list_row) const {
    const int a = segments.shape[m], begin = lists.partner_start[list_row], end = lists.partner_start[list_row + 1];
    std::uint64_t* word = lists.word + lists.word_start[m];
    int n = 0;
    for (int from = begin; from < end; from += 64, ++word) {
      const int bits = end - from < 64 ? end - from : 64;
      std::uint64_t found = 0;
      for (int i = 0; i < bits; ++i) {
        const int b = segments.shape[first + lists.partner[from + i]];
        const std::uint64_t is_near = near(a, b);
        found |= is_near << i;
        n += static_cast<int>(is_near);
      }
      *word = found;
    }
    return n;
  }
  CAROM_HD void fill(int m, int first, int list_row, Index2* pair) const {
    const int a = segments.shape[m], begin = lists.partner_start[list_row], end = lists.partner_start[list_row + 1];
    const std::uint64_t* word = lists.word + lists.word_start[m];
    for (int from = begin; from < end; from += 64, ++word)
      for (std::uint64_t found = *word; found != 0; found &= found - 1)
        *pair++ = {a, segments.shape[first + lists.partner[from + lowest_bit(found)]]};
  }

  CAROM_HD int test_words(int row, int first) const {
    const int begin = lists.row_start[row], end = lists.row_start[row + 1];
    const std::uint64_t* const partners = &lists.partner_bits[list_row(begin)];
    std::uint64_t* word = lists.word + lists.word_start[begin];
    int n = 0;
    for (int m = begin; m < end; ++m) {
      if (partners[m - begin] == 0) continue;
      const int a = segments.shape[m];
      std::uint64_t found = 0;
      for (std::uint64_t left = partners[m - begin]; left != 0; left &= left - 1) {
        if (!near(a, segments.shape[first + lowest_bit(left)])) continue;
        found |= left & -left;
        ++n;
      }
      *word++ = found;
    }
    return n;
  }
  CAROM_HD void fill_from_words(int row, int first) const {
    const int begin = lists.row_start[row], end = lists.row_start[row + 1];
    const std::uint64_t* const partners = &lists.partner_bits[list_row(begin)];
    const std::uint64_t* word = lists.word + lists.word_start[begin];
    Index2* pair = out.pair + out.start[row];
    for (int m = begin; m < end; ++m) {
      if (partners[m - begin] == 0) continue;
      for (std::uint64_t found = *word++; found != 0; found &= found - 1)
        *pair++ = {segments.shape[m], segments.shape[first + lowest_bit(found)]};
    }
  }

#if !defined(__CUDACC__)
  // Small segments, which have one row, side by side where as many as there are lanes have the same list; of those left
  // over the members.
  CAROM_HD void range(int begin, int end) const {
    for (int row = begin, next = row; row < end; row = next) {
      next = row + 1;
      const int m = lists.row_start[row], segment = segments.segment[m], members = lists.row_start[next] - m;
      if (out.start || segments.start[segment + 1] - segments.start[segment] > kMostInWord) {
        (*this)(row);
      } else if (is_group(row, end, segment)) {
        next = row + NearWorlds::kWidth;
        test_group(row, m, members, segment);
      } else {
        out.count[row] = test_alone(m, members, segment);
      }
    }
  }

  // Whether this and the next rows are small segments of one list.
  CAROM_HD bool is_group(int row, int end, int segment) const {
    constexpr int W = NearWorlds::kWidth;
    if (row + W > end || segment + W > segments.world_count) return false;
    for (int s = segment + 1; s < segment + W; ++s)
      if (lists.segment_list[s] != lists.segment_list[segment]) return false;
    return lists.row_start[row + W] == segments.start[segment + W];
  }
  CAROM_HD void test_group(int row, int first, int members, int segment) const {
    static_assert(kMostInWord == NearWorlds::kMost);
    const int list = lists.segment_list[segment];
    const int* shape[NearWorlds::kWidth];
    for (int l = 0; l < NearWorlds::kWidth; ++l) shape[l] = &segments.shape[first + l * members];
    NearWorlds worlds(near, shape, members);
    ShapePlacing::L pose[kMostInWord][7];
    const std::uint64_t placed = lists.placed_bits[list];
    for (int k = 0; k < members; ++k)
      if (!(placed >> k & 1)) worlds.load_box(k);
    if (placed != 0) place_members(shape, segment, worlds, pose);
    const std::uint64_t* const partners = &lists.partner_bits[lists.list_start[list]];
    worlds.test(partners, lists.plane_bits[list]);
    if (!placing.keep_all)
      each_bit(placed & worlds.in_pairs(),
               [&](int k) CAROM_HD_LAMBDA { placing.shapes.store_pose(shapes_of(shape, k).number, pose[k]); });
    std::uint64_t* word = lists.word + lists.word_start[first];
    for (int l = 0; l < NearWorlds::kWidth; ++l) {
      for (int k = 0; k < members; ++k)
        if (partners[k] != 0) *word++ = worlds.near(k, l);
      out.count[row + l] = worlds.count(l);
    }
  }

  struct LaneNumbers {
    int number[NearWorlds::kWidth];
  };
  CAROM_HD static LaneNumbers shapes_of(const int* const (&shape)[NearWorlds::kWidth], int k) {
    LaneNumbers lanes;
    for (int l = 0; l < NearWorlds::kWidth; ++l) lanes.number[l] = shape[l][k];
    return lanes;
  }

  CAROM_HD void place_members(const int* const (&shape)[NearWorlds::kWidth], int segment, NearWorlds& worlds,
                              ShapePlacing::L (&pose)[kMostInWord][7]) const {
    using L = ShapePlacing::L;
    const int list = lists.segment_list[segment], first_row = lists.list_start[list];
    L sum(0);  // 0 x is 0 for every finite x
    each_bit(lists.placed_bits[list], [&](int k) CAROM_HD_LAMBDA {
      const int same = lists.placed_like[first_row + k], body_in_world = lists.placed_body[first_row + k];
      LaneNumbers like, body;
      for (int l = 0; l < NearWorlds::kWidth; ++l) {
        like.number[l] = same < 0 ? shape[l][k] : same;
        body.number[l] = placing.body_world_start[segment + l] + body_in_world;
      }
      const auto [X, box] = placing.shapes.place_group(like.number, body.number);
      worlds.set_box(k, box);
      const Vec3T<L> nothing = box.lower * L(0) + box.upper * L(0);
      sum += nothing.x + nothing.y + nothing.z;
      for (int i = 0; i < 7; ++i) pose[k][i] = i < 3 ? X.p[i] : X.q[i - 3];
      if (!placing.keep_all) return;
      placing.shapes.store_pose(shapes_of(shape, k).number, pose[k]);
      placing.shapes.store_box(shapes_of(shape, k).number, box);
    });
    const auto finite = sum == L(0);
    for (int l = 0; l < NearWorlds::kWidth; ++l) placing.set_mark(segment + l, finite[l]);
  }

  CAROM_HD int test_alone(int first, int members, int segment) const {
    static_assert(kMostInWord == NearRows::kMost);
    const int list = lists.segment_list[segment];
    const std::uint64_t placed = lists.placed_bits[list];
    bool finite = true;
    each_bit(placed, [&](int k) CAROM_HD_LAMBDA {
      const int s = segments.shape[first + k];
      placing.shapes.place(s);
      const Box& box = placing.shapes.box[s];
      finite = finite && is_finite(box.lower) && is_finite(box.upper);
    });
    if (placed != 0) placing.set_mark(segment, finite);
    const NearRows rows(near, &segments.shape[first], members, lists.plane_bits[list]);
    const std::uint64_t* partners = &lists.partner_bits[lists.list_start[list]];
    std::uint64_t* word = lists.word + lists.word_start[first];
    int n = 0;
    for (int k = 0; k < members; ++k) {
      if (partners[k] == 0) continue;
      *word = rows.near(k, partners[k]);
      n += __builtin_popcountll(*word++);
    }
    return n;
  }
#endif
};

// Where the pairs of each segment begin, from where those of its first row do.
struct StartOfSegments {
  Span<const int> segment_start;  // rows
  const int* row_start;           // pairs
  int room;                       // for pairs
  int* segment_pair_start;

  CAROM_HD void operator()(int segment) const {
    const int start = row_start[segment_start[segment]];
    segment_pair_start[segment] = start < room ? start : room;
  }
};

}  // namespace carom::inline CAROM_PRECISION
