// Numbers of the last steps, newest first, with the times between them, so that no clock is needed: what was told so
// long ago is found by walking back. State.ctrl_history has those of delayed controls, State.sensor_memory those of
// sensors.
#pragma once

#include <limits>

#include "backend/world_lanes.h"
#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SampleHistory {
  int first, samples;  // where it begins in the numbers of a part: the times between samples, then each row of values
  Interpolation interpolation;
  const Real* numbers;
  const Offsets<F>& part;
  F h;  // what a time of 0 stands for [s]

  // From a sample, or from now for the newest, to the one before.
  CAROM_HD F interval(int k) const {
    const F given = load<F>(numbers, part, first + k);
    return select(given > F(0), given, h);
  }
  CAROM_HD int place(int row, int k) const { return first + samples * (1 + row) + k; }
  CAROM_HD F value(int row, int k) const { return load<F>(numbers, part, place(row, k)); }

  // What a row was so long ago [s]; no newer than the newest and no older than the oldest that is kept.
  CAROM_HD F read(int row, F ago) const {
    constexpr Real kNear = 64 * std::numeric_limits<Real>::epsilon();
    const F near = abs(ago) * F(kNear);  // a sample, and not between two
    F age = interval(0), result = value(row, samples - 1);
    result = select(ago <= age + near, value(row, 0), result);
    CAROM_ROLL
    for (int k = 1; k < samples; ++k) {
      const F older = age + interval(k);
      const auto exact = abs(ago - older) <= near, between = ago > age + near && ago < older - near;
      if (any(between)) result = select(between, between_samples(row, k, (older - ago) / (older - age)), result);
      result = select(exact, value(row, k), result);
      age = older;
    }
    return result;
  }

  // One more, told so long before the next reading [s], and the oldest is forgotten. newest(row): its values; moves:
  // elsewhere nothing changes.
  template <class Newest>
  CAROM_HD void add(F time, int rows, const Newest& newest, MaskOf<F> moves, Real* out) const {
    for (int column = rows; column >= 0; --column) {  // newest() may read what was before: the times come last
      const F added = column == 0 ? time : newest(column - 1);
      const int begin = first + samples * column;
      CAROM_ROLL
      for (int at = begin + samples - 1; at >= begin; --at) {  // it may stand where it stood
        const F next = at == begin ? added : load<F>(numbers, part, at - 1);
        store(out, part, at, select(moves, next, load<F>(numbers, part, at)));
      }
    }
  }

 private:
  // A share of the way from sample k to the one after it.
  CAROM_HD F between_samples(int row, int k, F share) const {
    const F from = value(row, k), to = value(row, k - 1);
    if (interpolation == Interpolation::kHold) return from;
    if (interpolation == Interpolation::kLinear) return fma(share, to, (F(1) - share) * from);
    const F time = interval(k);
    const F before = k + 1 < samples ? (to - value(row, k + 1)) / (time + interval(k + 1)) : F(0);
    const F behind = k > 1 ? (value(row, k - 2) - from) / (interval(k - 1) + time) : F(0);
    const F square = share * share, cube = square * share;
    const F ahead = fma(F(-2), cube, F(3) * square);
    return fma(F(1) - ahead, from, ahead * to) +
           time * fma(cube - square - square + share, before, (cube - square) * behind);
  }
};

}  // namespace carom::inline CAROM_PRECISION
