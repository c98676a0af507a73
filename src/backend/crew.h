// Crew: a CPU thread that works on one world, as Solo does, and has other threads of its queue help with the longer
// ones of its loops. What it does between them it does alone, so the text is that of Solo: variables outside of a loop
// are read by all and written by none of its iterations.
#pragma once

#include "backend/launch.h"
#include "backend/team.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct Crew : Solo {
  const Queue* queue;  // nullptr: nobody helps

  explicit Crew(const Queue* q) : queue(q) {}

  template <class Function>
  void each(int n, Function f) const {
#if defined(CAROM_SHUFFLE_TEAMS)
    Solo::each(n, f);
#else
    if (!queue || n < kFewest) return Solo::each(n, f);
    static ItemCost cost;
    const RangeFn run = [](const void* function, int begin, int end) {
      for (int i = begin; i < end; ++i) (*static_cast<const Function*>(function))(i);
    };
    run_on_threads(*queue, {run, &f, n, 1, &cost, 0, kWorthHelp});
#endif
  }

 private:
  static constexpr int kFewest = 8;           // shorter loops do not look at the clock
  static constexpr float kWorthHelp = 5'000;  // helpers of the loop before are awake [ns]
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
