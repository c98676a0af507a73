// Real numbers as integers that sort the same way.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// An integer that grows with a. Numbers are rounded to float, so that two may share one, but never change sides; both
// zeros have the same.
CAROM_HD std::uint32_t ordered(Real a) {
  const auto bits = static_cast<std::uint32_t>(to_bits(static_cast<float>(a) + 0.0f));
  return bits >> 31 ? ~bits : bits | 1u << 31;
}

}  // namespace carom::inline CAROM_PRECISION
