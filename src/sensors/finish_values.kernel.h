// What becomes of the numbers of a sensor once they are measured, in this order: noise, cutoff, then a history of its
// readings, from which it tells an older one (delay), or the last that was due (interval). The rules of cutoff, delay
// and interval are MuJoCo's; it adds no noise.
#pragma once

#include <limits>

#include "carom/columns.h"
#include "carom/sensor_config.h"
#include "math/counter_noise.h"
#include "model/sample_history.kernel.h"

namespace carom::inline CAROM_PRECISION {

// One sensor of the model.
struct FinishedSensor {
  int row;
  int world, place;       // that it is of, and its place there
  int dim;                // numbers
  int ray_size;           // of a rangefinder: numbers of a ray
  int readings, history;  // in State::sensor_memory, -1 = it has none
};

// Columns of the model.
struct FinishColumns {
  const int *type, *data, *samples, *interpolation;
  const Real *cutoff, *noise, *delay;
  const RealN<2>* interval;
};

struct FinishValues {
  static constexpr int kBehindWait = 1;  // of a history: its samples begin behind the time until the next reading

  const FinishedSensor* sensors;
  FinishColumns columns;
  const std::int64_t* value_at;
  std::uint64_t seed;
  Real dt;  // [s]
  Real *values, *memory;

  CAROM_HD void operator()(int i) const {
    const FinishedSensor& own = sensors[i];
    const int s = own.row;
    Real* const reading = values + value_at[s];
    if (columns.noise[s] > 0) add_noise(s, own, reading);
    if (columns.cutoff[s] > 0) cut_off(s, own, reading);
    if (own.history >= 0) keep(s, own, reading);
    if (own.readings >= 0) memory[own.readings] += 1;
  }

 private:
  CAROM_HD SensorType type_of(int s) const { return static_cast<SensorType>(columns.type[s]); }
  CAROM_HD static bool is_direction(SensorType type) {
    const bool is_axis = type >= SensorType::kFrameXAxis && type <= SensorType::kFrameZAxis;
    return is_axis || type == SensorType::kFrameQuat || type == SensorType::kBallQuat || type == SensorType::kNormal;
  }

  // -- Noise.

  // Counts, and what is 0 or 1, have none; nor has what says that nothing was met.
  CAROM_HD bool is_noisy(int s, const FinishedSensor& own, int k, Real value) const {
    const SensorType type = type_of(s);
    if (type == SensorType::kContact || type == SensorType::kInsideSite) return false;
    if (type != SensorType::kRangefinder) return true;
    const int place = k % own.ray_size;
    const bool is_length =
        (place == 0 && (columns.data[s] & kRayDist)) || (place + 1 == own.ray_size && (columns.data[s] & kRayDepth));
    return is_length && value >= 0;
  }
  CAROM_HD void add_noise(int s, const FinishedSensor& own, Real* reading) const {
    const SensorType type = type_of(s);
    if ((type == SensorType::kNormal || type == SensorType::kFromTo) && square_of(own, reading) == 0) return;
    std::uint64_t key = stirred(stirred(0, seed), static_cast<std::uint64_t>(own.world));
    key =
        stirred(stirred(key, static_cast<std::uint64_t>(own.place)), static_cast<std::uint64_t>(memory[own.readings]));
    for (int k = 0; k < own.dim; ++k)
      if (is_noisy(s, own, k, reading[k]))
        reading[k] = fma(columns.noise[s], normal_of(stirred(key, static_cast<std::uint64_t>(k))), reading[k]);
    if (!is_direction(type)) return;
    const Real size = sqrt(square_of(own, reading));
    for (int k = 0; size > 0 && k < own.dim; ++k) reading[k] /= size;
  }
  CAROM_HD static Real square_of(const FinishedSensor& own, const Real* reading) {
    Real sum = 0;
    for (int k = 0; k < own.dim; ++k) sum = fma(reading[k], reading[k], sum);
    return sum;
  }

  // -- Cutoff.

  CAROM_HD void cut_off(int s, const FinishedSensor& own, Real* reading) const {
    const SensorType type = type_of(s);
    if (type == SensorType::kContact || type == SensorType::kFromTo || is_direction(type)) return;
    const Real most = columns.cutoff[s];
    const bool is_positive = type == SensorType::kTouch || type == SensorType::kInsideSite;
    for (int k = 0; k < own.dim; ++k) {
      const Real value = min(reading[k], most);
      reading[k] = is_positive ? value : max(value, -most);
    }
  }

  // -- Delay and interval.

  // An older reading is told before this one is kept: a delay is at least a step long.
  CAROM_HD void keep(int s, const FinishedSensor& own, Real* reading) const {
    const Offsets<Real> part{own.history};
    const SampleHistory<Real> history{
        kBehindWait, columns.samples[s], static_cast<Interpolation>(columns.interpolation[s]), memory, part, 0};
    const Real period = columns.interval[s][0];
    Real& wait = memory[own.history];
    if (memory[own.readings] == 0) begin(s, own.history);
    // The readings of a multiple of the step come when they should, whatever rounding says.
    const Real near = 64 * std::numeric_limits<Real>::epsilon() * max(period, dt);
    const bool is_due = wait <= near, is_late = columns.delay[s] > 0;
    const auto tell = [&](int k) CAROM_HD_LAMBDA {
      const Real measured = reading[k];
      if (is_late) reading[k] = history.read(k, columns.delay[s]);
      else if (!is_due) reading[k] = history.value(k, 0);
      return measured;
    };
    if (is_due) {
      history.add(dt, own.dim, tell, true, memory);
      wait = (abs(wait) <= near ? Real(0) : wait) + period;
    } else {
      for (int k = 0; k < own.dim; ++k) tell(k);
      memory[own.history + kBehindWait] += dt;
    }
    wait -= period > 0 ? dt : Real(0);
  }

  // As if it had been read before, every step or at its intervals, and always 0.
  CAROM_HD void begin(int s, int at) const {
    const Real period = columns.interval[s][0], phase = columns.interval[s][1];
    const Real last = phase < 0 ? phase : -period;  // when it was due the last time [s]
    memory[at] = period > 0 ? last + period : Real(0);
    Real after = 0;  // when the sample after it was taken, now for the newest
    for (int k = 0; k < columns.samples[s]; ++k) {
      const Real time = period > 0 ? next_step(fma(-period, Real(k), last)) : -dt * Real(k + 1);
      memory[at + kBehindWait + k] = after - time;
      after = time;
    }
  }
  // The first step that is not before this time, which is not positive; where no time passes, the time itself.
  CAROM_HD Real next_step(Real time) const {
    if (!(dt > 0)) return time;
    const Real steps = -time / dt;
    const std::int64_t whole = static_cast<std::int64_t>(steps * (1 + 64 * std::numeric_limits<Real>::epsilon()));
    return -dt * Real(whole);
  }
};

}  // namespace carom::inline CAROM_PRECISION
