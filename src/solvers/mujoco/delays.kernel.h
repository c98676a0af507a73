// Controls that count later. State.ctrl_history has those of the last steps of an actuator.
#pragma once

#include "model/sample_history.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct DelaySlot {
  int ctrl, inputs;      // in the part's ctrl: the first one, and how many
  int history, samples;  // in the part's ctrl_history
  Interpolation interpolation;
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
    team.each(static_cast<int>(slot.size), [&](int k) {
      const auto told = [&](int i) CAROM_HD_LAMBDA { return load<F>(ctrl, ctrls, slot[k].ctrl + i); };
      of(k).add(h, slot[k].inputs, told, moves, out);
    });
  }

 private:
  CAROM_HD SampleHistory<F> of(int k) const {
    return {slot[k].history, slot[k].samples, slot[k].interpolation, history, part, h};
  }
};

}  // namespace carom::inline CAROM_PRECISION
