// Sums by teams of CUDA threads.
#include <gtest/gtest.h>

#include "tests/backend/kernels.h"
#include "tests/backend/on_device.h"

namespace carom {
namespace {

// Proves that teams of every size add up in Solo's order, and that every thread knows the sum.
TEST(Team, SumsOnCuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN: this machine has no CUDA device";
  const Device device{DeviceType::kCuda, 0};
  for (const int count : {0, 1, 3, 7, 8, 9, 27, 64, 100}) {
    std::vector<Real> values;
    for (int i = 0; i < count; ++i) values.push_back(Real(1) / Real(3 * i + 1));
    const Real solo = Solo{}.sum(count, [&](int i) { return values[i]; });
    const Array<Real> on_gpu(std::span<const Real>(values), device);
    for (const int team : {1, 2, 4, 8, 16, 32}) {
      const Array<Real> sums(64, device);
      team_sums(Queue(device), team, on_gpu.const_view(), sums.view());
      for (const Real sum : sums.on_cpu()) EXPECT_EQ(sum, solo) << "team of " << team << ", " << count << " numbers";
    }
  }
}

}  // namespace
}  // namespace carom
