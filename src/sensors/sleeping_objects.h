// The bodies that a sensor looks at, as far as they may sleep.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// State::body_asleep before a step and behind it. What a step puts to sleep was awake in it, and so was what it woke.
struct SleepingBodies {
  const std::int32_t *before = nullptr, *behind = nullptr;  // nullptr: nothing sleeps; it is not known

  CAROM_HD bool any() const { return before != nullptr; }
  CAROM_HD bool has(int body) const { return before[body] >= 0 && (!behind || behind[body] >= 0); }
};

struct SleepingObjects {
  int body[2] = {-1, -1};  // -1: none, or one that never moves

  // Where there are any, and all of them sleep.
  CAROM_HD bool rest(const SleepingBodies& asleep) const {
    bool any = false;
    for (const int b : body) {
      if (b < 0) continue;
      if (!asleep.has(b)) return false;
      any = true;
    }
    return any;
  }
};

}  // namespace carom::inline CAROM_PRECISION
