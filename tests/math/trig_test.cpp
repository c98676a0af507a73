// Own functions against the long double functions of the C library, and their special values.
#include "carom/math/trig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "math/numbers.h"

namespace carom {
namespace {

constexpr int kTries = 300000;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Distance in units of the last place of `wanted`, in which subnormal numbers have the unit of the smallest one.
double error_in_ulp(Real got, long double wanted) {
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : kInfinite;
  if (static_cast<Real>(wanted) == got && std::signbit(got) == std::signbit(wanted) && (got == 0 || std::isinf(got))) {
    return 0;
  }
  if (std::isinf(wanted) || !std::isfinite(got)) return kInfinite;
  int exponent;
  std::frexp(wanted, &exponent);
  exponent = std::max(exponent, std::numeric_limits<Real>::min_exponent);
  return static_cast<double>(std::abs(got - wanted) / std::ldexp(1.0L, exponent - std::numeric_limits<Real>::digits));
}

class Worst {
 public:
  explicit Worst(const char* name) : name_(name) {}
  ~Worst() {
    std::printf("[ error    ] %-6s %.3f ulp at %a, %a\n", name_, error_, double(x_), double(y_));
    EXPECT_LE(error_, 1) << name_ << " of " << x_ << ", " << y_;
  }
  void see(Real got, long double wanted, Real x, Real y = 0) {
    const double error = error_in_ulp(got, wanted);
    if (error > error_) error_ = error, x_ = x, y_ = y;
  }

 private:
  const char* name_;
  double error_ = 0;
  Real x_ = 0, y_ = 0;
};

// Angles of every size: any bits, everyday ones, and the neighbours of multiples of pi/2, where digits cancel.
Real some_angle(test::RandomNumbers<Real>& random, int i) {
  switch (i % 5) {
    case 0: return random.any();
    case 1: return random.between(-7, 7);
    case 2: return random.between(-2e5, 2e5);
    case 3: return Real(random.index(200000) * 1.57079632679489661923L);
    default: return Real(random.index(1000000) * 1e6 * 1.57079632679489661923L);
  }
}

// Proves that sine, cosine and tangent are right to 1 unit in the last place for angles of every size.
TEST(Trig, SineCosineTangent) {
  test::RandomNumbers<Real> random;
  Worst worst_sin("sin"), worst_cos("cos"), worst_tan("tan");
  for (int i = 0; i < kTries; ++i) {
    const Real x = some_angle(random, i);
    Real s, c;
    sincos(x, s, c);
    worst_sin.see(s, std::sin(static_cast<long double>(x)), x);
    worst_cos.see(c, std::cos(static_cast<long double>(x)), x);
    worst_tan.see(tan(x), std::tan(static_cast<long double>(x)), x);
    ASSERT_EQ(to_bits(sin(x)), to_bits(s));
    ASSERT_EQ(to_bits(cos(x)), to_bits(c));
  }
}

// Proves that the arc functions are right to 1 unit in the last place, for points of every size and near the ends.
TEST(Trig, ArcFunctions) {
  test::RandomNumbers<Real> random;
  Worst worst_atan("atan"), worst_atan2("atan2"), worst_asin("asin"), worst_acos("acos");
  for (int i = 0; i < kTries; ++i) {
    const Real y = i % 2 ? random.any() : random.between(-3, 3);
    const Real x = i % 3 == 0 ? random.any() : Real(y * random.between(-4, 4));
    worst_atan.see(atan(y), std::atan(static_cast<long double>(y)), y);
    worst_atan2.see(atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x)), y, x);
    const Real near_one = Real(1 - std::exp(double(random.between(-40, 0))));
    const Real u = i % 2 ? random.between(-1, 1) : i % 4 ? near_one : -near_one;
    worst_asin.see(asin(u), std::asin(static_cast<long double>(u)), u);
    worst_acos.see(acos(u), std::acos(static_cast<long double>(u)), u);
  }
}

// Proves that exponential, logarithm and power are right to 1 unit in the last place, up to overflow and underflow.
TEST(Trig, ExponentialLogarithmPower) {
  test::RandomNumbers<Real> random;
  Worst worst_exp("exp"), worst_log("log"), worst_pow("pow");
  const double largest = std::log(double(std::numeric_limits<Real>::max()));
  for (int i = 0; i < kTries; ++i) {
    const Real e = i % 3 == 0   ? random.any()
                   : i % 3 == 1 ? random.between(-1, 1)
                                : random.between(-1.06, 1.01) * Real(largest);
    worst_exp.see(exp(e), std::exp(static_cast<long double>(e)), e);
    const Real x = i % 2 ? abs(random.any()) : random.between(0, 4);
    worst_log.see(log(x), std::log(static_cast<long double>(x)), x);
    const Real steep = Real(random.between(-1.05, 1) * largest / std::log(double(x)));  // powers of every size
    const Real y = i % 3 ? random.between(-8, 8) : steep;
    worst_pow.see(pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y)), x, y);
  }
}

// Proves that special arguments give C99's special values with their signs, and one not-a-number.
TEST(Trig, SpecialValues) {
  const auto expect = [](const char* name, Real got, Real wanted, Real x, Real y) {
    const bool same = wanted != wanted ? to_bits(got) == to_bits(not_a_number<Real>())
                                       : error_in_ulp(got, wanted) <= 1 && std::signbit(got) == std::signbit(wanted);
    EXPECT_TRUE(same) << name << " of " << x << ", " << y << " is " << got << ", wanted " << wanted;
  };
  for (Real x : test::special_numbers<Real>()) {
    expect("sin", sin(x), std::sin(x), x, 0);
    expect("cos", cos(x), std::cos(x), x, 0);
    expect("tan", tan(x), std::tan(x), x, 0);
    expect("atan", atan(x), std::atan(x), x, 0);
    expect("asin", asin(x), std::asin(x), x, 0);
    expect("acos", acos(x), std::acos(x), x, 0);
    expect("exp", exp(x), std::exp(x), x, 0);
    expect("log", log(x), std::log(x), x, 0);
    for (Real y : test::special_numbers<Real>()) {
      expect("atan2", atan2(x, y), std::atan2(x, y), x, y);
      expect("pow", pow(x, y), std::pow(x, y), x, y);
    }
  }
}

// Proves that symmetric arguments give exactly symmetric results.
TEST(Trig, Symmetry) {
  test::RandomNumbers<Real> random;
  for (int i = 0; i < 10000; ++i) {
    const Real x = random.between(-100, 100), y = random.between(-100, 100);
    EXPECT_EQ(sin(-x), -sin(x));
    EXPECT_EQ(cos(-x), cos(x));
    EXPECT_EQ(tan(-x), -tan(x));
    EXPECT_EQ(atan2(-y, x), -atan2(y, x));
    EXPECT_EQ(asin(-x / 100), -asin(x / 100));
  }
}

}  // namespace
}  // namespace carom
