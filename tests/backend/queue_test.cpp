#include "carom/queue.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "carom/error.h"

namespace carom {
namespace {

// Proves that a wrong configuration is refused when the queue is made.
TEST(Queue, RefusesWrongConfigurations) {
  EXPECT_THROW(Queue(Device{}, {.threads = -1}), Error);
  EXPECT_THROW(Queue(Device{}, {.threads = 1 << 20}), Error);
  EXPECT_THROW(Queue(Device{}, {.lanes = -1}), Error);
  EXPECT_THROW(Queue(Device{}, {.lanes = 3}), Error);
  EXPECT_THROW(Queue(Device{DeviceType::kCuda, 1000}), Error);
}

// Proves that the configuration, then CAROM_THREADS, then the machine decide about the number of threads.
TEST(Queue, TakesThreadsFromConfigurationThenEnvironment) {
  const char* before = std::getenv("CAROM_THREADS");
  const std::string saved = before ? before : "";
  setenv("CAROM_THREADS", "5", 1);
  EXPECT_EQ(Queue().threads(), 5);
  EXPECT_EQ(Queue(Device{}, {.threads = 3}).threads(), 3);
  for (const char* wrong : {"", "0", "-2", "many", "4 ", "1000000"}) {
    setenv("CAROM_THREADS", wrong, 1);
    EXPECT_THROW(Queue(), Error) << '"' << wrong << '"';
  }
  unsetenv("CAROM_THREADS");
  EXPECT_GE(Queue().threads(), 1);
  if (before) setenv("CAROM_THREADS", saved.c_str(), 1);
}

// Proves that there is one default queue per device.
TEST(Queue, HasOneDefaultPerDevice) {
  EXPECT_EQ(&default_queue(), &default_queue(Device::parse("cpu")));
  EXPECT_EQ(default_queue().device(), Device{});
  EXPECT_EQ(default_queue().stream(), nullptr);
  EXPECT_THROW(default_queue(Device{DeviceType::kCuda, 1000}), Error);
}

// Proves that the test programs have the tiers of their own, which for_each_tier() would leave out in silence, and
// lanes of more than one width.
TEST(Tiers, TestsBringTheirOwn) {
  std::set<std::string> names;
  for (int tier = 0; tier < cpu_tier_count(); ++tier) names.insert(cpu_tier_name(tier));
  EXPECT_TRUE(names.contains("shuffled"));
  EXPECT_TRUE(names.contains("wide") || names.contains("avx2"));
}

// Proves that the tier in use is one the CPU runs, and that only existing, supported ones can be set.
TEST(Tiers, OnlySupportedOnesAreUsed) {
  ASSERT_GE(cpu_tier_count(), 1);
  EXPECT_STREQ(cpu_tier_name(0), "baseline");
  EXPECT_TRUE(cpu_tier_supported(0));
  const int in_use = cpu_tier();
  EXPECT_TRUE(cpu_tier_supported(in_use));
  for (int tier = 0; tier < cpu_tier_count(); ++tier) {
    if (cpu_tier_supported(tier)) {
      set_cpu_tier(tier);
      EXPECT_EQ(cpu_tier(), tier);
    } else {
      EXPECT_THROW(set_cpu_tier(tier), Error);
    }
  }
  set_cpu_tier(in_use);
  EXPECT_THROW(set_cpu_tier(-1), Error);
  EXPECT_THROW(cpu_tier_name(cpu_tier_count()), Error);
}

// Ends the program with 0 when the tier at start-up, with CAROM_TIER as given, has this name.
void exit_with_tier(const char* environment, const std::string& name) {
  environment ? setenv("CAROM_TIER", environment, 1) : unsetenv("CAROM_TIER");
  try {
    const Queue queue;
    std::fprintf(stderr, "tier %s\n", cpu_tier_name(cpu_tier()));
    std::exit(name == cpu_tier_name(cpu_tier()) ? 0 : 1);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(2);
  }
}

// The best tier that is not one for tests alone.
std::string best_tier() {
  std::string best;
  for (int tier = 0; tier < cpu_tier_count(); ++tier) {
    const std::string name = cpu_tier_name(tier);
    if (cpu_tier_supported(tier) && name != "shuffled" && name != "wide") best = name;
  }
  return best;
}

// Proves that a new program starts with the best real tier, that CAROM_TIER names another, and that a wrong name is an
// error which lists the right ones.
TEST(TiersDeathTest, EnvironmentNamesTheTierAtStart) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a new program: the tier is chosen once in each
  EXPECT_EXIT(exit_with_tier(nullptr, best_tier()), ::testing::ExitedWithCode(0), "tier ");
  EXPECT_EXIT(exit_with_tier("baseline", "baseline"), ::testing::ExitedWithCode(0), "tier baseline");
  EXPECT_EXIT(exit_with_tier("abacus", ""), ::testing::ExitedWithCode(2), "\"abacus\".*baseline");
}

}  // namespace
}  // namespace carom
