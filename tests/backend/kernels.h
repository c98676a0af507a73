// Kernels of the backend's own tests, one for each way of launching.
#pragma once

#include "backend/launch.h"
#include "backend/team.h"
#include "backend/world_lanes.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct CountVisits {
  Span<int> visits;

  CAROM_HD void operator()(int i) const { visits[i] += i + 1; }
};

// Notes which world and which number in it each entity was visited with.
struct NoteEntity {
  Span<const int> world_start;
  Span<int> visits;
  Span<int> world_seen;
  Span<int> index_seen;

  CAROM_HD void operator()(int world, int index) const {
    const int entity = world_start[world] + index;
    visits[entity] += 1;
    world_seen[entity] = world;
    index_seen[entity] = index;
  }
};

// Every function of carom/math/trig.h on the same argument.
struct Transcendentals {
  static constexpr int kFunctions = 10;

  Span<const Real> x;
  Span<Real> results;  // kFunctions per argument

  CAROM_HD void operator()(int i) const {
    const Real a = x[i], b = x[x.size - 1 - i];
    const Real values[kFunctions] = {sin(a),  cos(a),  tan(a),  exp(a),      log(a),
                                     atan(a), asin(a), acos(a), atan2(a, b), pow(abs(a), b)};
    for (int k = 0; k < kFunctions; ++k) results[i * kFunctions + k] = values[k];
  }
};

// The sum of numbers by a team of `team_size` CUDA threads; what every team must agree on with Solo. In a build with
// CUDA.
void team_sums(const Queue& queue, int team_size, Span<const Real> values, Span<Real> sum_of_each_thread);

// Works on `count` numbers of each world: visits += 1, x = x^2 / 3 + x, and the sum of all x afterwards.
struct WorldSums {
  using Number = Real;

  Span<const int> worlds;
  Span<const int> world_start;  // of each world's numbers
  Span<const int> sum_start;    // of each world's sum
  int count = 0;
  Span<Real> x;
  Span<Real> visits;
  Span<Real> sums;

  template <class Team, class F>
  CAROM_HD_STAGE void operator()(Team team, WorldIds<F> ids) const {
    const Offsets<F> start = world_offsets(world_start, ids);
    team.each(count, [&](int i) {
      const F value = load<F>(x.data, start, i);
      store(visits.data, start, i, load<F>(visits.data, start, i) + F(1));
      store(x.data, start, i, fma(value, value / F(3), value));
    });
    const F sum = team.sum(count, [&](int i) { return load<F>(x.data, start, i); });
    store(sums.data, world_offsets(sum_start, ids), 0, sum);
  }
};

}  // namespace carom::inline CAROM_PRECISION
