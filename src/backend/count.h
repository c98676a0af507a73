// Count: over how many things a kernel runs.
#pragma once

#include <cstdint>

#include "carom/platform.h"

namespace carom {

// Either `room`, or as many as a kernel before found, which the host does not know yet: it knows what there is room
// for. When more were found than that, there are none: a stage that lacks room passes nothing on.
struct Count {
  int room = 0;
  const std::int64_t* total = nullptr;  // on the device; nullptr: the room is full

  // Where the total can be read.
  CAROM_HD int size() const {
    if (!total) return room;
    return *total <= room ? static_cast<int>(*total) : 0;
  }
};

}  // namespace carom
