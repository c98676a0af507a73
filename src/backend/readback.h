// Readback: a few numbers that kernels write and the host reads once the queue is finished. The copy is sent like a
// kernel, so that it can be recorded with them (backend/graph.h) and nothing more than the one wait is needed.
#pragma once

#include "carom/queue.h"

namespace carom {

class Readback {
 public:
  Readback(std::int64_t size, Device device);

  const Array<std::int64_t>& on_device() const { return on_device_; }
  // Behind the kernels that write.
  void send(const Queue& queue) const;
  // What was sent last; read it when the queue is finished.
  const std::int64_t* values() const { return on_host_.data(); }

 private:
  Array<std::int64_t> on_device_, on_host_;  // on the CPU the same
};

}  // namespace carom
