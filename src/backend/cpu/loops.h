// The CPU side of launch(): included by the kernels.cpp stubs alone, which are compiled once per tier.
// Nothing here may leave a symbol that two tiers share: every function is a member of a template over the tier.
#pragma once

#include "backend/crew.h"
#include "backend/launch.h"
#include "backend/team.h"
#include "backend/world_lanes.h"

namespace carom {

template <class Kernel, class Tier>
void CpuLoop<Kernel, Tier>::run(const void* kernel, int begin, int end) {
  const Kernel& k = *static_cast<const Kernel*>(kernel);
  if constexpr (requires { k.range(begin, end); }) {
    k.range(begin, end);
  } else if constexpr (requires { Kernel::kCudaTeam; }) {
    for (int i = begin; i < end; ++i) k(Solo{}, i);
  } else {
    for (int i = begin; i < end; ++i) k(i);
  }
}

template <class Kernel, class Tier>
const bool CpuLoop<Kernel, Tier>::kAdded = [] {
  if constexpr (kTestTier<Tier> >= 0) {
    TestLoops<Kernel>::range[kTestTier<Tier>] = &run;
    return add_test_tiers();
  }
  return false;
}();

template <class Kernel, class Tier>
int CpuLanesLoop<Kernel, Tier>::width() {
  return kTierWidth<typename Kernel::Number>;
}

template <class Kernel, class Tier>
std::int64_t CpuLanesLoop<Kernel, Tier>::scratch_bytes(const void* kernel, bool one_world_at_a_time) {
  using Number = typename Kernel::Number;
  const Kernel& k = *static_cast<const Kernel*>(kernel);
  if constexpr (requires { k.template scratch_bytes<Number>(); }) {
    return one_world_at_a_time ? k.template scratch_bytes<Number>()
                               : k.template scratch_bytes<Lanes<Number, kTierWidth<Number>>>();
  } else {
    return 0;
  }
}

template <class Kernel, class Tier>
void CpuLanesLoop<Kernel, Tier>::run_lanes(const void* kernel, int begin, int end) {
  using Number = typename Kernel::Number;
  const Kernel& k = *static_cast<const Kernel*>(kernel);
  const auto ids = [&](int group) { return tier_group<Number>(k.worlds, group); };
  // A kernel that keeps data of its worlds in lanes says how much; each thread has one block for it, which it may lay
  // out once. One that reads worlds in an order that no cache guesses may say what it will read of the next group.
  if constexpr (requires { k.template scratch_bytes<Number>(); }) {
    void* const scratch = thread_scratch(scratch_bytes(kernel, false));
    using Group = Lanes<Number, kTierWidth<Number>>;
    if constexpr (requires { k.template lay_out<Group>(Solo{}, scratch); }) k.template lay_out<Group>(Solo{}, scratch);
    for (int group = begin; group < end; ++group) {
      // Behind the last group of a chunk most often comes the next chunk; behind the last of all it asks for a world
      // that is there already.
      if constexpr (requires { fetch_ahead(k, ids(group)); }) fetch_ahead(k, ids(group + 1));
      k(Solo{}, ids(group), scratch);
    }
  } else {
    for (int group = begin; group < end; ++group) k(Solo{}, ids(group));
  }
}

template <class Kernel, class Tier>
void CpuLanesLoop<Kernel, Tier>::run_one(const void* kernel, int begin, int end) {
  using Number = typename Kernel::Number;
  const Kernel& k = *static_cast<const Kernel*>(kernel);
  if constexpr (requires { k.template scratch_bytes<Number>(); }) {
    void* const scratch = thread_scratch(scratch_bytes(kernel, true));
    if constexpr (requires { k.template lay_out<Number>(Solo{}, scratch); })
      k.template lay_out<Number>(Solo{}, scratch);
    if constexpr (requires { k.crew; }) {
      for (int i = begin; i < end; ++i) k(Crew(k.crew), WorldIds<Number>{k.worlds[i]}, scratch);
    } else {
      for (int i = begin; i < end; ++i) k(Solo{}, WorldIds<Number>{k.worlds[i]}, scratch);
    }
  } else {
    for (int i = begin; i < end; ++i) k(Solo{}, WorldIds<Number>{k.worlds[i]});
  }
}

template <class Kernel, class Tier>
const bool CpuLanesLoop<Kernel, Tier>::kAdded = [] {
  if constexpr (kTestTier<Tier> >= 0) {
    TestLoops<Kernel>::lanes[kTestTier<Tier>] = lanes_fns<Kernel, Tier>();
    return add_test_tiers();
  }
  return false;
}();

}  // namespace carom
