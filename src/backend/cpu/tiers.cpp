// Which of the CPU tiers in this library the machine can run, and which one is in use.
#include "backend/tiers.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/fail.h"
#include "carom/queue.h"

namespace carom {
namespace {

struct TierInfo {
  const char* name;
  bool supported;
  bool for_tests;  // used only when asked for
};

template <class Tier>
TierInfo tier_info();

template <>
[[maybe_unused]] TierInfo tier_info<tier::baseline>() {
  return {"baseline", true, false};
}
template <>
[[maybe_unused]] TierInfo tier_info<tier::shuffled>() {
  return {"shuffled", true, true};
}
#if defined(__x86_64__)
template <>
[[maybe_unused]] TierInfo tier_info<tier::avx2>() {
  return {"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), false};
}
template <>
[[maybe_unused]] TierInfo tier_info<tier::avx512>() {
  return {"avx512",
          __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
          false};
}
#else
template <>
[[maybe_unused]] TierInfo tier_info<tier::wide>() {
  return {"wide", true, true};
}
#endif

template <class... Tiers>
const std::array<TierInfo, sizeof...(Tiers)>& infos_of(TierList<Tiers...>) {
#if defined(__x86_64__)
  __builtin_cpu_init();  // a queue may be made before main()
#endif
  static const std::array<TierInfo, sizeof...(Tiers)> infos{tier_info<Tiers>()...};
  return infos;
}

// All that may be there; those of the tests, the last ones, are when a program brings them along.
const auto& infos() { return infos_of(AllTiersWithTests{}); }
bool with_test_tiers = false;

const TierInfo& info(int tier) {
  if (tier >= 0 && tier < cpu_tier_count()) return infos()[tier];
  fail("CPU tier ", tier, " does not exist: this build has tiers 0 to ", cpu_tier_count() - 1);
}

// Says which names would be right.
std::string supported_names() {
  std::string names;
  for (int i = 0; i < cpu_tier_count(); ++i) {
    const TierInfo& tier = infos()[i];
    if (tier.supported) names += (names.empty() ? "" : ", ") + std::string(tier.name);
  }
  return names;
}

// The best tier that the CPU runs, or the one that the environment names.
int tier_at_start() {
  const char* wanted = std::getenv("CAROM_TIER");
  int chosen = -1;
  for (int i = 0; i < cpu_tier_count(); ++i) {
    const TierInfo& tier = infos()[i];
    const bool suits = wanted ? std::string_view(wanted) == tier.name : !tier.for_tests;
    if (suits && tier.supported) chosen = i;
  }
  if (chosen >= 0) return chosen;
  fail("environment variable CAROM_TIER=\"", wanted ? wanted : "",
       "\" names no CPU tier that this build has and this CPU runs; use one of: ", supported_names());
}

std::atomic<int>& tier_in_use() {
  static std::atomic<int> tier = tier_at_start();
  return tier;
}

}  // namespace

bool add_test_tiers() { return with_test_tiers = true; }

int cpu_tier_count() { return static_cast<int>(infos().size()) - (with_test_tiers ? 0 : kTestTierCount); }
const char* cpu_tier_name(int tier) { return info(tier).name; }
bool cpu_tier_supported(int tier) { return info(tier).supported; }
int cpu_tier() { return tier_in_use().load(std::memory_order_relaxed); }

void set_cpu_tier(int tier) {
  if (!info(tier).supported) {
    fail("this CPU cannot run tier \"", info(tier).name, "\"; use one of: ", supported_names());
  }
  tier_in_use().store(tier, std::memory_order_relaxed);
}

}  // namespace carom
