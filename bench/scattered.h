// Poses that a benchmark and its peer agree on without a file: peers/scattered.py has the same numbers.
#pragma once

#include <cstdint>

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Number i of a sequence without visible order in [0, 1): a 32-bit hash (C. Wellons, "lowbias32").
inline Real scattered(std::uint32_t i) {
  i ^= i >> 16, i *= 0x7feb352du;
  i ^= i >> 15, i *= 0x846ca68bu;
  i ^= i >> 16;
  return static_cast<Real>(i / 0x1p32);
}

}  // namespace carom::inline CAROM_PRECISION
