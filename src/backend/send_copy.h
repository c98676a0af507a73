// A copy of an array as a part of what a queue is sent: nothing is waited for, and it can be recorded with kernels.
#pragma once

#include "backend/cuda/cuda_backend.h"

namespace carom {

// Both are of one size and on the queue's device.
template <class T>
void send_copy(const Queue& queue, const Array<T>& from, const Array<T>& to) {
  check_same_size(to.size(), from.size());
  if (queue.device().is_cpu()) to.assign(from);
  else if (!from.empty()) cuda::send_copy(queue, to.data(), from.data(), from.bytes());
}

}  // namespace carom
