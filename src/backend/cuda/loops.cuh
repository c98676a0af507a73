// The CUDA side of launch(), the counterpart of backend/cpu/loops.h: included by the kernels.cu stubs alone.
#pragma once

#include <cuda_runtime.h>

#include "backend/cuda/cuda_backend.h"
#include "backend/launch.h"
#include "backend/team.h"
#include "backend/world_lanes.h"

namespace carom {
namespace cuda {

constexpr int kThreadsPerBlock = 256;

template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) loop(Kernel kernel, int n) {
  const unsigned i = blockIdx.x * kThreadsPerBlock + threadIdx.x;  // n + 255 does not fit an int
  if (i < static_cast<unsigned>(n)) kernel(static_cast<int>(i));
}

// One thread a world.
template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) lanes_loop(Kernel kernel, int n) {
  const unsigned i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= static_cast<unsigned>(n)) return;
  const WorldIds<typename Kernel::Number> ids{kernel.worlds[i]};
  if constexpr (requires { kernel.template scratch_bytes<typename Kernel::Number>(); }) {
    kernel(Team<1>{}, ids, nullptr);  // kernels of one world at a time work in place
  } else {
    kernel(Team<1>{}, ids);
  }
}

template <class Kernel>
void send(const Queue& queue, int n, const Kernel& kernel, void (*function)(Kernel, int)) {
  const DeviceScope scope(queue.device());
  const unsigned blocks = (static_cast<unsigned>(n) + kThreadsPerBlock - 1) / kThreadsPerBlock;
  function<<<blocks, kThreadsPerBlock, 0, static_cast<cudaStream_t>(queue.stream())>>>(kernel, n);
  check_launch();
}

}  // namespace cuda

template <class Kernel>
void CudaLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel) {
  cuda::send(queue, n, kernel, cuda::loop<Kernel>);
}

template <class Kernel>
void CudaLanesLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel) {
  cuda::send(queue, n, kernel, cuda::lanes_loop<Kernel>);
}

}  // namespace carom
