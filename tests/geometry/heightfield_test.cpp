// Heightfields: heights from data, and checks of the input.
#include <limits>

#include "geometry/expect.h"

namespace carom::inline CAROM_PRECISION {
namespace {

// Proves that data are heights in metres when no range is given.
TEST(Heightfield, DataAreHeightsByDefault) {
  const Heightfield field({0, 1, 2, 3, 4, 7}, 2, 3, 5, 6);
  EXPECT_EQ(field.data, (std::vector<Real>{0, 1, 2, 3, 4, 7}));
  EXPECT_EQ(field.min_z, 0);
  EXPECT_EQ(field.max_z, 7);
}

// Proves that a range stretches the data so that it is met exactly.
TEST(Heightfield, RangeStretchesTheData) {
  const Heightfield field({10, 20, 30, 50}, 2, 2, 1, 1, -1, 3);
  EXPECT_EQ(field.data, (std::vector<Real>{-1, 0, 1, 3}));
  const Heightfield flat({5, 5, 5, 5}, 2, 2, 1, 1, 2, 3);
  EXPECT_EQ(flat.data, (std::vector<Real>{2, 2, 2, 2}));
  EXPECT_EQ(flat.max_z, 2);
}

// Proves that every wrong argument is named.
TEST(Heightfield, WrongInputIsRefused) {
  const std::vector<Real> four = {0, 1, 2, 3};
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  expect_error([&] { Heightfield(four, 1, 4, 1, 1); }, {"nrow", "1"});
  expect_error([&] { Heightfield(four, 4, 1, 1, 1); }, {"ncol", "1"});
  expect_error([&] { Heightfield(four, 2, 3, 1, 1); }, {"4 values", "2 * 3 = 6"});
  expect_error([&] { Heightfield({0, 1, nan, 3}, 2, 2, 1, 1); }, {"row 1", "column 0", "not finite"});
  expect_error([&] { Heightfield(four, 2, 2, 0, 1); }, {"hx", "0"});
  expect_error([&] { Heightfield(four, 2, 2, 1, -3); }, {"hy", "-3"});
  expect_error([&] { Heightfield(four, 2, 2, 1, 1, 2, 1); }, {"max_z", "min_z"});
  expect_error([&] { Heightfield(four, 2, 2, 1, 1, 2); }, {"only min_z"});
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
