// Random numbers for tests: those of fixed_random.h, and others for each value of the environment variable
// CAROM_TEST_SEED, which is told where a test fails. `make seeds` runs all tests that draw from here with many of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tests/fixed_random.h"

namespace carom {

// 0 where nothing is set: the numbers of every day.
inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* const text = std::getenv("CAROM_TEST_SEED");
    if (!text || !*text) return std::uint64_t{0};
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    if (*end) throw std::runtime_error("CAROM_TEST_SEED must be a whole number, not " + std::string(text));
    return number;
  }();
  return seed;
}

class SeedTeller : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed() && test_seed()) std::printf("CAROM_TEST_SEED=%s\n", std::to_string(test_seed()).c_str());
  }
};
inline const bool tells_seed = (::testing::UnitTest::GetInstance()->listeners().Append(new SeedTeller), true);

class SeededRandom : public FixedRandom {
 public:
  explicit SeededRandom(std::uint64_t seed)
      : FixedRandom(test_seed() ? FixedRandom(seed).next_bits() ^ stream() : seed) {
    ::testing::Test::RecordProperty("random", "yes");  // how tools/run_seeds.py knows the tests to run
  }

 private:
  static std::uint64_t stream() { return FixedRandom(~test_seed()).next_bits(); }
};

}  // namespace carom
