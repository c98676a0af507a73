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

// Sizes of teams that kernels are compiled for; each costs compile time.
#if !defined(CAROM_TEAM_SIZES)
#define CAROM_TEAM_SIZES(X) X(8) X(16) X(32)
#endif

namespace carom {
namespace cuda {

constexpr int kThreadsPerBlock = 256;
constexpr int kMaxTeamThreads = 1024;  // of a block of teams

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

// T threads a world. The grid holds the teams that fit the GPU at once, each with memory of its own, and every team
// takes one world after the other. Teams of a block stay together (Team::together), so those that run out of worlds
// repeat the last one: the same values are computed and stored more than once.
template <class Kernel, int T>
__global__ void __launch_bounds__(kMaxTeamThreads)
    teams_loop(const __grid_constant__ Kernel kernel, int n, int fast_bytes, char* slow, std::int64_t slow_bytes) {
  extern __shared__ __align__(16) char shared[];
  const int teams = blockDim.x / T, in_block = threadIdx.x / T;
  const Workspace workspace{shared + in_block * fast_bytes, slow + (blockIdx.x * teams + in_block) * slow_bytes};
  for (int first = blockIdx.x * teams; first < n; first += gridDim.x * teams) {
    const int i = first + in_block < n ? first + in_block : n - 1;
    kernel(Team<T>{}, WorldIds<typename Kernel::Number>{kernel.worlds[i]}, workspace);
    __syncthreads();
  }
}

template <class Kernel, int T>
void send_teams(const Queue& queue, int n, const Kernel& kernel, Array<char>& memory) {
  const DeviceScope scope(queue.device());
  WorkspaceBytes bytes = kernel.template workspace_bytes<typename Kernel::Number>(false);
  bytes.fast = (bytes.fast + 15) / 16 * 16;
  bytes.slow = (bytes.slow + 255) / 256 * 256;
  const auto function = teams_loop<Kernel, T>;
  const TeamGrid grid = team_grid(reinterpret_cast<const void*>(function), T, kMaxTeamThreads, bytes.fast, n);
  const int teams = grid.threads / T;
  grow(memory, std::int64_t{grid.blocks} * teams * bytes.slow, queue.device());
  function<<<grid.blocks, grid.threads, bytes.fast * teams, static_cast<cudaStream_t>(queue.stream())>>>(
      kernel, n, static_cast<int>(bytes.fast), memory.data(), bytes.slow);
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
