// Loops over rows whose work is independent: W rows at a time in the lanes of the CPU's registers, one a thread on
// CUDA. What is done with them is one text over F, a number or lanes of numbers.
#pragma once

#include "backend/team.h"
#include "backend/world_lanes.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The rows that are worked on at once: one, or one in each lane.
template <class F>
struct LaneRows {
  int row;
};

#if !defined(__CUDACC__)

template <class T, int W>
struct LaneRows<Lanes<T, W>> {
  int row[W];
};

#endif

// column[row], for each of the rows.
template <class F>
CAROM_HD LaneRows<F> rows_at(const int* column, const LaneRows<F>& rows) {
  LaneRows<F> at;
  if constexpr (PlainNumber<F>) {
    at.row = column[rows.row];
  } else {
    constexpr int W = ScalarTraits<F>::kWidth;
    const int* const from = column + rows.row[0];
    if (rows.row[W - 1] - rows.row[0] == W - 1) {  // they ascend, so all are neighbours
      for (int l = 0; l < W; ++l) at.row[l] = from[l];
    } else {
      for (int l = 0; l < W; ++l) at.row[l] = column[rows.row[l]];
    }
  }
  return at;
}

// Numbers first ... first + N - 1 of rows that are kStride numbers long.
template <int kStride, int N, class F>
CAROM_HD void load_lane_rows(const Element<F>* base, const LaneRows<F>& rows, F (&out)[N], int first = 0) {
  if constexpr (PlainNumber<F>) load_rows(base + first, std::int64_t{rows.row} * kStride, out);
  else load_rows(base + first, LaneIndex{rows.row, kStride}, out);
}
template <int kStride, int N, class F>
CAROM_HD void store_lane_rows(Element<F>* base, const LaneRows<F>& rows, const F (&values)[N], int first = 0) {
  if constexpr (PlainNumber<F>) store_rows(base + first, std::int64_t{rows.row} * kStride, values);
  else store_rows(base + first, LaneIndex{rows.row, kStride}, values);
}

// f(LaneRows) for all rows [begin, end). Where the last ones do not fill the lanes the very last is in several of them:
// they read, work out and write the same.
template <class Team, class Function>
CAROM_HD void each_in_lanes(Team team, int begin, int end, const Function& f) {
#if defined(__CUDACC__)
  team.each(end - begin, [&](int i) { f(LaneRows<Real>{begin + i}); });
#else
  constexpr int W = kTierWidth<Real>;
  team.each((end - begin + W - 1) / W, [&](int group) CAROM_HD_LAMBDA {
    LaneRows<Lanes<Real, W>> rows;
    for (int l = 0; l < W; ++l) rows.row[l] = begin + group * W + l < end ? begin + group * W + l : end - 1;
    f(rows);
  });
#endif
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
