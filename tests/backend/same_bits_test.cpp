// Arithmetic that devices are known to disagree on: transcendental functions and the order of sums.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/backend/kernels.h"
#include "tests/backend/on_device.h"
#include "tests/random.h"

namespace carom {
namespace {

using SameBits = testing::OnDevice;
CAROM_ON_ALL_DEVICES(SameBits);

// Arguments over the whole range: small, ordinary, huge, and the special ones.
std::vector<Real> arguments() {
  std::vector<Real> x{0,
                      Real(-0.0),
                      1,
                      -1,
                      Real(1e30),
                      Real(-1e30),
                      std::numeric_limits<Real>::infinity(),
                      std::numeric_limits<Real>::quiet_NaN(),
                      std::numeric_limits<Real>::denorm_min()};
  SeededRandom random(7);
  for (int i = 0; i < 20000; ++i) {
    const Real unit = random.next();
    const Real scale[] = {1, 10, 1000, Real(1e6), Real(1e-6), Real(1e20)};
    x.push_back(unit * scale[i % 6]);
  }
  return x;
}

// The functions give the bits of plain calls on this thread, whatever runs them.
TEST_P(SameBits, Transcendentals) {
  const Array<Real> x = on_device(arguments());
  const std::int64_t n = x.size();
  const Array<Real> expected(n * Transcendentals::kFunctions);
  const std::vector<Real> host = arguments();
  const Transcendentals plain{{host.data(), n}, expected.view()};
  for (int i = 0; i < n; ++i) plain(i);
  for (const Queue& queue : queues()) {
    testing::for_each_tier([&] {
      const Array<Real> results(n * Transcendentals::kFunctions, device());
      launch(queue, static_cast<int>(n), Transcendentals{x.const_view(), results.view()});
      queue.finish();
      const Array<Real> got = results.on_cpu();
      int different = 0;
      for (std::int64_t i = 0; i < got.size(); ++i) different += std::memcmp(&got[i], &expected[i], sizeof(Real)) != 0;
      EXPECT_EQ(different, 0);
    });
  }
}

// Teams of one add up in the order that all teams keep: team_sums_cuda_test.cpp.
TEST(Team, SumsInTheOrderOfAllTeams) {
  for (const int count : {0, 1, 3, 7, 8, 9, 27, 64, 100}) {
    std::vector<Real> values;
    for (int i = 0; i < count; ++i) values.push_back(Real(1) / Real(3 * i + 1));
    Real by_hand[8] = {};
    for (int i = 0; i < count; ++i) by_hand[i % 8] += values[i];
    EXPECT_EQ(Solo{}.sum(count, [&](int i) { return values[i]; }),
              ((by_hand[0] + by_hand[4]) + (by_hand[2] + by_hand[6])) +
                  ((by_hand[1] + by_hand[5]) + (by_hand[3] + by_hand[7])));
  }
}

}  // namespace
}  // namespace carom
