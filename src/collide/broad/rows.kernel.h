// Pairs row by row: a row is a member of a segment with the later members that it is near to. Run once to count and,
// after the counts were summed, once more to fill; rows are in order, so pairs come out sorted.
#pragma once

#include "collide/broad/near.kernel.h"
#include "collide/broad/near_rows.kernel.h"
#include "collide/segments.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION {

// Segments with so many members at most have a bit for each of them in a word; larger ones have lists.
inline constexpr int kMostInWord = 64;

// Members that the filters leave to a member, by archetype; worlds of an archetype share them. Members are counted from
// 0 in their segment.
struct PartnerLists {
  Span<const int> segment_list;            // list of each segment
  Span<const int> list_start;              // first row of each list
  Span<const int> partner_start;           // of each row
  Span<const int> partner;                 // ascending
  Span<const std::uint64_t> partner_bits;  // of each row: the partners in a small segment, which has no list
  Span<const std::uint64_t> plane_bits;    // of each list: members of a small segment that are planes
  // Room for what the pass that counts finds, so that the pass that fills need not test again: of members of small
  // segments one word, of others a bit per partner. First word of each.
  Span<const int> word_start;
  std::uint64_t* word;
};

// Where pairs go; start == nullptr: they are only counted.
struct PairOutput {
  int* count;        // per member
  const int* start;  // per member, and the end of the last
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

// The members on the lists.
struct NearPartners {
  SegmentView segments;
  PartnerLists lists;
  NearTest near;
  PairOutput out;

  CAROM_HD void operator()(int m) const {
    const int segment = segments.segment[m], first = segments.start[segment];
    const int row = lists.list_start[lists.segment_list[segment]] + m - first;
    const bool small = segments.start[segment + 1] - first <= kMostInWord;
    if (!out.start) out.count[m] = small ? test_word(m, first, row) : test(m, first, row);
    else if (out.fits(m)) small ? fill_from_word(m, first) : fill(m, first, row);
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

  CAROM_HD int test_word(int m, int first, int row) const {
    const int a = segments.shape[m];
    int n = 0;
    std::uint64_t found = 0;
    for (std::uint64_t left = lists.partner_bits[row]; left != 0; left &= left - 1) {
      if (!near(a, segments.shape[first + lowest_bit(left)])) continue;
      found |= left & -left;
      ++n;
    }
    lists.word[lists.word_start[m]] = found;
    return n;
  }
  CAROM_HD void fill_from_word(int m, int first) const {
    Index2* pair = out.pair + out.start[m];
    for (std::uint64_t found = lists.word[lists.word_start[m]]; found != 0; found &= found - 1)
      *pair++ = {segments.shape[m], segments.shape[first + lowest_bit(found)]};
  }

#if !defined(__CUDACC__)
  // Segment by segment; the members of small ones side by side.
  CAROM_HD void range(int begin, int end) const {
    for (int m = begin, next = m; m < end; m = next) {
      const int segment = segments.segment[m], first = segments.start[segment], last = segments.start[segment + 1];
      next = last < end ? last : end;
      if (last - first > kMostInWord) {
        for (; m < next; ++m) (*this)(m);
      } else if (out.start) {
        for (; m < next; ++m)
          if (out.fits(m)) fill_from_word(m, first);
      } else {
        test_words(segment, m, next);
      }
    }
  }

  CAROM_HD void test_words(int segment, int begin, int end) const {
    static_assert(kMostInWord == NearRows::kMost);
    const int first = segments.start[segment], list = lists.segment_list[segment];
    const int members = segments.start[segment + 1] - first;
    const NearRows rows(near, &segments.shape[first], members, lists.plane_bits[list]);
    const std::uint64_t* partners = &lists.partner_bits[lists.list_start[list]];
    std::uint64_t* word = lists.word + lists.word_start[begin];
    for (int m = begin; m < end; ++m) {
      const std::uint64_t found = rows.near(m - first, partners[m - first]);
      *word++ = found;
      out.count[m] = __builtin_popcountll(found);
    }
  }
#endif
};

// Where the pairs of each segment begin, from where those of its first member do.
struct StartOfSegments {
  Span<const int> segment_start;  // members
  const int* member_start;        // pairs
  int room;                       // for pairs
  int* segment_pair_start;

  CAROM_HD void operator()(int segment) const {
    const int start = member_start[segment_start[segment]];
    segment_pair_start[segment] = start < room ? start : room;
  }
};

}  // namespace carom::inline CAROM_PRECISION
