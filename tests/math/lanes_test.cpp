// Lanes of every width against plain numbers, in the precision of this build.
#include "math/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "carom/math/trig.h"
#include "math/numbers.h"

namespace carom {
namespace {

template <class L>
class LanesTest : public ::testing::Test {};

using AllLanes =
    ::testing::Types<Lanes<Real, 1>, Lanes<Real, 2>, Lanes<Real, 4>, Lanes<Real, 8>, Lanes<Real, 16>, Lanes<Real, 32>>;
TYPED_TEST_SUITE(LanesTest, AllLanes);

// Calls f(lane inputs a, b, c as F) and one(a, b, c) as numbers, for all lanes of many groups.
template <class F, class OnLanes, class OnOne>
void expect_same(const char* name, OnLanes on_lanes, OnOne on_one) {
  using T = Element<F>;
  constexpr int W = ScalarTraits<F>::kWidth;
  const std::vector<T> x = test::mixed_numbers<T>(2048);
  for (int first = 0; first + W <= 2048; first += W) {
    T a[W], b[W], c[W];
    for (int l = 0; l < W; ++l) {
      a[l] = x[first + l];
      b[l] = x[(first + l) * 37 % 2048];
      c[l] = x[(first + l) * 101 % 2048];
    }
    const auto lanes = on_lanes(F::load(a), F::load(b), F::load(c));
    for (int l = 0; l < W; ++l) {
      const auto one = on_one(a[l], b[l], c[l]);
      if constexpr (std::is_same_v<decltype(one), const bool>) {
        ASSERT_EQ(lanes[l], one) << name << " of " << a[l] << ", " << b[l] << ", " << c[l];
      } else {
        ASSERT_TRUE(test::same_number(lanes[l], one)) << name << " of " << a[l] << ", " << b[l] << ", " << c[l]
                                                      << " gives " << lanes[l] << " in lane " << l << ", alone " << one;
      }
    }
  }
}

#define EXPECT_SAME(expression)                                           \
  expect_same<TypeParam>(                                                 \
      #expression,                                                        \
      [](auto a, auto b, auto c) {                                        \
        static_cast<void>(a), static_cast<void>(b), static_cast<void>(c); \
        using F [[maybe_unused]] = decltype(a);                           \
        return expression;                                                \
      },                                                                  \
      [](auto a, auto b, auto c) {                                        \
        static_cast<void>(a), static_cast<void>(b), static_cast<void>(c); \
        using F [[maybe_unused]] = decltype(a);                           \
        return expression;                                                \
      })

// Proves that arithmetic in a lane gives the bits of the same arithmetic on one number.
TYPED_TEST(LanesTest, ArithmeticEqualsPlainNumbers) {
  EXPECT_SAME(a + b);
  EXPECT_SAME(a - b);
  EXPECT_SAME(a * b);
  EXPECT_SAME(a / b);
  EXPECT_SAME(-a);
  EXPECT_SAME(fma(a, b, c));
  EXPECT_SAME(sqrt(a));
  EXPECT_SAME(abs(a));
  EXPECT_SAME(copysign(a, b));
  EXPECT_SAME(min(a, b));
  EXPECT_SAME(max(a, b));
  EXPECT_SAME(clamp(a, b, c));
  EXPECT_SAME(from_bits(to_bits(a)));
}

// Proves that comparisons, mask logic and select decide each lane on its own, as one number would.
TYPED_TEST(LanesTest, MasksEqualPlainNumbers) {
  EXPECT_SAME(a == b);
  EXPECT_SAME(a != b);
  EXPECT_SAME(a < b);
  EXPECT_SAME(a <= b);
  EXPECT_SAME(a > b);
  EXPECT_SAME(a >= b);
  EXPECT_SAME(is_finite(a));
  EXPECT_SAME((a < b && b < c));
  EXPECT_SAME((a < b || b < c));
  EXPECT_SAME((a < b) == (b < c));
  EXPECT_SAME((a < b) != (b < c));
  EXPECT_SAME(!(a < F(1)));
  EXPECT_SAME(select(a < b, a, c));
}

// Proves that own functions give the same bits in every lane as for one number. The longer ones leave out the widest
// lanes, whose code takes minutes to compile.
TYPED_TEST(LanesTest, FunctionsEqualPlainNumbers) {
  EXPECT_SAME(sin(a));
  EXPECT_SAME(exp(a));
  if constexpr (ScalarTraits<TypeParam>::kWidth <= 16) {
    EXPECT_SAME(cos(a));
    EXPECT_SAME(tan(a));
    EXPECT_SAME(atan2(a, b));
    EXPECT_SAME(asin(a));
    EXPECT_SAME(acos(a));
    EXPECT_SAME(log(a));
    EXPECT_SAME(pow(a, b));
  }
}

// Proves that any() and all() see every lane: one lane more or less decides.
TYPED_TEST(LanesTest, AnyAndAllSeeEveryLane) {
  using T = Element<TypeParam>;
  constexpr int W = ScalarTraits<TypeParam>::kWidth;
  MaskOf<TypeParam> none = TypeParam(T(1)) < TypeParam(T(0)), every = !none;
  EXPECT_FALSE(any(none));
  EXPECT_TRUE(all(every));
  for (int l = 0; l < W; ++l) {
    MaskOf<TypeParam> one = none, all_but_one = every;
    one.set(l, true);
    all_but_one.set(l, false);
    EXPECT_TRUE(any(one));
    EXPECT_FALSE(all(all_but_one));
    EXPECT_EQ(one.bits(), std::uint64_t{1} << l);
    EXPECT_EQ(all(one), W == 1);
    EXPECT_EQ(any(all_but_one), W > 1);
  }
}

// Proves that bits of several masks stand side by side, a mask after the other.
TYPED_TEST(LanesTest, BitsOfSeveralMasks) {
  using T = Element<TypeParam>;
  constexpr int W = ScalarTraits<TypeParam>::kWidth, N = W <= 16 ? 4 : 1;
  const std::vector<T> x = test::mixed_numbers<T>(2048);
  for (int first = 0; first + N * W <= 2048; ++first) {
    MaskOf<TypeParam> two[2], mask[N];
    for (int k = 0; k < N; ++k) mask[k] = TypeParam::load(&x[first + k * W]) > TypeParam(T(0));
    std::uint64_t expected = 0;
    for (int i = 0; i < N * W; ++i) expected |= std::uint64_t{x[first + i] > 0} << i;
    ASSERT_EQ(bits_of(mask), expected);
    if constexpr (N > 1) {
      for (int k = 0; k < 2; ++k) two[k] = mask[k];
      ASSERT_EQ(bits_of(two), expected & ~std::uint64_t{0} >> (64 - 2 * W));
    }
  }
}

// Proves that the greatest lane is found wherever it is, that greater() is max() and that of zeros the positive one is
// given.
TYPED_TEST(LanesTest, GreatestLane) {
  using T = Element<TypeParam>;
  constexpr int W = ScalarTraits<TypeParam>::kWidth;
  std::vector<T> x = test::mixed_numbers<T>(2048);
  std::erase_if(x, [](T a) { return a != a; });
  for (std::size_t first = 0; first + 2 * W <= x.size(); ++first) {
    const TypeParam a = TypeParam::load(&x[first]), b = TypeParam::load(&x[first + W]);
    const auto end = x.begin() + first + W;
    ASSERT_EQ(greatest(a), *std::max_element(end - W, end));
    for (int l = 0; l < W; ++l) ASSERT_EQ(greater(a, b)[l], std::max(a[l], b[l]));
  }
  TypeParam zeros(T(-0.0));
  EXPECT_EQ(to_bits(greatest(zeros)), to_bits(T(0)));
  zeros.set(W / 2, T(0));
  EXPECT_EQ(to_bits(greatest(zeros)), to_bits(T(0)));
}

// Proves that construction, value initialisation and lane access behave as for a number.
TYPED_TEST(LanesTest, ConstructionAndLaneAccess) {
  using T = Element<TypeParam>;
  constexpr int W = ScalarTraits<TypeParam>::kWidth;
  const TypeParam zero{}, one{1}, minus_zero(T(-0.0));
  for (int l = 0; l < W; ++l) {
    EXPECT_EQ(to_bits(zero[l]), to_bits(T(0)));
    EXPECT_EQ(one[l], T(1));
    EXPECT_EQ(to_bits(minus_zero[l]), to_bits(T(-0.0)));
  }
  TypeParam x(T(2));
  for (int l = 0; l < W; ++l) x.set(l, T(l));
  T memory[W + 1] = {};
  x.store(memory + 1);  // not aligned
  for (int l = 0; l < W; ++l) EXPECT_EQ(memory[l + 1], T(l));
}

// Proves that replace_where calls the function for the lanes of the mask alone and leaves the others as they were.
TYPED_TEST(LanesTest, ReplaceWhereLeavesOtherLanes) {
  using T = Element<TypeParam>;
  constexpr int W = ScalarTraits<TypeParam>::kWidth;
  TypeParam x;
  for (int l = 0; l < W; ++l) x.set(l, T(l));
  int calls = 0;
  const auto mask = x > TypeParam(T(2));
  const TypeParam y = replace_where(
      mask, -x, [&](T a) { return ++calls, a * a; }, x);
  for (int l = 0; l < W; ++l) EXPECT_EQ(y[l], l > 2 ? T(l * l) : T(-l));
  EXPECT_EQ(calls, W > 3 ? W - 3 : 0);
}

}  // namespace
}  // namespace carom
