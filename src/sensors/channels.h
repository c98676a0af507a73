// Channels: sensors of one key in all worlds, and where their numbers stand. Each channel has a row for every world, so
// that its array is (worlds, dim).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/sensors.h"

namespace carom::inline CAROM_PRECISION {

struct Channels {
  std::vector<SensorChannel> list;
  std::vector<std::int64_t> start;     // of each channel among all values, then the total
  std::vector<std::int64_t> value_at;  // of each sensor: its first number
  int rows = 1;

  explicit Channels(const Model& model);
  int find(const std::string& key) const;  // throws Error, with the keys that are near
};

}  // namespace carom::inline CAROM_PRECISION
