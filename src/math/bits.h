// Sets of small numbers as the bits of a word.
#pragma once

#include <cstdint>

#include "carom/platform.h"

namespace carom {

// Of a set that is not empty. (std::countl_zero and its kin give wrong results in device code of nvcc 13.)
CAROM_HD int lowest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}
CAROM_HD int highest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return 63 - __clzll(static_cast<long long>(bits));
#else
  return 63 - __builtin_clzll(bits);
#endif
}

// f(b) for every bit of a set, ascending.
template <class Function>
CAROM_HD void each_bit(std::uint64_t bits, Function f) {
  CAROM_ROLL
  for (; bits != 0; bits &= bits - 1) f(lowest_bit(bits));
}

}  // namespace carom
