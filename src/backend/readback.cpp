#include "backend/readback.h"

#include "backend/cuda/cuda_backend.h"

namespace carom {

Readback::Readback(std::int64_t size, Device device) : on_device_(size, device), on_host_(on_device_) {
  if (device.is_cpu()) return;
  const std::shared_ptr<void> pinned = cuda::allocate_pinned(device, on_device_.bytes());
  on_host_ = Array<std::int64_t>(pinned, static_cast<std::int64_t*>(pinned.get()), size);
}

void Readback::send(const Queue& queue) const {
  if (!queue.device().is_cpu()) cuda::send_copy(queue, on_host_.data(), on_device_.data(), on_device_.bytes());
}

}  // namespace carom
