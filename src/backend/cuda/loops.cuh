// The CUDA side of launch(), the counterpart of backend/cpu/loops.h: included by the kernels.cu stubs alone.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "backend/cuda/cuda_backend.h"
#include "backend/launch.h"
#include "backend/scratch.h"
#include "backend/team.h"
#include "backend/world_lanes.h"
#include "carom/error.h"

namespace carom {
namespace cuda {

constexpr int kThreadsPerBlock = 256;

// Threads of an item or a world, for kernels that say so; otherwise one.
template <class Kernel>
constexpr int threads_of_item() {
  if constexpr (requires { Kernel::kCudaTeam; }) return Kernel::kCudaTeam;
  else return 1;
}

template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) loop(Kernel kernel, Count n) {
  constexpr int T = threads_of_item<Kernel>();
  const unsigned i = (blockIdx.x * kThreadsPerBlock + threadIdx.x) / T;  // n + 255 does not fit an int
  if (i >= static_cast<unsigned>(n.size())) return;
  if constexpr (requires { Kernel::kCudaTeam; }) kernel(Team<T>{}, static_cast<int>(i));
  else kernel(static_cast<int>(i));
}

// Worlds of a block, and what each has of its shared memory [bytes]: what the kernel asks for, or nothing when that is
// more than every GPU has.
template <class Kernel>
constexpr int kWorldsPerBlock = kThreadsPerBlock / threads_of_item<Kernel>();
template <class Kernel>
CAROM_HD int near_bytes(const Kernel& kernel) {
  constexpr int kMost = 48 << 10;
  if constexpr (requires { kernel.near_bytes(); }) {
    const int bytes = kernel.near_bytes();
    return bytes <= kMost / kWorldsPerBlock<Kernel> ? bytes : 0;
  }
  return 0;
}
extern __shared__ __align__(16) char near_memory[];

template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) lanes_loop(const __grid_constant__ Kernel kernel, int n) {
  using OfWorld = Team<threads_of_item<Kernel>()>;
  const unsigned i = (blockIdx.x * kThreadsPerBlock + threadIdx.x) / OfWorld::size();
  if (i >= static_cast<unsigned>(n)) return;
  const WorldIds<typename Kernel::Number> ids{kernel.worlds[i]};
  if constexpr (requires { kernel.template scratch_bytes<typename Kernel::Number>(); }) {
    const int near = near_bytes(kernel);
    kernel(OfWorld{}, ids, near > 0 ? near_memory + threadIdx.x / OfWorld::size() * near : nullptr);
  } else {
    kernel(OfWorld{}, ids);
  }
}

template <class Kernel, class N>
void send(const Queue& queue, std::int64_t threads, const Kernel& kernel, N n, void (*function)(Kernel, N),
          int shared = 0) {
  const DeviceScope scope(queue.device());
  const auto blocks = static_cast<unsigned>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock);
  function<<<blocks, kThreadsPerBlock, shared, static_cast<cudaStream_t>(queue.stream())>>>(kernel, n);
  check_launch();
}

// Memory of the teams: one slot of each block for every team that it holds. A thread alone uses its stack where it can.
struct TeamMemory {
  char* first;
  std::int64_t bytes;  // of a slot
  std::int64_t stack;  // bytes of a thread alone, 0: it has a slot
};

// Blocks of Threads threads, of which a processor holds Blocks at least. The grid holds the blocks that fit the GPU at
// once; every block takes as many items as it has teams, and then those gridDim.x times as many behind. Threads that
// find no item left are done, so that those of their warp do not wait for them.
template <class Kernel, int Threads, int Blocks, int T>
__global__ void __launch_bounds__(Threads, Blocks)
    teams_loop(const __grid_constant__ Kernel kernel, const int* begin, const int* end, int n, TeamMemory memory) {
  constexpr int kTeams = Threads / T;
  const int last = end ? *end : n, slot = blockIdx.x * kTeams + threadIdx.x / T;
  char* own;
  if (T == 1 && memory.stack > 0) {
    // There the numbers of a thread alternate with those of its neighbours, and a warp reads 32 of them at once.
    own = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(alloca(memory.stack + 16)) + 15) / 16 * 16);
  } else {
    own = memory.first + slot * memory.bytes;
  }
  const Team<T, Kernel::kInStep, true> team;
  for (int i = (begin ? *begin : 0) + slot; i < last; i += gridDim.x * kTeams) kernel(team, i, own);
}

template <int Threads, int Blocks, int T, class Kernel>
void send_teams(const Queue& queue, int n, const Kernel& kernel, const TeamConfig& config) {
  const DeviceScope scope(queue.device());
  const std::int64_t bytes = (kernel.template memory_bytes<Team<T>>() + 127) / 128 * 128;
  const bool on_stack = T == 1 && bytes <= kMostStack;
  const auto function = teams_loop<Kernel, Threads, Blocks, T>;
  if (on_stack) grow_stack(reinterpret_cast<const void*>(function), bytes);
  const TeamGrid grid = team_grid(reinterpret_cast<const void*>(function), Threads, n, T);
  if (!on_stack) grow(*config.memory, std::int64_t{grid.blocks} * (Threads / T) * bytes, queue.device());
  function<<<grid.blocks, grid.threads, 0, static_cast<cudaStream_t>(queue.stream())>>>(
      kernel, config.begin, config.end, n, {config.memory->data(), bytes, on_stack ? bytes : 0});
  check_launch();
}

}  // namespace cuda

template <class Kernel>
void CudaLoop<Kernel>::run(const Queue& queue, Count n, const Kernel& kernel) {
  cuda::send(queue, std::int64_t{n.room} * cuda::threads_of_item<Kernel>(), kernel, n, cuda::loop<Kernel>);
}

template <class Kernel>
void CudaLanesLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel) {
  cuda::send(queue, std::int64_t{n} * cuda::threads_of_item<Kernel>(), kernel, n, cuda::lanes_loop<Kernel>,
             cuda::near_bytes(kernel) * cuda::kWorldsPerBlock<Kernel>);
}

template <class Kernel>
void CudaTeamsLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel, const TeamConfig& config) {
  // A thread alone that goes its own way needs registers more than company.
  constexpr int kBlocksAlone = Kernel::kInStep ? 4 : 2;
  switch (config.team_size) {
    case 32: return cuda::send_teams<128, 4, 32>(queue, n, kernel, config);
    case 8: return cuda::send_teams<128, 4, 8>(queue, n, kernel, config);
    case 1: return cuda::send_teams<128, kBlocksAlone, 1>(queue, n, kernel, config);
  }
  throw Error("no teams of " + std::to_string(config.team_size) + " threads in this build");
}

}  // namespace carom
