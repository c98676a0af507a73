// Rows of a hull's numbers, several at a time: eight side by side in vector registers on the CPU, one by one on CUDA,
// with the same results.
#pragma once

#include <cstdint>
#include <limits>

#include "geometry/shape_view.h"
#include "math/bits.h"
#include "math/lanes_rows.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

#if defined(__CUDACC__)

using HullRow = Real;
CAROM_HD HullRow load_row(const Real* from) { return *from; }
CAROM_HD void store_row(HullRow row, Real* to) { *to = row; }
CAROM_HD std::uint64_t row_bits(bool mask) { return mask; }
CAROM_HD Real greatest_of_row(HullRow row) { return row; }

// Writes `first` plus the number of each bit that is set, and returns how many that are; room for kHullRow is needed.
CAROM_HD int write_places(std::uint64_t bits, int first, std::uint8_t* to) {
  *to = std::uint8_t(first);
  return static_cast<int>(bits);
}

// The first N numbers of the structs at a row of places, `stride` numbers apart.
template <int N>
CAROM_HD void load_places(const Real* base, int stride, const std::uint8_t* place, HullRow (&out)[N]) {
  load_rows(base, std::int64_t{*place} * stride, out);
}

#else

using HullRow = Lanes<Real, kHullRow>;
CAROM_HD HullRow load_row(const Real* from) { return HullRow::load(from); }
CAROM_HD void store_row(HullRow row, Real* to) { row.store(to); }
CAROM_HD std::uint64_t row_bits(Mask<Real, kHullRow> mask) { return mask.bits(); }
CAROM_HD Real greatest_of_row(HullRow row) {
  Real value[kHullRow];
  row.store(value);
  for (int half = kHullRow / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) value[i] = max(value[i], value[i + half]);
  }
  return value[0];
}

// For every set of eight bits the numbers of those that are set, one to a byte. Looked up, since a loop over bits that
// nobody can foretell stalls the processor at every row.
struct BitPlaces {
  std::uint64_t of[256] = {};

  constexpr BitPlaces() {
    for (int bits = 0; bits < 256; ++bits) {
      int count = 0;
      for (int b = 0; b < 8; ++b) {
        if (bits >> b & 1) of[bits] |= std::uint64_t(b) << 8 * count++;
      }
    }
  }
};
inline constexpr BitPlaces kBitPlaces;

CAROM_HD int write_places(std::uint64_t bits, int first, std::uint8_t* to) {
  static_assert(kHullRow == 8);
  const std::uint64_t places = kBitPlaces.of[bits] + std::uint64_t(first) * 0x0101010101010101;
  __builtin_memcpy(to, &places, 8);
  return __builtin_popcountll(bits);
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

inline constexpr int kRowWidth = ScalarTraits<HullRow>::kWidth;

using Row3 = Vec3T<HullRow>;
CAROM_HD Row3 row3_of(Vec3 v) { return {HullRow(v.x), HullRow(v.y), HullRow(v.z)}; }
CAROM_HD Row3 load_row3(const Real* from, int stride) {
  return {load_row(from), load_row(from + stride), load_row(from + 2 * stride)};
}

// The greatest of many numbers and its place; of equal ones the first.
struct GreatestInRows {
  HullRow value = HullRow(-std::numeric_limits<Real>::max());
  HullRow row = HullRow(Real(0));

  CAROM_HD void look_at(HullRow numbers, int first) {
    const auto better = numbers > value;
    value = select(better, numbers, value);
    row = select(better, HullRow(Real(first)), row);
  }
  CAROM_HD int place() const {
    Real first[kHullRow];
    store_row(row, first);
    const Real greatest = greatest_of_row(value);
    int best = std::numeric_limits<int>::max();
    each_bit(row_bits(value == HullRow(greatest)), [&](int lane) CAROM_HD_LAMBDA {
      const int place = static_cast<int>(first[lane]) + lane;
      if (place < best) best = place;
    });
    return best;
  }
};

// Of `count` vectors, whose x, y and z stand `stride` apart, the one that reaches farthest along d; of equal ones the
// first.
CAROM_HD int farthest_of_rows(const Real* x, int stride, int count, Vec3 d) {
  const Row3 direction = row3_of(d);
  GreatestInRows greatest;
  for (int i = 0; i < count; i += kRowWidth) greatest.look_at(dot(load_row3(x + i, stride), direction), i);
  return greatest.place();
}
CAROM_HD_LARGE int farthest_vertex(const HullView& hull, Vec3 d) {
  return farthest_of_rows(hull.rows.vertex, hull.rows.vertex_stride, hull.vertex_count, d);
}
// The face whose normal is nearest to n.
CAROM_HD_LARGE int face_towards(const HullView& hull, Vec3 n) {
  return farthest_of_rows(hull.rows.face, hull.rows.face_stride, hull.face_count, n);
}

// The vertices that reach along the unit vector n as far as the farthest one but for `band`, by bit; of a hull that
// has no more than kMostBits.
inline constexpr int kMostBits = 64;
CAROM_HD std::uint64_t vertices_at_top(const HullView& hull, Vec3 n, Real band) {
  const HullRows& rows = hull.rows;
  const Row3 direction = row3_of(n);
  Real height[kMostBits];
  HullRow greatest(-std::numeric_limits<Real>::max());
  for (int v = 0; v < hull.vertex_count; v += kRowWidth) {
    const HullRow row = dot(load_row3(rows.vertex + v, rows.vertex_stride), direction);
    store_row(row, height + v);
    greatest = max(greatest, row);
  }
  const HullRow least(greatest_of_row(greatest) - band);
  std::uint64_t top = 0;
  for (int v = 0; v < hull.vertex_count; v += kRowWidth) top |= row_bits(load_row(height + v) >= least) << v;
  return top & (~std::uint64_t{0} >> (kMostBits - hull.vertex_count));
}

// How far the farthest vertex along d is.
CAROM_HD Real farthest_along(const HullView& hull, Vec3 d) {
  const HullRows& rows = hull.rows;
  const Row3 direction = row3_of(d);
  HullRow greatest = dot(load_row3(rows.vertex, rows.vertex_stride), direction);
  for (int v = kRowWidth; v < hull.vertex_count; v += kRowWidth) {
    greatest = max(greatest, dot(load_row3(rows.vertex + v, rows.vertex_stride), direction));
  }
  return greatest_of_row(greatest);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
