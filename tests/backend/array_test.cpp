#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "carom/error.h"
#include "tests/backend/on_device.h"

namespace carom {
namespace {

using ArrayTest = testing::OnDevice;
CAROM_ON_ALL_DEVICES(ArrayTest);

// Proves that new arrays are zero and aligned to 64 bytes, from the heap and from mapped pages alike.
TEST_P(ArrayTest, BeginsAsAlignedZeros) {
  for (const std::int64_t size : {1, 3, 1000, 131071, 131072, 262143, 262144, 262145, 1000003}) {
    const Array<double> array(size, device());
    EXPECT_EQ(array.size(), size);
    EXPECT_EQ(array.bytes(), 8 * size);
    EXPECT_EQ(array.device(), device());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0u);
    const std::vector<double> values = on_host(array);
    EXPECT_EQ(std::count(values.begin(), values.end(), 0.0), size);
  }
}

// Proves that memory which was written and released comes back as zeros.
TEST_P(ArrayTest, IsZeroAfterReuse) {
  for (int round = 0; round < 20; ++round) {
    const Array<int> array(1000, device());
    const std::vector<int> values = on_host(array);
    ASSERT_EQ(std::count(values.begin(), values.end(), 0), 1000);
    array.assign(Array<int>(std::span<const int>(std::vector<int>(1000, -1))));
  }
}

// Proves that copies and slices share memory, that it outlives the first handle, and that clone() and to() do not
// share.
TEST_P(ArrayTest, SharesUntilCloned) {
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  Array<int> first = on_device(numbers);
  const Array<int> copy = first;
  const Array<int> slice = first.slice(10, 20);
  const Array<int> own = first.clone();
  const Array<int> host = first.to(Device{});
  first = Array<int>();
  EXPECT_EQ(slice.data(), copy.data() + 10);
  EXPECT_EQ(slice.memory(), copy.memory());
  EXPECT_NE(own.data(), copy.data());

  slice.assign(Array<int>(std::span<const int>(std::vector<int>(10, 7)), device()));
  std::vector<int> expected = numbers;
  std::fill(expected.begin() + 10, expected.begin() + 20, 7);
  EXPECT_EQ(on_host(copy), expected);
  EXPECT_EQ(on_host(own), numbers);
  EXPECT_EQ(std::vector<int>(host.begin(), host.end()), numbers);
}

// Proves that arrays without elements can be made, copied, sliced and assigned.
TEST_P(ArrayTest, MayBeEmpty) {
  const Array<float> empty(0, device());
  EXPECT_TRUE(empty.empty());
  EXPECT_TRUE(empty.clone().empty());
  EXPECT_TRUE(empty.slice(0, 0).to(Device{}).empty());
  empty.assign(Array<float>());
  EXPECT_EQ(empty.device(), device());
}

// Proves that wrong sizes, slices and impossible amounts of memory are errors, not crashes.
TEST_P(ArrayTest, RefusesWhatCannotBe) {
  const Array<int> array(10, device());
  EXPECT_THROW(array.assign(Array<int>(9)), Error);
  EXPECT_THROW(array.slice(-1, 5), Error);
  EXPECT_THROW(array.slice(6, 5), Error);
  EXPECT_THROW(array.slice(5, 11), Error);
  EXPECT_THROW(Array<int>(-1, device()), Error);
}

// Proves that running out of memory is an error that says how much was asked for, and that work goes on afterwards.
TEST_P(ArrayTest, SaysWhenMemoryRunsOut) {
  const std::int64_t bytes = std::int64_t{1} << 50;
  try {
    Array<char> array(bytes, device());
    ADD_FAILURE() << "got 2^50 bytes";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos) << error.what();
  }
  EXPECT_EQ(on_host(Array<int>(1, device())), std::vector<int>{0});
}

// Proves that a copy between overlapping slices of a CPU array behaves as if through a copy.
TEST(Array, AssignsOverlappingSlices) {
  const Array<int> array(5);
  std::iota(array.begin(), array.end(), 0);
  array.slice(1, 5).assign(array.slice(0, 4));
  EXPECT_EQ(std::vector<int>(array.begin(), array.end()), (std::vector<int>{0, 0, 1, 2, 3}));
}

}  // namespace
}  // namespace carom
