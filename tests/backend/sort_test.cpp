#include "backend/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "alloc_counter.h"
#include "carom/error.h"
#include "tests/backend/on_device.h"
#include "tests/random.h"

namespace carom {
namespace {

using Sort = testing::OnDevice;
CAROM_ON_ALL_DEVICES(Sort);

// Random keys with only the bits of `mask`; few bits give many equal keys.
std::vector<std::uint64_t> random_keys(int n, std::uint64_t mask) {
  SeededRandom random(n);
  std::vector<std::uint64_t> keys(n);
  for (std::uint64_t& key : keys) key = random.next_bits() & mask;
  return keys;
}

// Sorts on every queue and compares with std::stable_sort.
void expect_sorted(const std::vector<Queue>& queues, const std::vector<std::uint64_t>& keys, int key_bits = 64) {
  const int n = static_cast<int>(keys.size());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> values = order;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  std::vector<std::uint64_t> sorted(n);
  for (int i = 0; i < n; ++i) sorted[i] = keys[order[i]];

  for (const Queue& queue : queues) {
    SortScratch scratch;
    const Array<std::uint64_t> k(std::span<const std::uint64_t>(keys), queue.device());
    const Array<int> v(std::span<const int>(values), queue.device());
    sort_by_key(queue, k.view(), v.view(), scratch, key_bits);
    const Array<std::uint64_t> host_k = k.to(Device{});
    const Array<int> host_v = v.to(Device{});
    EXPECT_TRUE(std::equal(host_k.begin(), host_k.end(), sorted.begin(), sorted.end())) << n << " keys";
    EXPECT_TRUE(std::equal(host_v.begin(), host_v.end(), order.begin(), order.end())) << n << " keys";
  }
}

// Proves that keys and values come out as from std::stable_sort, for sizes around the borders of chunks.
TEST_P(Sort, EqualsStableSort) {
  for (const int n : {0, 1, 2, 3, 100, 4095, 8192, 8193, 100003}) expect_sorted(queues(), random_keys(n, ~0ull));
}

// Proves that equal keys keep their order and that bits which all keys share change nothing, wherever the others are.
TEST_P(Sort, IsStableForAnyBits) {
  for (const std::uint64_t mask : {0x0ull, 0x1ull, 0x8000000000000000ull, 0x8000000000000001ull, 0xff00ff0000ull,
                                   0x7f8000000000ull, 0x0101010101010101ull, 0xf00000000000000full}) {
    std::vector<std::uint64_t> keys = random_keys(30000, mask);
    expect_sorted(queues(), keys);
    for (std::uint64_t& key : keys) key |= ~mask & 0x123456789abcdef0ull;
    expect_sorted(queues(), keys);
  }
}

// Proves that ordered, reversed and nearly ordered keys, which take shortcuts, come out right.
TEST_P(Sort, TakesShortcutsRightly) {
  std::vector<std::uint64_t> keys(20000);
  std::iota(keys.begin(), keys.end(), 5);
  expect_sorted(queues(), keys);
  for (const int i : {0, 9999, 10000, 19998}) {
    std::vector<std::uint64_t> nearly = keys;
    std::swap(nearly[i], nearly[i + 1]);
    expect_sorted(queues(), nearly);
  }
  std::reverse(keys.begin(), keys.end());
  expect_sorted(queues(), keys);
}

// Proves that a promise about the number of bits keeps the result.
TEST_P(Sort, KeepsResultWithFewerBits) {
  expect_sorted(queues(), random_keys(20000, 0x1fffffull), 21);
  expect_sorted(queues(), random_keys(20000, 0x1ull), 1);
}

// Proves that values of another number than keys, and impossible numbers of bits, are refused.
TEST_P(Sort, RefusesWrongArguments) {
  const Array<std::uint64_t> keys(10, device());
  const Array<int> values(10, device());
  SortScratch scratch;
  EXPECT_THROW(sort_by_key(queues()[0], keys.view(), values.slice(0, 9).view(), scratch), Error);
  EXPECT_THROW(sort_by_key(queues()[0], keys.view(), values.view(), scratch, 0), Error);
  EXPECT_THROW(sort_by_key(queues()[0], keys.view(), values.view(), scratch, 65), Error);
}

// Proves that a sort no larger than one before allocates nothing.
TEST(SortAllocations, AreNoneOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted under sanitizers";
  const Queue queue(Device{}, {.threads = 3});
  const std::vector<std::uint64_t> shuffled = random_keys(50000, ~0ull);
  const Array<std::uint64_t> keys{std::span<const std::uint64_t>(shuffled)};
  const Array<int> values(keys.size());
  SortScratch scratch;
  sort_by_key(queue, keys.view(), values.view(), scratch);
  std::copy(shuffled.begin(), shuffled.end(), keys.begin());
  EXPECT_EQ(testing::allocations_in([&] {
              sort_by_key(queue, {keys.data(), 3}, {values.data(), 3}, scratch);
              sort_by_key(queue, keys.view(), values.view(), scratch);
            }),
            0);
}

}  // namespace
}  // namespace carom
