// Sorting of 64-bit keys on one thread, by some of their bits.
#pragma once

#include <cstdint>

#include "carom/array.h"

namespace carom::inline CAROM_PRECISION {

// Orders keys upwards by their bits [first_bit, last_bit); keys that are equal there keep their order. `scratch` has
// room for as many.
void radix_sort(Span<std::uint64_t> keys, Span<std::uint64_t> scratch, int first_bit, int last_bit);

}  // namespace carom::inline CAROM_PRECISION
