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
  Span<const int> row_segment;             // of each row
  Span<const int> segment_list;            // list of each segment
  Span<const int> list_start;              // first row of each list
  Span<const int> partner_start;           // of each row
  Span<const int> partner;                 // ascending
  Span<const std::uint64_t> partner_bits;  // of each row: the partners in a small segment, which has no list
  // Of each list: members of a small segment that have partners behind them, and those that are planes.
  Span<const std::uint64_t> first_bits, plane_bits;
  // On the CPU members of small segments are placed on the way. Of each list: those that are, all of them shapes with
  // ends on bodies of the world. Of each row: the body in its world, and a shape that has the numbers of this member in
  // all segments, or -1; of one that stands still also its pose.
  Span<const std::uint64_t> placed_bits;
  Span<const int> placed_body, like;
  // On the CPU, of each row: the first one behind it that is not a small segment of the same list.
  Span<const int> alike_end;
  // Room for what the pass that counts finds, so that the pass that fills need not test again: of members of small
  // segments that have partners one word, of those of others a bit per partner. First word of each row.
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
    const int segment = lists.row_segment[row], first = segments.start[segment];
    const bool small = segments.start[segment + 1] - first <= kMostInWord;
    if (out.start) {
      if (out.fits(row)) small ? fill_from_words(row, segment) : fill(row, segment);
    } else {
      out.count[row] = small ? test_words(row, segment) : test(row, segment);
    }
  }

  // Of the first member of a row.
  CAROM_HD int list_row(int row, int segment) const {
    return lists.list_start[lists.segment_list[segment]] + lists.row_start[row] - segments.start[segment];
  }

  // Members of large segments have a row each.
  CAROM_HD int test(int row, int segment) const {
    const int a = segments.shape[lists.row_start[row]], first = segments.start[segment], at = list_row(row, segment);
    const int begin = lists.partner_start[at], end = lists.partner_start[at + 1];
    std::uint64_t* word = lists.word + lists.word_start[row];
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
  CAROM_HD void fill(int row, int segment) const {
    const int a = segments.shape[lists.row_start[row]], first = segments.start[segment], at = list_row(row, segment);
    const int begin = lists.partner_start[at], end = lists.partner_start[at + 1];
    const std::uint64_t* word = lists.word + lists.word_start[row];
    Index2* pair = out.pair + out.start[row];
    for (int from = begin; from < end; from += 64, ++word)
      for (std::uint64_t found = *word; found != 0; found &= found - 1)
        *pair++ = {a, segments.shape[first + lists.partner[from + lowest_bit(found)]]};
  }

  CAROM_HD int test_words(int row, int segment) const {
    const int list = lists.segment_list[segment];
    const int* const shape = &segments.shape[segments.start[segment]];
    const std::uint64_t* const partners = &lists.partner_bits[lists.list_start[list]];
    std::uint64_t* word = lists.word + lists.word_start[row];
    int n = 0;
    each_bit(members_of(row, segment) & lists.first_bits[list], [&](int k) CAROM_HD_LAMBDA {
      std::uint64_t found = 0;
      each_bit(partners[k], [&](int other) CAROM_HD_LAMBDA {
        const std::uint64_t is_near = near(shape[k], shape[other]);
        found |= is_near << other;
        n += static_cast<int>(is_near);
      });
      *word++ = found;
    });
    return n;
  }
  CAROM_HD void fill_from_words(int row, int segment) const {
    const int* const shape = &segments.shape[segments.start[segment]];
    const std::uint64_t* word = lists.word + lists.word_start[row];
    Index2* pair = out.pair + out.start[row];
    each_bit(members_of(row, segment) & lists.first_bits[lists.segment_list[segment]], [&](int k) CAROM_HD_LAMBDA {
      for (std::uint64_t found = *word++; found != 0; found &= found - 1)
        *pair++ = {shape[k], shape[lowest_bit(found)]};
    });
  }
  // Of a row of a small segment, by bit.
  CAROM_HD std::uint64_t members_of(int row, int segment) const {
    const int begin = lists.row_start[row], members = lists.row_start[row + 1] - begin;
    return ~std::uint64_t{0} >> (64 - members) << (begin - segments.start[segment]);
  }

#if !defined(__CUDACC__)
  // Small segments, which have one row, side by side where as many as there are lanes have the same list; of those left
  // over the members.
  CAROM_HD void range(int begin, int end) const {
    for (int row = begin, next = row; row < end; row = next) {
      next = row + 1;
      const int alike_end = lists.alike_end[row] < end ? lists.alike_end[row] : end;
      if (lists.alike_end[row] == row) {
        (*this)(row);
      } else if (out.start) {
        next = alike_end;
        fill_alike(row, alike_end);
      } else if (row + NearWorlds::kWidth <= alike_end) {
        next = row + NearWorlds::kWidth;
        test_group(row);
      } else {
        out.count[row] = test_alone(row);
      }
    }
  }

  // As fill_from_words(), for small segments with one list. Copies that nothing written here can change stay in
  // registers.
  CAROM_HD void fill_alike(int row, int end) const {
    const std::uint64_t firsts = lists.first_bits[lists.segment_list[lists.row_segment[row]]];
    const PairOutput to = out;
    const int *const first_member = lists.row_start.data, *const first_word = lists.word_start.data;
    for (; row < end; ++row) {
      if (to.start[row] == to.start[row + 1] || !to.fits(row)) continue;
      const int* const shape = segments.shape.data + first_member[row];
      const std::uint64_t* word = lists.word + first_word[row];
      Index2* pair = to.pair + to.start[row];
      each_bit(firsts, [&](int k) CAROM_HD_LAMBDA {
        each_bit(*word++, [&](int other) CAROM_HD_LAMBDA { *pair++ = {shape[k], shape[other]}; });
      });
    }
  }

  CAROM_HD void test_group(int row) const {
    static_assert(kMostInWord == NearWorlds::kMost);
    constexpr int W = NearWorlds::kWidth;
    const int first = lists.row_start[row], members = lists.row_start[row + 1] - first;
    const int segment = lists.row_segment[row], list = lists.segment_list[segment];
    const int* shape[W];
    for (int l = 0; l < W; ++l) shape[l] = &segments.shape[first + l * members];
    NearWorlds worlds(near, shape, &lists.like[lists.list_start[list]], members);
    ShapePlacing::L pose[kMostInWord][7];
    const std::uint64_t placed = lists.placed_bits[list];
    each_bit(members_of(row, segment) & ~placed, [&](int k) CAROM_HD_LAMBDA { worlds.load_box(k); });
    if (placed != 0) place_members(shape, row, worlds, pose);
    worlds.test(&lists.partner_bits[lists.list_start[list]], lists.first_bits[list], lists.plane_bits[list]);
    const std::uint64_t in_pairs = write_words(row, lists.first_bits[list], worlds);
    if (placing.keep_all) return;
    each_bit(placed & in_pairs,
             [&](int k) CAROM_HD_LAMBDA { placing.shapes.store_pose(shapes_of(shape, k).number, pose[k]); });
  }

  // What was found for a group of rows. Returns the members that are near to another in some segment, by bit.
  CAROM_HD std::uint64_t write_words(int row, std::uint64_t firsts, const NearWorlds& worlds) const {
    constexpr int W = NearWorlds::kWidth;
    std::uint64_t* word[W];
    for (int l = 0; l < W; ++l) {
      word[l] = lists.word + lists.word_start[row + l];
      out.count[row + l] = worlds.count(l);
    }
    std::uint64_t in_pairs = 0;
    each_bit(firsts, [&](int k) CAROM_HD_LAMBDA {
      std::uint64_t any = 0;
      for (int l = 0; l < W; ++l) any |= *word[l]++ = worlds.near(k, l);
      in_pairs |= any | std::uint64_t{any != 0} << k;
    });
    return in_pairs;
  }

  struct LaneNumbers {
    int number[NearWorlds::kWidth];
  };
  CAROM_HD static LaneNumbers shapes_of(const int* const (&shape)[NearWorlds::kWidth], int k) {
    LaneNumbers lanes;
    for (int l = 0; l < NearWorlds::kWidth; ++l) lanes.number[l] = shape[l][k];
    return lanes;
  }

  CAROM_HD void place_members(const int* const (&shape)[NearWorlds::kWidth], int row, NearWorlds& worlds,
                              ShapePlacing::L (&pose)[kMostInWord][7]) const {
    using L = ShapePlacing::L;
    const int list = lists.segment_list[lists.row_segment[row]], first_row = lists.list_start[list];
    int first_body[NearWorlds::kWidth];
    for (int l = 0; l < NearWorlds::kWidth; ++l) first_body[l] = placing.body_world_start[lists.row_segment[row + l]];
    L sum(0);  // 0 x is 0 for every finite x
    each_bit(lists.placed_bits[list], [&](int k) CAROM_HD_LAMBDA {
      const int same = lists.like[first_row + k], body = lists.placed_body[first_row + k];
      const auto [X, box] = same >= 0 ? placing.shapes.place_group(same, first_body, body)
                                      : placing.shapes.place_group(shapes_of(shape, k).number, first_body, body);
      worlds.set_box(k, box);
      const Vec3T<L> nothing = box.lower * L(0) + box.upper * L(0);
      sum += nothing.x + nothing.y + nothing.z;
      for (int i = 0; i < 7; ++i) pose[k][i] = i < 3 ? X.p[i] : X.q[i - 3];
      if (!placing.keep_all) return;
      placing.shapes.store_pose(shapes_of(shape, k).number, pose[k]);
      placing.shapes.store_box(shapes_of(shape, k).number, box);
    });
    const auto finite = sum == L(0);
    for (int l = 0; l < NearWorlds::kWidth; ++l) placing.set_mark(lists.row_segment[row + l], finite[l]);
  }

  CAROM_HD int test_alone(int row) const {
    static_assert(kMostInWord == NearRows::kMost);
    const int first = lists.row_start[row], members = lists.row_start[row + 1] - first;
    const int segment = lists.row_segment[row], list = lists.segment_list[segment];
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
    std::uint64_t* word = lists.word + lists.word_start[row];
    int n = 0;
    each_bit(lists.first_bits[list], [&](int k) CAROM_HD_LAMBDA {
      *word = rows.near(k, partners[k]);
      n += __builtin_popcountll(*word++);
    });
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
