// Takes over what sensors of some worlds read from another set of sensors of the same model.
#pragma once

#include "sensors/contact_sensor.h"

namespace carom::inline CAROM_PRECISION {

// The numbers of one channel in one world.
struct CopyValues {
  const std::int64_t* start;  // of each channel
  const int* dim;             // numbers of a row of it
  const std::uint8_t* mask;   // of the rows
  int rows;
  const Real* from;
  Real* to;

  CAROM_HD void operator()(int i) const {
    const int channel = i / rows, row = i % rows;
    if (!mask[row]) return;
    const std::int64_t first = start[channel] + std::int64_t{row} * dim[channel];
    for (int k = 0; k < dim[channel]; ++k) to[first + k] = from[first + k];
  }
};

struct CopyReadings {
  const std::uint8_t* mask;  // of the rows
  const int* row;            // of each reading
  ContactReadingRows from, to;

  CAROM_HD void operator()(int i) const {
    if (!mask[row[i]]) return;
    to.found[i] = from.found[i];
    to.force_on_second[i] = from.force_on_second[i], to.force_on_first[i] = from.force_on_first[i];
    to.air_time[i] = from.air_time[i], to.contact_time[i] = from.contact_time[i];
    to.most_found[i] = from.most_found[i], to.largest_force[i] = from.largest_force[i];
    to.impulse_on_second[i] = from.impulse_on_second[i];
    to.mean_force_on_second[i] = from.mean_force_on_second[i];
  }
};

// What is known of the sensors of a row.
struct CopyBooks {
  const std::uint8_t* mask;  // of the rows
  ContactBooks from, to;

  CAROM_HD void operator()(int row) const {
    if (!mask[row]) return;
    for (std::int64_t i = to.start[row]; i < to.start[row + 1]; ++i)
      to.totals[i] = from.totals[i], to.calls[i] = from.calls[i];
    for (std::int64_t k = to.word_start[row]; k < to.word_start[row + 1]; ++k) {
      to.touched[k] = from.touched[k], to.rests[k] = from.rests[k];
      to.called[k] = from.called[k], to.told[k] = from.told[k];
    }
    to.duration[row] = from.duration[row];
  }
};

}  // namespace carom::inline CAROM_PRECISION
