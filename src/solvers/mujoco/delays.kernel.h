// Controls that count later. State.ctrl_history has those of the last steps of an actuator, newest first, with the time
// between them, so that no clock is needed: what was told so long ago is found by walking back.
#pragma once

#include <limits>

#include "backend/world_lanes.h"
#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

struct DelaySlot {
  int ctrl, inputs;      // in the part's ctrl: the first one, and how many
  int history, samples;  // in the part's ctrl_history
  Interpolation interpolation;
};

template <class F>
struct CtrlHistory {
  const DelaySlot& slot;
  const Real* history;
  const Offsets<F>& part;
  F h;

  // From a step, or from now for the newest, to the one before.
  CAROM_HD F interval(int k) const {
    const F given = load<F>(history, part, slot.history + k);
    return select(given > F(0), given, h);
  }
  CAROM_HD int place(int input, int k) const { return slot.history + slot.samples * (1 + input) + k; }
  CAROM_HD F value(int input, int k) const { return load<F>(history, part, place(input, k)); }

  // What an input was so long ago [s]; no newer than the newest and no older than the oldest that is kept.
  CAROM_HD F read(int input, F ago) const {
    constexpr Real kNear = 64 * std::numeric_limits<Real>::epsilon();
    const F near = abs(ago) * F(kNear);  // a step, and not between two
    F age = interval(0), result = value(input, slot.samples - 1);
    result = select(ago <= age + near, value(input, 0), result);
    CAROM_ROLL
    for (int k = 1; k < slot.samples; ++k) {
      const F older = age + interval(k);
      const auto exact = abs(ago - older) <= near, between = ago > age + near && ago < older - near;
      if (any(between)) result = select(between, between_steps(input, k, (older - ago) / (older - age)), result);
      result = select(exact, value(input, k), result);
      age = older;
    }
    return result;
  }

  // Of the next step: one more, and the oldest is forgotten. moves: elsewhere nothing changes.
  CAROM_HD void add(const Real* ctrl, const Offsets<F>& ctrls, MaskOf<F> moves, Real* out) const {
    for (int column = 0; column <= slot.inputs; ++column) {
      const F newest = column == 0 ? h : load<F>(ctrl, ctrls, slot.ctrl + column - 1);
      const int first = slot.history + slot.samples * column;
      CAROM_ROLL
      for (int at = first + slot.samples - 1; at >= first; --at) {  // it may stand where it stood
        const F next = at == first ? newest : load<F>(history, part, at - 1);
        store(out, part, at, select(moves, next, load<F>(history, part, at)));
      }
    }
  }

 private:
  // A share of the way from step k to the one after it.
  CAROM_HD F between_steps(int input, int k, F share) const {
    const F from = value(input, k), to = value(input, k - 1);
    if (slot.interpolation == Interpolation::kHold) return from;
    if (slot.interpolation == Interpolation::kLinear) return fma(share, to, (F(1) - share) * from);
    const F time = interval(k);
    const F before = k + 1 < slot.samples ? (to - value(input, k + 1)) / (time + interval(k + 1)) : F(0);
    const F behind = k > 1 ? (value(input, k - 2) - from) / (interval(k - 1) + time) : F(0);
    const F square = share * share, cube = square * share;
    const F ahead = fma(F(-2), cube, F(3) * square);
    return fma(F(1) - ahead, from, ahead * to) +
           time * fma(cube - square - square + share, before, (cube - square) * behind);
  }
};

// Of all actuators of a part.
template <class F>
struct DelayedCtrl {
  Span<const DelaySlot> slot;
  const Real* history;
  Offsets<F> part;
  F h;

  // In place of what was told now, where there is a delay [s]. ahead: of the beginning of the step [s].
  template <class Team>
  CAROM_HD_STAGE void read(Team team, const F* delay, F ahead, F* ctrl) const {
    team.each(static_cast<int>(slot.size), [&](int k) {
      for (int i = 0; i < slot[k].inputs; ++i) {
        F& u = ctrl[slot[k].ctrl + i];
        u = select(delay[k] > F(0), of(k).read(i, delay[k] - ahead), u);
      }
    });
  }
  template <class Team>
  CAROM_HD_STAGE void add(Team team, const Real* ctrl, const Offsets<F>& ctrls, MaskOf<F> moves, Real* out) const {
    team.each(static_cast<int>(slot.size), [&](int k) { of(k).add(ctrl, ctrls, moves, out); });
  }

 private:
  CAROM_HD CtrlHistory<F> of(int k) const { return {slot[k], history, part, h}; }
};

}  // namespace carom::inline CAROM_PRECISION
