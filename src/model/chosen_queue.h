// The queue that something works with: the one it was given, or the default queue of its model's device.
#pragma once

#include "base/fail.h"
#include "carom/model.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

// Throws Error, in the name of `who`, for one on another device.
inline const Queue& chosen_queue(const char* who, const Model& model, const Queue* given) {
  const Queue& queue = given ? *given : default_queue(model.device);
  if (!(queue.device() == model.device))
    fail(who, ": the queue is on ", queue.device().name(), ", the model on ", model.device.name());
  return queue;
}

}  // namespace carom::inline CAROM_PRECISION
