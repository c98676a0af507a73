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

// Where the items of each size of team begin.
struct ClassStarts {
  int known[kTeamClasses + 1] = {};
  const int* found = nullptr;  // on the device; nullptr: they are known
  const int* count = nullptr;  // on the device: of the items; nullptr: all that are known

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
  std::int64_t stack;  // bytes of a thread alone, 0: it has a slot
};

// For the kernels that lay out their memory once.
template <class Kernel, class OfItem>
__device__ void lay_out(const Kernel& kernel, OfItem team, char* memory) {
  if constexpr (requires { kernel.lay_out(team, memory); }) kernel.lay_out(team, memory);
}

// Teams of these sizes, one after the other, in blocks of Threads threads, of which a processor holds Blocks at least.
// The grid holds the blocks that fit the GPU at once; every block takes a piece of the items, as many as it has teams,
// and then each gridDim.x-th piece after it. Threads of the last size that find no item left are done, so that those of
// their warp do not wait for them.
template <class Kernel, int Threads, int Blocks, int... Sizes>
__global__ void __launch_bounds__(Threads, Blocks)
    teams_loop(const __grid_constant__ Kernel kernel, const __grid_constant__ ClassStarts starts, TeamMemory memory) {
  int c = 0, piece = blockIdx.x, first_piece = 0, end = starts[0];
  const int last = starts[sizeof...(Sizes)];
  constexpr bool kMixed = sizeof...(Sizes) == kTeamClasses;
  const auto run = [&]<int T>(Team<T, Kernel::kInStep, kMixed> team) {
    // Warps are filled from the next size: no team of a warp goes on to it before the others.
    constexpr int kInWarp = 32 / T;
    const int begin = end, own_end = starts[++c];
    if (own_end > begin) end = begin + (own_end - begin + kInWarp - 1) / kInWarp * kInWarp;
    end = end < last ? end : last;
    if (begin == end) return;
    const int teams = Threads / T, in_block = threadIdx.x / T;
    char* own;
    if (T == 1 && memory.stack > 0) {
      // There the numbers of a thread alternate with those of its neighbours, and a warp reads 32 of them at once.
      own = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(alloca(memory.stack + 16)) + 15) / 16 * 16);
    } else {
      own = memory.first + (std::int64_t{blockIdx.x} * memory.slots + in_block) * memory.bytes;
    }
    lay_out(kernel, team, own);
    for (; (piece - first_piece) * teams < end - begin; piece += gridDim.x) {
      const int i = begin + (piece - first_piece) * teams + in_block;
      if (i < end) kernel(team, i, own);
    }
    first_piece += (end - begin + teams - 1) / teams;
  };
  (run(Team<Sizes, Kernel::kInStep, kMixed>{}), ...);
}

// alone: some items are for one thread. Stacks of all threads that a GPU can run take memory, so nobody asks for them
// in vain.
template <int Threads, int Blocks, int... Sizes, class Kernel>
void send_teams(const Queue& queue, int n, const Kernel& kernel, const ClassStarts& starts, bool alone,
                Array<char>& memory) {
  const DeviceScope scope(queue.device());
  const auto bytes_of = [&]<int T>() { return (kernel.template memory_bytes<Team<T>>() + 127) / 128 * 128; };
  constexpr int kLargest = std::max({Sizes...}), kTeam = std::min({(Sizes == 1 ? 32 : Sizes)...});
  const std::int64_t of_thread = alone ? bytes_of.template operator()<1>() : 0;
  const bool on_stack = alone && of_thread <= kMostStack;
  if (on_stack) grow_stack(of_thread + kStackOfCalls);
  const auto function = teams_loop<Kernel, Threads, Blocks, Sizes...>;
  const TeamGrid grid = team_grid(reinterpret_cast<const void*>(function), Threads, n, kLargest);
  const std::int64_t bytes = std::max(on_stack ? 0 : of_thread, bytes_of.template operator()<kTeam>());
  const int slots = alone && !on_stack ? Threads : Threads / kTeam;
  grow(memory, std::int64_t{grid.blocks} * slots * bytes, queue.device());
  function<<<grid.blocks, grid.threads, 0, static_cast<cudaStream_t>(queue.stream())>>>(
      kernel, starts, {memory.data(), bytes, slots, on_stack ? of_thread : 0});
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
  Array<char>& memory = *config.memory;
  const bool alone = config.team_size == 1;
  if constexpr (Kernel::kInStep) {
    const cuda::ClassStarts all{.known = {0, n}, .count = config.count};
    switch (config.team_size) {
      case 32: return cuda::send_teams<128, 4, 32>(queue, n, kernel, all, alone, memory);
      case 8: return cuda::send_teams<128, 4, 8>(queue, n, kernel, all, alone, memory);
      case 1: return cuda::send_teams<128, 4, 1>(queue, n, kernel, all, alone, memory);
    }
    throw Error("no teams of " + std::to_string(config.team_size) + " threads in this build");
  } else {
    // A thread alone waits for memory most of the time: there are more of them, with fewer registers. Teams go through
    // long code side by side (Team::together), so their blocks are large.
    cuda::ClassStarts starts{.found = config.class_start, .count = config.count};
    for (int c = 0; c < kTeamClasses; ++c) starts.known[c + 1] = config.team_size >= kTeamSizes[c] ? n : 0;
    if (alone)
      cuda::send_teams<256, 4, kTeamSizes[0], kTeamSizes[1], kTeamSizes[2]>(queue, n, kernel, starts, alone, memory);
    else cuda::send_teams<512, 1, kTeamSizes[0], kTeamSizes[1]>(queue, n, kernel, starts, alone, memory);
  }
}

}  // namespace carom
