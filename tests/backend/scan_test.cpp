#include "backend/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "alloc_counter.h"
#include "carom/error.h"
#include "tests/backend/on_device.h"
#include "tests/random.h"

namespace carom {
namespace {

using Scan = testing::OnDevice;
CAROM_ON_ALL_DEVICES(Scan);

std::vector<int> random_counts(int n, unsigned seed) {
  SeededRandom random(seed);
  std::vector<int> counts(n);
  for (int& count : counts) count = random.below(9);
  return counts;
}

// Proves that running sums and totals are those of a plain loop, for sizes around the borders of chunks and for every
// thread count, with one scratch used for all of them.
TEST_P(Scan, EqualsPlainLoop) {
  for (const Queue& queue : queues()) {
    ScanScratch scratch;
    for (const int n : {0, 1, 2, 31, 4096, 8191, 8192, 8193, 100003, 1000000, 17}) {
      const std::vector<int> counts = random_counts(n, n);
      std::vector<int> expected(n + 1, 0);
      for (int i = 0; i < n; ++i) expected[i + 1] = expected[i] + counts[i];
      const Array<int> in = on_device(counts), out(n + 1, device());
      exclusive_scan(queue, in.view(), out.view(), scratch);
      EXPECT_EQ(on_host(out), expected) << n << " counts, " << queue.threads() << " threads";
      EXPECT_EQ(scan_total(queue, scratch), expected[n]);
    }
  }
}

// Proves that sums past the range of int stay at its largest value and that the exact total is still told.
TEST_P(Scan, ReportsOverflow) {
  constexpr int kLargest = std::numeric_limits<int>::max();
  const int n = 20000;
  const int count = 1000000;
  std::vector<int> expected(n + 1);
  for (int i = 0; i <= n; ++i)
    expected[i] = static_cast<int>(std::min<std::int64_t>(std::int64_t{i} * count, kLargest));
  const Array<int> in = on_device(std::vector<int>(n, count)), out(n + 1, device());
  for (const Queue& queue : queues()) {
    ScanScratch scratch;
    exclusive_scan(queue, in.view(), out.view(), scratch);
    EXPECT_EQ(on_host(out), expected);
    EXPECT_EQ(scan_total(queue, scratch), std::int64_t{n} * count);
  }
}

// Proves that a scan over a room stops at a total that is known on the device alone: what is behind counts as 0, and
// so does all of it when there is no room for the total.
TEST_P(Scan, StopsAtACountOnTheDevice) {
  for (const Queue& queue : queues()) {
    ScanScratch scratch;
    for (const int room : {1, 30, 8193, 100003}) {
      const std::vector<int> counts = random_counts(room, room);
      for (const std::int64_t total : {std::int64_t{0}, std::int64_t{1}, std::int64_t{room} / 2, std::int64_t{room},
                                       std::int64_t{room} + 1, std::int64_t{1} << 40}) {
        std::vector<int> expected(room + 1, 0);
        for (int i = 0; i < room; ++i) expected[i + 1] = expected[i] + (total <= room && i < total ? counts[i] : 0);
        const Array<std::int64_t> n = on_device(std::vector<std::int64_t>{total});
        const Array<int> in = on_device(counts), out(room + 1, device());
        exclusive_scan(queue, in.view(), out.view(), scratch, n.data());
        EXPECT_EQ(on_host(out), expected) << "room " << room << ", total " << total;
        EXPECT_EQ(scan_total(queue, scratch), expected[room]);
      }
    }
  }
}

// Proves that an output without room for the total is refused.
TEST_P(Scan, RefusesOutputOfWrongSize) {
  const Array<int> array(10, device()), out(10, device());
  ScanScratch scratch;
  EXPECT_THROW(exclusive_scan(queues()[0], array.view(), out.view(), scratch), Error);
}

// Proves that a scan no larger than one before allocates nothing.
TEST(ScanAllocations, AreNoneOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted under sanitizers";
  const Queue queue(Device{}, {.threads = 3});
  const Array<int> in(100000), out(100001);
  ScanScratch scratch;
  exclusive_scan(queue, in.view(), out.view(), scratch);
  EXPECT_EQ(testing::allocations_in([&] {
              for (const int n : {100000, 5, 20000}) {
                exclusive_scan(queue, {in.data(), n}, {out.data(), n + 1}, scratch);
              }
            }),
            0);
}

}  // namespace
}  // namespace carom
