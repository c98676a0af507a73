// What a model file may ask for, so that hostile ones end soon and with an error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

struct FileLimits {
  std::size_t bytes = std::size_t{1} << 28;      // of all files together
  int depth = 1000;                              // of elements inside elements, and of links on links
  int elements = 2'000'000;                      // after includes and replicates
  int files = 1000;                              // that are included, attached or, as meshes, read
  std::int64_t numbers = std::int64_t{1} << 26;  // that few words ask for: heights, samples of delays, copies of meshes
};

}  // namespace carom::inline CAROM_PRECISION
