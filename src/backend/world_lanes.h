// Which worlds a kernel runs on: one world for a plain number, W worlds side by side for lanes, and where their data
// begins in arrays that hold the worlds one after the other.
#pragma once

#include "carom/array.h"
#include "math/lanes_rows.h"

// The register width of the tier this file is compiled for [bytes].
#if !defined(CAROM_TIER_BYTES)
#define CAROM_TIER_BYTES 16
#endif

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

template <class F>
struct WorldIds {
  int world;

  CAROM_HD int operator[](int) const { return world; }
};

// Where each world's numbers begin.
template <class F>
struct Offsets {
  std::int64_t start;
};

#if !defined(__CUDACC__)

template <class T, int W>
struct WorldIds<Lanes<T, W>> {
  int world[W];

  CAROM_HD int operator[](int lane) const { return world[lane]; }
};

template <class T, int W>
struct Offsets<Lanes<T, W>> {
  std::int64_t start[W];
};

template <class T>
inline constexpr int kTierWidth = CAROM_TIER_BYTES / sizeof(T);

// The worlds of one group. The last group repeats its last world in the lanes left over: the same values are computed
// and stored more than once, and nobody needs a mask.
template <class T>
CAROM_HD WorldIds<Lanes<T, kTierWidth<T>>> tier_group(Span<const int> worlds, int group) {
  WorldIds<Lanes<T, kTierWidth<T>>> ids;
  const std::int64_t first = std::int64_t{group} * kTierWidth<T>;
  for (int l = 0; l < kTierWidth<T>; ++l) ids.world[l] = worlds[first + l < worlds.size ? first + l : worlds.size - 1];
  return ids;
}

#endif  // !defined(__CUDACC__)

// One of W lanes; picks from a plain value, too.
template <class V>
CAROM_HD auto lane_of(const V& value, int lane) {
  if constexpr (std::is_arithmetic_v<V>) return value;
  else return value[lane];
}

// Where each world's entities begin, with `stride` numbers per entity.
template <class F>
CAROM_HD Offsets<F> world_offsets(Span<const int> world_start, WorldIds<F> worlds, int stride = 1) {
  Offsets<F> offsets;
  if constexpr (PlainNumber<F>) {
    offsets.start = std::int64_t{world_start[worlds.world]} * stride;
  } else {
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      offsets.start[l] = std::int64_t{world_start[worlds.world[l]]} * stride;
  }
  return offsets;
}

// Number k of each world.
template <class F>
CAROM_HD F load(const Element<F>* base, const Offsets<F>& offsets, int k) {
  return gather(base + k, offsets.start);
}
template <class F>
CAROM_HD void store(Element<F>* base, const Offsets<F>& offsets, int k, F value) {
  scatter(base + k, offsets.start, value);
}

// Numbers k to k + N - 1 of each world.
template <int N, class F>
CAROM_HD void load_rows(const Element<F>* base, const Offsets<F>& offsets, int k, F (&out)[N]) {
  load_rows(base + k, offsets.start, out);
}
template <int N, class F>
CAROM_HD void store_rows(Element<F>* base, const Offsets<F>& offsets, int k, const F (&values)[N]) {
  store_rows(base + k, offsets.start, values);
}

// The first `count` numbers of each world, one lane vector per number.
template <class F>
CAROM_HD void load_block(const Element<F>* base, const Offsets<F>& offsets, int count, F* out) {
  int k = 0;
  for (; k + 4 <= count; k += 4) load_rows(base, offsets, k, *reinterpret_cast<F(*)[4]>(out + k));
  for (; k < count; ++k) out[k] = load<F>(base, offsets, k);
}
template <class F>
CAROM_HD void store_block(Element<F>* base, const Offsets<F>& offsets, int count, const F* values) {
  int k = 0;
  for (; k + 4 <= count; k += 4) store_rows(base, offsets, k, *reinterpret_cast<const F(*)[4]>(values + k));
  for (; k < count; ++k) store(base, offsets, k, values[k]);
}

// The same by a team.
template <class F, class Team>
CAROM_HD void load_block(Team team, const Element<F>* base, const Offsets<F>& offsets, int count, F* out) {
  if constexpr (PlainNumber<F>) team.each(count, [&](int k) { out[k] = base[offsets.start + k]; });
  else load_block(base, offsets, count, out);
}
template <class F, class Team>
CAROM_HD void store_block(Team team, Element<F>* base, const Offsets<F>& offsets, int count, const F* values) {
  if constexpr (PlainNumber<F>) team.each(count, [&](int k) { base[offsets.start + k] = values[k]; });
  else store_block(base, offsets, count, values);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
