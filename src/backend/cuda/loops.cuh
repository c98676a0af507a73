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

template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) lanes_loop(const __grid_constant__ Kernel kernel, int n) {
  using OfWorld = Team<threads_of_item<Kernel>()>;
  const unsigned i = (blockIdx.x * kThreadsPerBlock + threadIdx.x) / OfWorld::size();
  if (i >= static_cast<unsigned>(n)) return;
  const WorldIds<typename Kernel::Number> ids{kernel.worlds[i]};
  if constexpr (requires { kernel.template scratch_bytes<typename Kernel::Number>(); }) {
    kernel(OfWorld{}, ids, nullptr);  // kernels of one world at a time work in place
  } else {
    kernel(OfWorld{}, ids);
  }
}

template <class Kernel, class N>
void send(const Queue& queue, std::int64_t threads, const Kernel& kernel, N n, void (*function)(Kernel, N)) {
  const DeviceScope scope(queue.device());
  const auto blocks = static_cast<unsigned>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock);
  function<<<blocks, kThreadsPerBlock, 0, static_cast<cudaStream_t>(queue.stream())>>>(kernel, n);
  check_launch();
}

// Where the worlds of each size of team begin.
struct ClassStarts {
  int known[kTeamClasses + 1] = {};
  const int* found = nullptr;  // on the device; nullptr: they are known
  const int* count = nullptr;  // on the device: of the worlds; nullptr: all that are known

  __device__ int operator[](int c) const {
    if (found) return found[c];
    return count && known[c] > *count ? *count : known[c];
  }
};

// Memory of the teams: one slot of each block for every team that it may hold. A thread alone uses its stack where it
// can.
struct TeamMemory {
  char* first;
  std::int64_t bytes;  // of a slot
  int slots;           // of a block
  bool on_stack;
};

// Teams of these sizes, one after the other, in blocks of up to Threads threads, of which a processor holds Blocks at
// least. The grid holds the blocks that fit the GPU at once; every block takes a piece of the worlds, as many as it has
// teams, and then each gridDim.x-th piece after it. Teams of a block go through the code side by side (Team::together)
// and share what is fetched of it, so those that run out of worlds repeat the last one: the same values are computed
// and stored more than once.
template <class Kernel, int Threads, int Blocks, int... Sizes>
__global__ void __launch_bounds__(Threads, Blocks)
    teams_loop(const __grid_constant__ Kernel kernel, const __grid_constant__ ClassStarts starts, TeamMemory memory) {
  int c = 0, piece = blockIdx.x, first_piece = 0;
  const auto run = [&]<int T>(Team<T, (sizeof...(Sizes) > 1)> team) {
    const int begin = starts[c], end = starts[++c];
    if (begin == end) return;
    const int teams = blockDim.x / T, in_block = threadIdx.x / T;
    char* scratch;
    if (T == 1 && memory.on_stack) {
      // There the numbers of a thread alternate with those of its neighbours, and a warp reads 32 of them at once.
      scratch = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(alloca(memory.bytes + 16)) + 15) / 16 * 16);
    } else {
      scratch = memory.first + (std::int64_t{blockIdx.x} * memory.slots + in_block) * memory.bytes;
    }
    kernel.template lay_out<typename Kernel::Number>(team, scratch);
    for (; (piece - first_piece) * teams < end - begin; piece += gridDim.x) {
      const int i = begin + (piece - first_piece) * teams + in_block;
      kernel(team, WorldIds<typename Kernel::Number>{kernel.worlds[i < end ? i : end - 1]}, scratch);
      __syncthreads();
    }
    first_piece += (end - begin + teams - 1) / teams;
  };
  (run(Team<Sizes, (sizeof...(Sizes) > 1)>{}), ...);
}

template <int Threads, int Blocks, int... Sizes, class Kernel>
void send_teams(const Queue& queue, int n, const Kernel& kernel, const ClassStarts& starts, int smallest,
                Array<char>& memory) {
  const DeviceScope scope(queue.device());
  const std::int64_t bytes = (kernel.template scratch_bytes<typename Kernel::Number>() + 127) / 128 * 128;
  const auto function = teams_loop<Kernel, Threads, Blocks, Sizes...>;
  const int largest = starts.found ? std::max({Sizes...}) : smallest;
  const TeamGrid grid = team_grid(reinterpret_cast<const void*>(function), Threads, n, {smallest, largest});
  const bool on_stack = smallest == 1 && bytes <= kMostStack;
  if (on_stack) grow_stack(bytes + kStackOfCalls);
  const int smallest_in_memory = on_stack ? kTeamSizes[kTeamClasses - 2] : smallest;
  const int slots = on_stack && !starts.found ? 0 : grid.threads / smallest_in_memory;
  if (slots > 0) grow(memory, std::int64_t{grid.blocks} * slots * bytes, queue.device());
  function<<<grid.blocks, grid.threads, 0, static_cast<cudaStream_t>(queue.stream())>>>(
      kernel, starts, {memory.data(), bytes, slots, on_stack});
  check_launch();
}

}  // namespace cuda

template <class Kernel>
void CudaLoop<Kernel>::run(const Queue& queue, Count n, const Kernel& kernel) {
  cuda::send(queue, std::int64_t{n.room} * cuda::threads_of_item<Kernel>(), kernel, n, cuda::loop<Kernel>);
}

template <class Kernel>
void CudaLanesLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel) {
  cuda::send(queue, std::int64_t{n} * cuda::threads_of_item<Kernel>(), kernel, n, cuda::lanes_loop<Kernel>);
}

template <class Kernel>
void CudaTeamsLoop<Kernel>::run(const Queue& queue, int n, const Kernel& kernel, const TeamConfig& config) {
  // A thread alone with its world waits for memory most of the time: there are more of them, with fewer registers.
  const auto mixed = [&](const cuda::ClassStarts& starts) {
    cuda::send_teams<256, 4, kTeamSizes[0], kTeamSizes[1], kTeamSizes[2]>(queue, n, kernel, starts, 1, *config.memory);
  };
  if (config.class_start) return mixed({.found = config.class_start});
  switch (config.team_size) {
    case 32:
      return cuda::send_teams<512, 1, 32>(queue, n, kernel, {.known = {0, n}, .count = config.count}, 32,
                                          *config.memory);
    case 8:
      return cuda::send_teams<512, 1, 8>(queue, n, kernel, {.known = {0, n}, .count = config.count}, 8, *config.memory);
    case 1: return mixed({.known = {0, 0, 0, n}, .count = config.count});
  }
  throw Error("no teams of " + std::to_string(config.team_size) + " threads in this build");
}

}  // namespace carom
