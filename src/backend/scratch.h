// Scratch memory of the primitives: owned by the caller, grown on demand, so that a step that was run once before
// allocates nothing.
#pragma once

#include <algorithm>

#include "carom/array.h"

namespace carom {

// Makes room for `size` elements; what was in the array is lost. Doubling keeps slowly growing worlds from allocating
// in every step.
template <class T>
void grow(Array<T>& array, std::int64_t size, Device device) {
  if (array.size() >= size && array.device() == device) return;
  const std::int64_t room = array.device() == device ? std::max(size, 2 * array.size()) : size;
  array = Array<T>();  // released first: both together might not fit
  array = Array<T>(room, device);
}

}  // namespace carom
