// Pairs among what sleeps (State::body_asleep) and what never moves are left out of the narrow phase. What is touched
// by something that is awake wakes, with all that sleeps with it, and then its pairs are looked at, too.
#pragma once

#include "backend/count.h"
#include "collide/segments.h"

namespace carom::inline CAROM_PRECISION {

// Trees that sleep follow each other in circles: a body names the root of the next tree, so that this root stands for
// the body's own tree in `woken`.
struct Sleepers {
  const int* mover;            // body that each shape moves with, -1 = it never moves
  const std::int32_t* asleep;  // of each body
  Span<const int> body_world, first_body;
  int bodies;
  int* woken;  // of each body

  CAROM_HD int first_of(int body) const { return body_world[body] < 0 ? 0 : first_body[body_world[body]]; }
  // Where its tree stands in `woken`, -1 = it is awake.
  CAROM_HD int place_of(int body) const {
    const int place = first_of(body) + asleep[body];
    return asleep[body] < 0 || place >= bodies ? -1 : place;
  }
  CAROM_HD bool sleeps(int shape) const { return mover[shape] >= 0 && place_of(mover[shape]) >= 0; }
  CAROM_HD bool is_awake(int shape) const { return mover[shape] >= 0 && place_of(mover[shape]) < 0; }
  CAROM_HD bool woke(int shape) const { return sleeps(shape) && woken[place_of(mover[shape])]; }
};

// Over all pairs, twice: those that something awake is part of, then those that something woken is.
struct ChoosePairs {
  Span<const Index2> pair;
  Sleepers s;
  bool again;
  int* wanted;
  int* count;  // 0 of those that are left out

  CAROM_HD void operator()(int p) const {
    const int a = pair[p][0], b = pair[p][1];
    const bool first = s.is_awake(a) || s.is_awake(b);
    wanted[p] = again ? !first && (s.woke(a) || s.woke(b)) : first;
    if (!again) count[p] = 0;
  }
};

// Over all segments.
struct WakeCircles {
  static constexpr int kItemsTogether = 1;

  Span<const Index2> pair;
  Span<const int> segment_pair_start;
  Count pairs;
  const int* count;  // points of each pair
  Sleepers s;
  int world_count;

  CAROM_HD void operator()(int segment) const {
    if (world_count > 0 && segment == world_count) return;  // what is global does not move
    const int begin = world_count > 0 ? s.first_body[segment] : 0;
    const int end = world_count > 0 ? s.first_body[segment + 1] : s.bodies;
    for (int b = begin; b < end; ++b) s.woken[b] = 0;
    if (pairs.size() == 0) return;
    for (int p = segment_pair_start[segment]; p < segment_pair_start[segment + 1]; ++p) {
      if (count[p] == 0) continue;
      const int a = pair[p][0], b = pair[p][1];
      if (s.is_awake(a) && s.sleeps(b)) wake(s.place_of(s.mover[b]));
      if (s.is_awake(b) && s.sleeps(a)) wake(s.place_of(s.mover[a]));
    }
  }

 private:
  CAROM_HD void wake(int place) const {
    while (place >= 0 && !s.woken[place]) {
      s.woken[place] = 1;
      place = s.place_of(place);
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
