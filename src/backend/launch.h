// launch(): runs a kernel, a struct of views with one call operator, on a queue's device. Host code includes only
// this file; the loops are compiled once per CPU tier and once for CUDA by the stubs `kernels.cpp` and `kernels.cu`
// of each module, which list the module's kernels in `kernels.def`.
//
//   launch(queue, n, K{...})              k(i)              for i in [0, n); n is a number or a Count. k(team, i) for
//                                                           kernels that say kCudaTeam: threads an item on CUDA
//   launch_worlds(queue, entities, K{})   k(world, entity)  for every entity of every world, ragged
//   launch_lanes(queue, K{worlds, ...})   k(team, worlds)   for every listed world, W at a time in lanes on the CPU
//   launch_teams(queue, n, K{...}, ...)   k(team, i, memory)  for i in [0, n), on CUDA alone: teams of threads
//
// Iterations are independent; which thread runs which one is nobody's business. A kernel for launch() may have a loop
// of its own for the CPU, k.range(begin, end), which does several iterations at once in lanes and leaves the same bits.
#pragma once

#include <array>
#include <atomic>
#include <type_traits>

#include "backend/count.h"
#include "backend/tiers.h"
#include "carom/queue.h"

namespace carom {

using RangeFn = void (*)(const void* kernel, int begin, int end);

// What an item of a kernel took of late [ns], 0 = not known yet. Decides how many threads a job is worth.
using ItemCost = std::atomic<float>;

struct RangeJob {
  RangeFn run;
  const void* kernel;
  int n;
  int step = 1;                    // threads take multiples of this
  ItemCost* cost = nullptr;        // nullptr: worth as many threads as there are items
  std::int64_t scratch_bytes = 0;  // that run() asks thread_scratch() for
  float worth_a_thread = 20'000;   // what a thread gets to do at least: calling it costs some of this [ns]
};

// Splits [0, n) over threads of the queue. A launch inside a launch, and launches of several threads at once, are fine.
// What run() throws is thrown here, when all have stopped. Defined in backend/cpu.
void run_on_threads(const Queue& queue, const RangeJob& job);

// Memory of the calling thread for a kernel's own use, aligned to 64 bytes.
void* thread_scratch(std::int64_t bytes);

// -- What the stubs instantiate, once per kernel and tier (and once per kernel for CUDA).

template <class Kernel, class Tier>
struct CpuLoop {
  static void run(const void* kernel, int begin, int end);
  static const bool kAdded;  // a test tier: entered in TestLoops before main()
};

template <class Kernel, class Tier>
struct CpuLanesLoop {
  static int width();
  static std::int64_t scratch_bytes(const void* kernel, bool one_world_at_a_time);
  static void run_lanes(const void* kernel, int begin, int end);  // over groups of width() worlds
  static void run_one(const void* kernel, int begin, int end);    // over worlds
  static const bool kAdded;
};

template <class Kernel>
struct CudaLoop {
  static void run(const Queue& queue, Count n, const Kernel& kernel);
};

template <class Kernel>
struct CudaLanesLoop {
  static void run(const Queue& queue, int n, const Kernel& kernel);
};

// How a kernel of teams is sent to CUDA. `memory` holds what all the teams that run at once work in.
struct TeamConfig {
  int team_size = 32;          // threads per item: 32, 8 or 1
  const int* begin = nullptr;  // on the device: the first item; nullptr: 0
  const int* end = nullptr;    // on the device: behind the last one; nullptr: all
  Array<char>* memory = nullptr;
};

template <class Kernel>
struct CudaTeamsLoop {
  static void run(const Queue& queue, int n, const Kernel& kernel, const TeamConfig& config);
};

// -- Choosing the tier at run time: from the table of the library's tiers, or from what the test tiers have entered.

struct LanesFns {
  int (*width)();
  std::int64_t (*scratch_bytes)(const void* kernel, bool one_world_at_a_time);
  RangeFn lanes;
  RangeFn one;
};

template <class Kernel, class Tier>
constexpr LanesFns lanes_fns() {
  using Loop = CpuLanesLoop<Kernel, Tier>;
  return {&Loop::width, &Loop::scratch_bytes, &Loop::run_lanes, &Loop::run_one};
}

template <class Kernel>
struct TestLoops {
  static inline std::array<RangeFn, kTestTierCount> range{};
  static inline std::array<LanesFns, kTestTierCount> lanes{};
};

template <class Kernel, class... Tiers>
RangeFn loop_of_tier(TierList<Tiers...>, int tier) {
  constexpr int count = sizeof...(Tiers);
  static constexpr std::array<RangeFn, count> table{&CpuLoop<Kernel, Tiers>::run...};
  return tier < count ? table[tier] : TestLoops<Kernel>::range[tier - count];
}

struct LanesLoop {
  int width;
  RangeFn run;
  std::int64_t scratch_bytes;
};

template <class Kernel, class... Tiers>
LanesLoop lanes_loop_of_tier(TierList<Tiers...>, int tier, const Kernel& kernel, bool one_world_at_a_time) {
  constexpr int count = sizeof...(Tiers);
  static constexpr std::array<LanesFns, count> table{lanes_fns<Kernel, Tiers>()...};
  const LanesFns& fns = tier < count ? table[tier] : TestLoops<Kernel>::lanes[tier - count];
  const std::int64_t bytes = fns.scratch_bytes(&kernel, one_world_at_a_time);
  return one_world_at_a_time ? LanesLoop{1, fns.one, bytes} : LanesLoop{fns.width(), fns.lanes, bytes};
}

// -- The doors.

// Threads take multiples of this: a number that fills the lanes of every tier, unless a kernel says otherwise because
// its items are long.
template <class Kernel>
constexpr int items_together() {
  if constexpr (requires { Kernel::kItemsTogether; }) return Kernel::kItemsTogether;
  else return 16;
}

template <class Kernel>
void launch(const Queue& queue, Count n, const Kernel& kernel) {
  static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel is a struct of views and numbers");
  if (n.room <= 0) return;
  if (queue.device().is_cpu()) {
    static ItemCost cost;
    run_on_threads(queue,
                   {loop_of_tier<Kernel>(AllTiers{}, cpu_tier()), &kernel, n.size(), items_together<Kernel>(), &cost});
  } else {
    CudaLoop<Kernel>::run(queue, n, kernel);
  }
}

template <class Kernel>
void launch(const Queue& queue, int n, const Kernel& kernel) {
  launch(queue, Count{n}, kernel);
}

// The entities of one kind, by world (seed words: `body_world`, `body_world_start`).
struct WorldEntities {
  Span<const int> entity_world;        // world of each entity, -1 = global
  Span<const int> entity_world_start;  // world_count + 2 entries
  int first = 0;                       // first entity that belongs to a world
  int count = 0;                       // how many entities belong to worlds
};

// Adapts a kernel over (world, entity in world) to a flat loop: one thread an entity, none wasted on ragged worlds.
template <class Kernel>
struct WorldEntityKernel {
  Kernel kernel;
  WorldEntities entities;

  CAROM_HD void operator()(int i) const {
    const int entity = entities.first + i;
    const int world = entities.entity_world[entity];
    kernel(world, entity - entities.entity_world_start[world]);
  }
};

template <class Kernel>
void launch_worlds(const Queue& queue, const WorldEntities& entities, const Kernel& kernel) {
  launch(queue, entities.count, WorldEntityKernel<Kernel>{kernel, entities});
}

// How many of n worlds a kernel runs side by side.
template <class Kernel, class... Tiers>
int lanes_of_tier(TierList<Tiers...>, int tier) {
  constexpr int count = sizeof...(Tiers);
  static constexpr std::array<LanesFns, count> table{lanes_fns<Kernel, Tiers>()...};
  return (tier < count ? table[tier] : TestLoops<Kernel>::lanes[tier - count]).width();
}
template <class Kernel>
int lanes_of(const Queue& queue, int n) {
  const bool one_at_a_time = !queue.device().is_cpu() || queue.one_world_at_a_time() || n <= 1;
  return one_at_a_time ? 1 : lanes_of_tier<Kernel>(AllTiers{}, cpu_tier());
}

template <class Kernel>
void run_lanes_on_cpu(const Queue& queue, const Kernel& kernel, int n) {
  const bool one_at_a_time = queue.one_world_at_a_time() || n == 1;  // a single world does not fill lanes
  const LanesLoop loop = lanes_loop_of_tier<Kernel>(AllTiers{}, cpu_tier(), kernel, one_at_a_time);
  static ItemCost cost_of_group, cost_of_world;
  ItemCost* const cost = one_at_a_time ? &cost_of_world : &cost_of_group;
  run_on_threads(queue, {loop.run, &kernel, (n + loop.width - 1) / loop.width, 1, cost, loop.scratch_bytes});
}

// `kernel.worlds` lists the worlds to run (all of one archetype).
template <class Kernel>
void launch_lanes(const Queue& queue, const Kernel& kernel) {
  static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel is a struct of views and numbers");
  const int n = static_cast<int>(kernel.worlds.size);
  if (n <= 0) return;
  if (queue.device().is_cpu()) {
    run_lanes_on_cpu(queue, kernel, n);
  } else {
    CudaLanesLoop<Kernel>::run(queue, n, kernel);
  }
}

// For kernels that say with memory_bytes<Team>() how much memory a team needs while it is busy.
template <class Kernel>
void launch_teams(const Queue& queue, int n, const Kernel& kernel, const TeamConfig& config) {
  static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel is a struct of views and numbers");
  if (n > 0) CudaTeamsLoop<Kernel>::run(queue, n, kernel, config);
}

}  // namespace carom
