// Asks for numbers that a thread reads soon, where no cache guesses them. For the CPU.
#pragma once

#include <cstdint>

#include "carom/platform.h"

#if !defined(__CUDACC__)

namespace carom {

// Rows one after the other. Most are shorter than a line, in one or two of them: nothing is asked of them but that.
template <class T>
CAROM_HD void fetch_rows(const T* first, int count) {
  constexpr int kLine = 64;        // [bytes]
  constexpr int kSecondCache = 2;  // the first one is worked in meanwhile, and takes fewer requests at once
  const char* const begin = reinterpret_cast<const char*>(first);
  const std::int64_t last = count * std::int64_t{sizeof(T)} - 1;
  __builtin_prefetch(begin, 0, kSecondCache);
  for (std::int64_t at = kLine; at < last; at += kLine) __builtin_prefetch(begin + at, 0, kSecondCache);
  __builtin_prefetch(begin + last, 0, kSecondCache);
}

}  // namespace carom

#endif  // !defined(__CUDACC__)
