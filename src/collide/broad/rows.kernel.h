// Pairs row by row: a row is a member of a segment with the later members that it is near to. Run once to count and,
// after the counts were summed, once more to fill; rows are in order, so pairs come out sorted.
#pragma once

#include "collide/broad/near.kernel.h"
#include "collide/segments.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION {

// Members that the filters leave to a member, by archetype; worlds of an archetype share them. Members are counted from
// 0 in their segment.
struct PartnerLists {
  Span<const int> segment_list;   // list of each segment
  Span<const int> list_start;     // first row of each list
  Span<const int> partner_start;  // of each row
  Span<const int> partner;        // ascending
  // Room for a bit per partner of every member: first word of each. The pass that fills need not test again.
  Span<const int> word_start;
  std::uint64_t* word;
};

// Where pairs go; start == nullptr: they are only counted.
struct PairOutput {
  int* count;        // per member
  const int* start;  // per member
  Index2* pair;
};

// All later members of a segment, filtered on the way.
struct NearMembers {
  SegmentView segments;
  PairFilter filter;
  NearTest near;
  PairOutput out;

  CAROM_HD void operator()(int m) const {
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

// The members on the lists.
struct NearPartners {
  SegmentView segments;
  PartnerLists lists;
  NearTest near;
  PairOutput out;

  CAROM_HD void operator()(int m) const {
    const int segment = segments.segment[m], first = segments.start[segment];
    const int row = lists.list_start[lists.segment_list[segment]] + m - first;
    if (out.start) fill(m, first, row);
    else out.count[m] = test(m, first, row);
  }

  CAROM_HD int test(int m, int first, int row) const {
    const int a = segments.shape[m], begin = lists.partner_start[row], end = lists.partner_start[row + 1];
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

  CAROM_HD void fill(int m, int first, int row) const {
    const int a = segments.shape[m], begin = lists.partner_start[row], end = lists.partner_start[row + 1];
    const std::uint64_t* word = lists.word + lists.word_start[m];
    Index2* pair = out.pair + out.start[m];
    for (int from = begin; from < end; from += 64, ++word)
      for (std::uint64_t found = *word; found != 0; found &= found - 1)
        *pair++ = {a, segments.shape[first + lists.partner[from + lowest_bit(found)]]};
  }
};

// Where the pairs of each segment begin, from where those of its first member do.
struct StartOfSegments {
  Span<const int> segment_start;  // members
  Span<const int> member_start;   // pairs
  int* segment_pair_start;

  CAROM_HD void operator()(int segment) const { segment_pair_start[segment] = member_start[segment_start[segment]]; }
};

}  // namespace carom::inline CAROM_PRECISION
