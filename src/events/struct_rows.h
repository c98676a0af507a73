// Rows of an array as structs of numbers or of lanes, and loops over rows that take as many at once as there are lanes.
#pragma once

#include "backend/world_lanes.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Where rows of `stride` numbers are: row i and those behind it, or those that a list names from there on.
template <class F>
CAROM_HD auto rows_from(int i, int stride) {
  if constexpr (PlainNumber<F>) return std::int64_t{i} * stride;
  else return LaneStride{stride, i};
}
template <class F>
CAROM_HD auto rows_listed(const int* list, int i, int stride) {
  if constexpr (PlainNumber<F>) return std::int64_t{list[i]} * stride;
  else return LaneIndex{list + i, stride};
}

// Rows of numbers as a struct of them, and the other way round.
template <class T, class F, class Rows>
CAROM_HD T load_struct(const Real* base, Rows rows) {
  F numbers[sizeof(T) / sizeof(F)];
  load_rows(base, rows, numbers);
  T value;
  __builtin_memcpy(&value, numbers, sizeof value);
  return value;
}
template <class F, class T, class Rows>
CAROM_HD void store_struct(Real* base, Rows rows, const T& value) {
  F numbers[sizeof(T) / sizeof(F)];
  __builtin_memcpy(numbers, &value, sizeof value);
  store_rows(base, rows, numbers);
}

// f(F of a kind, i) for i in [begin, end): for W of them with F = Lanes<Real, W>. Of the last ones some are done once
// more, to the same numbers.
template <class Function>
CAROM_HD void each_in_lanes(int begin, int end, Function f) {
  constexpr int W = kTierWidth<Real>;
  if (end - begin < W) {
    for (int i = begin; i < end; ++i) f(Real{}, i);
    return;
  }
  int i = begin;
  for (; i + W <= end; i += W) f(Lanes<Real, W>{}, i);
  if (i < end) f(Lanes<Real, W>{}, end - W);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
