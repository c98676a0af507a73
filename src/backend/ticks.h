// A clock that kernels may read: it counts at a constant rate that nobody but a benchmark needs to know.
#pragma once

#include <cstdint>

#include "carom/platform.h"

namespace carom {

CAROM_HD std::int64_t ticks() {
#if defined(__CUDA_ARCH__)
  return clock64();
#elif defined(__x86_64__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  std::int64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return 0;
#endif
}

}  // namespace carom
