// The CUDA side of launch(), the counterpart of backend/cpu/loops.h: included by the kernels.cu stubs alone.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "backend/cuda/cuda_backend.h"
#include "backend/launch.h"
#include "backend/scratch.h"
#include "backend/team.h"
#include "backend/world_lanes.h"
#include "carom/error.h"

// Sizes of teams that kernels are compiled for; each costs compile time.
#if !defined(CAROM_TEAM_SIZES)
#define CAROM_TEAM_SIZES(X) X(1) X(8) X(32)
#endif

namespace carom {
namespace cuda {

constexpr int kThreadsPerBlock = 256;

// Threads of a block of teams, at most. Blocks are large, and one fills a processor: its teams go through the code side
// by side (Team::together) and share what is fetched of it. A thread alone with its world waits for memory most of the
// time, so there are twice as many of them, with half the registers.
constexpr int max_team_threads(int team_size) { return team_size == 1 ? 1024 : 512; }

template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) loop(Kernel kernel, Count n) {
  const unsigned i = blockIdx.x * kThreadsPerBlock + threadIdx.x;  // n + 255 does not fit an int
  if (i < static_cast<unsigned>(n.size())) kernel(static_cast<int>(i));
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

template <class Kernel, class N>
void send(const Queue& queue, int threads, const Kernel& kernel, N n, void (*function)(Kernel, N)) {
  const DeviceScope scope(queue.device());
  const unsigned blocks = (static_cast<unsigned>(threads) + kThreadsPerBlock - 1) / kThreadsPerBlock;
  function<<<blocks, kThreadsPerBlock, 0, static_cast<cudaStream_t>(queue.stream())>>>(kernel, n);
  check_launch();
}

// T threads a world. The grid holds the teams that fit the GPU at once, each with memory of its own, and every team
// takes one world after the other. Teams of a block stay together, so those that run out of worlds repeat the last one:
// the same values are computed and stored more than once.
template <class Kernel, int T, int MaxThreads>
__global__ void __launch_bounds__(MaxThreads, 1)
    teams_loop(const __grid_constant__ Kernel kernel, int n, char* memory, std::int64_t bytes) {
  const int teams = blockDim.x / T, in_block = threadIdx.x / T;
  char* scratch;
  if (T == 1 && memory == nullptr) {
    // On its stack the numbers of a thread alternate with those of its neighbours, and a warp reads 32 of them at once.
    scratch = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(alloca(bytes + 16)) + 15) / 16 * 16);
  } else {
    scratch = memory + (blockIdx.x * teams + in_block) * bytes;
  }
  for (int first = blockIdx.x * teams; first < n; first += gridDim.x * teams) {
    const int i = first + in_block < n ? first + in_block : n - 1;
    kernel(Team<T>{}, WorldIds<typename Kernel::Number>{kernel.worlds[i]}, scratch);
    __syncthreads();
  }
}

template <class Kernel, int T>
void send_teams(const Queue& queue, int n, const Kernel& kernel, Array<char>& memory) {
  const DeviceScope scope(queue.device());
  const std::int64_t bytes = (kernel.template scratch_bytes<typename Kernel::Number>() + 127) / 128 * 128;
  constexpr int kMaxThreads = max_team_threads(T);
  const auto function = teams_loop<Kernel, T, kMaxThreads>;
  const TeamGrid grid = team_grid(reinterpret_cast<const void*>(function), T, kMaxThreads, n);
  const bool on_stack = T == 1 && bytes <= kMostStack;
  if (on_stack) grow_stack(bytes + kStackOfCalls);
  else grow(memory, std::int64_t{grid.blocks} * (grid.threads / T) * bytes, queue.device());
  function<<<grid.blocks, grid.threads, 0, static_cast<cudaStream_t>(queue.stream())>>>(
      kernel, n, on_stack ? nullptr : memory.data(), bytes);
  check_launch();
}

}  // namespace cuda

template <class Kernel>
void CudaLoop<Kernel>::run(const Queue& queue, Count n, const Kernel& kernel) {
  cuda::send(queue, n.room, kernel, n, cuda::loop<Kernel>);
}

template <class Kernel>
void CudaLanesLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel) {
  cuda::send(queue, n, kernel, n, cuda::lanes_loop<Kernel>);
}

template <class Kernel>
void CudaTeamsLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel, const TeamConfig& config) {
  switch (config.team_size) {
#define CAROM_TEAM(T) \
  case T: return cuda::send_teams<Kernel, T>(queue, n, kernel, *config.memory);
    CAROM_TEAM_SIZES(CAROM_TEAM)
#undef CAROM_TEAM
  }
  throw Error("no teams of " + std::to_string(config.team_size) + " threads in this build");
}

}  // namespace carom
