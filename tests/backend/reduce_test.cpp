#include "backend/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "alloc_counter.h"
#include "backend/team.h"
#include "carom/error.h"
#include "tests/backend/on_device.h"
#include "tests/random.h"

namespace carom {
namespace {

using SegmentedSum = testing::OnDevice;
CAROM_ON_ALL_DEVICES(SegmentedSum);

struct Segments {
  std::vector<int> start{0};
  std::vector<double> values;  // of both signs and very different sizes, so that another order gives other bits
};

Segments random_segments(int count, int longest) {
  SeededRandom random(count + longest);
  Segments segments;
  for (int s = 0; s < count; ++s) {
    const int size = s % 5 == 0 ? 0 : random.below(longest) + 1;
    for (int i = 0; i < size; ++i) {
      const double mantissa = random.uniform(-1, 1);
      segments.values.push_back(std::ldexp(mantissa, random.below(30)));
    }
    segments.start.push_back(static_cast<int>(segments.values.size()));
  }
  return segments;
}

template <class T>
void expect_sums(const std::vector<Queue>& queues, const Segments& segments) {
  const std::vector<T> values(segments.values.begin(), segments.values.end());
  std::vector<T> expected;
  for (std::size_t s = 0; s + 1 < segments.start.size(); ++s) {
    const T* first = values.data() + segments.start[s];
    expected.push_back(Solo::sum(segments.start[s + 1] - segments.start[s], [&](int i) { return first[i]; }));
  }
  for (const Queue& queue : queues) {
    const Array<T> in(std::span<const T>(values), queue.device());
    const Array<int> start(std::span<const int>(segments.start), queue.device());
    const Array<T> out(static_cast<std::int64_t>(expected.size()), queue.device());
    segmented_sum(queue, in.const_view(), start.const_view(), out.view());
    const Array<T> host = out.to(Device{});
    EXPECT_EQ(std::vector<T>(host.begin(), host.end()), expected) << queue.threads() << " threads";
  }
}

// Proves that sums have the bits of Team::sum for float and double, any thread count and short, long and empty
// segments.
TEST_P(SegmentedSum, HasTheBitsOfTeamSum) {
  for (const int longest : {1, 7, 8, 9, 33, 5000}) {
    for (const int count : {0, 1, 2, 40, 3000 / longest}) {
      const Segments segments = random_segments(count, longest);
      expect_sums<float>(queues(), segments);
      expect_sums<double>(queues(), segments);
    }
  }
  const Segments many = random_segments(30000, 9);
  expect_sums<float>(queues(), many);
  expect_sums<double>(queues(), many);
}

// Proves that segment borders which do not fit the output are refused.
TEST_P(SegmentedSum, RefusesWrongSizes) {
  const Array<float> values(10, device()), out(3, device());
  const Array<int> start(3, device());
  EXPECT_THROW(segmented_sum(queues()[0], values.const_view(), start.const_view(), out.view()), Error);
}

// Proves that sums allocate nothing once the threads are there.
TEST(SegmentedSumAllocations, AreNoneOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted under sanitizers";
  const Queue queue(Device{}, {.threads = 3});
  const Array<float> values(50000), out(1);
  const Array<int> start(2);
  start[1] = 50000;
  const auto step = [&] { segmented_sum(queue, values.const_view(), start.const_view(), out.view()); };
  step();
  EXPECT_EQ(testing::allocations_in(step), 0);
}

}  // namespace
}  // namespace carom
