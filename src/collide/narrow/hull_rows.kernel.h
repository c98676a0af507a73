// Rows of a hull's numbers, several at a time: side by side in a vector register on the CPU, one by one on CUDA, with
// the same results for every width.
#pragma once

#include <cstdint>
#include <limits>

#include "backend/world_lanes.h"
#include "geometry/shape_view.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

#if defined(__CUDACC__)

using HullRow = Real;
inline constexpr int kRowWidth = 1, kRowsAtOnce = 1;
CAROM_HD HullRow load_row(const Real* from) { return *from; }
CAROM_HD void store_row(HullRow row, Real* to) { *to = row; }
CAROM_HD std::uint64_t bits_of(const bool (&mask)[kRowsAtOnce]) { return mask[0]; }
CAROM_HD HullRow greater(HullRow a, HullRow b) { return max(a, b); }
CAROM_HD Real greatest(HullRow row) { return row + Real(0); }
CAROM_HD HullRow places_in_row() { return Real(0); }

// Writes `first` plus the number of each bit that is set, and returns how many that are; room for kHullRow is needed.
CAROM_HD int write_places(std::uint64_t bits, int first, std::uint8_t* to) {
  *to = std::uint8_t(first);
  return static_cast<int>(bits);
}
// The same place, kHullRow times.
CAROM_HD void fill_places(std::uint8_t place, std::uint8_t* to) { *to = place; }

// The first N numbers of the structs at a row of places, `stride` numbers apart.
template <int N>
CAROM_HD void load_places(const Real* base, int stride, const std::uint8_t* place, HullRow (&out)[N]) {
  load_rows(base, std::int64_t{*place} * stride, out);
}

#else

// One register of the tier: GCC 12 takes wider vectors apart in memory. Bits are looked up for kHullRow entries, which
// are one row or several.
inline constexpr int kRowWidth = kTierWidth<Real> < kHullRow ? kTierWidth<Real> : kHullRow;
inline constexpr int kRowsAtOnce = kHullRow / kRowWidth;
using HullRow = Lanes<Real, kRowWidth>;
CAROM_HD HullRow load_row(const Real* from) { return HullRow::load(from); }
CAROM_HD void store_row(HullRow row, Real* to) { row.store(to); }
CAROM_HD HullRow places_in_row() {
  Real place[kRowWidth];
  for (int l = 0; l < kRowWidth; ++l) place[l] = Real(l);
  return HullRow::load(place);
}

// For every set of eight bits the numbers of those that are set, one to a byte, and how many they are. Looked up, since
// a loop over bits that nobody can foretell stalls the processor at every row.
struct BitPlaces {
  std::uint64_t of[256] = {};
  std::uint8_t count[256] = {};

  constexpr BitPlaces() {
    for (int bits = 0; bits < 256; ++bits) {
      for (int b = 0; b < 8; ++b) {
        if (bits >> b & 1) of[bits] |= std::uint64_t(b) << 8 * count[bits]++;
      }
    }
  }
};
inline constexpr BitPlaces kBitPlaces;

inline constexpr std::uint64_t kEveryByte = 0x0101010101010101;
CAROM_HD int write_places(std::uint64_t bits, int first, std::uint8_t* to) {
  static_assert(kHullRow == 8);
  const std::uint64_t places = kBitPlaces.of[bits] + std::uint64_t(first) * kEveryByte;
  __builtin_memcpy(to, &places, 8);
  return kBitPlaces.count[bits];
}
CAROM_HD void fill_places(std::uint8_t place, std::uint8_t* to) {
  const std::uint64_t places = place * kEveryByte;
  __builtin_memcpy(to, &places, 8);
}

struct LanePlaces {
  const std::uint8_t* place;
  int stride;

  CAROM_HD std::int64_t operator[](int lane) const { return std::int64_t{place[lane]} * stride; }
  CAROM_HD LanePlaces operator+(int lanes) const { return {place + lanes, stride}; }
};
template <int N>
CAROM_HD void load_places(const Real* base, int stride, const std::uint8_t* place, HullRow (&out)[N]) {
  load_rows_at(base, LanePlaces{place, stride}, out);
}

#endif

// So many or more, in whole steps.
CAROM_HD int whole(int entries, int step) { return (entries + step - 1) / step * step; }

// Entries whose tests become bits at once.
inline constexpr int kEntriesAtOnce = kRowWidth * kRowsAtOnce;

// Bit i is what test(first), test(first + kRowWidth) ... say of entry first + i.
template <class Test>
CAROM_HD std::uint64_t test_entries(int first, const Test& test) {
  MaskOf<HullRow> mask[kRowsAtOnce];
  CAROM_UNROLL
  for (int k = 0; k < kRowsAtOnce; ++k) mask[k] = test(first + k * kRowWidth);
  return bits_of(mask);
}

using Row3 = Vec3T<HullRow>;
CAROM_HD Row3 row3_of(Vec3 v) { return {HullRow(v.x), HullRow(v.y), HullRow(v.z)}; }
CAROM_HD Row3 load_row3(const Real* from, int stride) {
  return {load_row(from), load_row(from + stride), load_row(from + 2 * stride)};
}

// The greatest of many numbers and its place, which is less than kMostEntries; of equal ones the first.
inline constexpr Real kMostEntries = 1 << 24;
struct GreatestInRows {
  HullRow value = HullRow(-std::numeric_limits<Real>::max());
  HullRow place_of_value = places_in_row(), next_place = place_of_value;

  // The rows one after the other.
  CAROM_HD void look_at(HullRow numbers) {
    const auto better = numbers > value;
    value = select(better, numbers, value);
    place_of_value = select(better, next_place, place_of_value);
    next_place += HullRow(Real(kRowWidth));
  }
  CAROM_HD int place() const {
    const HullRow none(-kMostEntries);
    return static_cast<int>(-greatest(select(value == HullRow(greatest(value)), -place_of_value, none)));
  }
};

// Of `count` vectors, whose x, y and z stand `stride` apart, the one that reaches farthest along d; of equal ones the
// first.
CAROM_HD int farthest_of_rows(const Real* x, int stride, int count, Vec3 d) {
  const Row3 direction = row3_of(d);
  GreatestInRows greatest;
  for (int i = 0; i < count; i += kRowWidth) greatest.look_at(dot(load_row3(x + i, stride), direction));
  return greatest.place();
}
CAROM_HD_LARGE int farthest_vertex(const HullView& hull, Vec3 d) {
  return farthest_of_rows(hull.rows.vertex, hull.rows.vertex_stride, hull.vertex_count, d);
}

// The vertices that reach along the unit vector n as far as the farthest one but for `band`, by bit; of a hull that
// has no more than kMostBits.
inline constexpr int kMostBits = 64;
CAROM_HD std::uint64_t vertices_at_top(const HullView& hull, Vec3 n, Real band) {
  const HullRows& rows = hull.rows;
  const Row3 direction = row3_of(n);
  Real height[kMostBits];
  HullRow highest(-std::numeric_limits<Real>::max());
  const int padded = whole(hull.vertex_count, kEntriesAtOnce);
  for (int v = 0; v < padded; v += kRowWidth) {
    const HullRow row = dot(load_row3(rows.vertex + v, rows.vertex_stride), direction);
    store_row(row, height + v);
    highest = greater(highest, row);
  }
  const HullRow least(greatest(highest) - band);
  std::uint64_t top = 0;
  for (int v = 0; v < padded; v += kEntriesAtOnce) {
    top |= test_entries(v, [&](int row) CAROM_HD_LAMBDA { return load_row(height + row) >= least; }) << v;
  }
  return top & (~std::uint64_t{0} >> (kMostBits - hull.vertex_count));
}

// How far the farthest vertex along d is.
CAROM_HD Real farthest_along(const HullView& hull, Vec3 d) {
  const HullRows& rows = hull.rows;
  const Row3 direction = row3_of(d);
  HullRow farthest = dot(load_row3(rows.vertex, rows.vertex_stride), direction);
  for (int v = kRowWidth; v < hull.vertex_count; v += kRowWidth) {
    farthest = greater(farthest, dot(load_row3(rows.vertex + v, rows.vertex_stride), direction));
  }
  return greatest(farthest);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
