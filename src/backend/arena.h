// Hands out pieces of one block of memory, one after the other. Run without a block it only counts, so that the same
// text lays out a workspace and says how large it is.
#pragma once

#include <cstdint>

#include "carom/platform.h"

namespace carom {

struct Arena {
  char* memory = nullptr;  // nullptr: count alone
  std::int64_t used = 0;   // [bytes]

  template <class T>
  CAROM_HD T* take(std::int64_t count) {
    const std::int64_t start = (used + alignof(T) - 1) / alignof(T) * alignof(T);
    used = start + count * static_cast<std::int64_t>(sizeof(T));
    return memory ? reinterpret_cast<T*>(memory + start) : nullptr;
  }
};

}  // namespace carom
