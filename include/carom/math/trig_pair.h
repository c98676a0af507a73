// Sums of two numbers that together carry about twice the digits of one (double-word arithmetic; Dekker 1971,
// Joldes, Muller, Popescu 2017), and the polynomial evaluation that all own functions share.
#pragma once

#include "carom/math/scalar.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct Pair {
  F high{}, low{};
};

// a + b without error, when |a| >= |b| or a is a multiple of the last digit of b.
template <class F>
CAROM_HD Pair<F> fast_two_sum(F a, F b) {
  const F sum = a + b;
  return {sum, b - (sum - a)};
}
// a * b without error.
template <class F>
CAROM_HD Pair<F> two_product(F a, F b) {
  const F product = a * b;
  return {product, fma(a, b, -product)};
}
// a + b, when |a| >= |b|.
template <class F>
CAROM_HD Pair<F> add(Pair<F> a, Pair<F> b) {
  const Pair<F> sum = fast_two_sum(a.high, b.high);
  return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}
template <class F>
CAROM_HD Pair<F> multiply(Pair<F> a, Pair<F> b) {
  const Pair<F> product = two_product(a.high, b.high);
  return fast_two_sum(product.high, product.low + fma(a.high, b.low, a.low * b.high));
}
// a / b.
template <class F>
CAROM_HD Pair<F> divide(Pair<F> a, Pair<F> b) {
  const F inverse = F(1) / b.high;
  const F quotient = a.high * inverse;
  return {quotient, (fma(-quotient, b.high, a.high) + fma(-quotient, b.low, a.low)) * inverse};
}
template <class F, class M>
CAROM_HD Pair<F> select(M mask, Pair<F> a, Pair<F> b) {
  return {select(mask, a.high, b.high), select(mask, a.low, b.low)};
}

// c0 + c1 x + c2 x^2 + ...
template <class F>
CAROM_HD F polynomial(F, Element<F> c0) {
  return F(c0);
}
template <class F, class... C>
CAROM_HD F polynomial(F x, Element<F> c0, C... c) {
  return fma(polynomial(x, c...), x, F(c0));
}

// The one quiet not-a-number that own functions return.
template <class F>
CAROM_HD F not_a_number() {
  if constexpr (sizeof(Element<F>) == 4) return from_bits(BitsOf<F>(0x7fc00000));
  else return from_bits(BitsOf<F>(0x7ff8000000000000));
}
template <class F>
CAROM_HD F infinity() {
  if constexpr (sizeof(Element<F>) == 4) return from_bits(BitsOf<F>(0x7f800000));
  else return from_bits(BitsOf<F>(0x7ff0000000000000));
}

// The layout of a number, and the constant whose sum with a small number rounds that to an integer, which then stands
// in the last bits of the sum.
template <class T>
struct NumberFormat;

template <>
struct NumberFormat<float> {
  static constexpr int kBits = 32, kMantissaBits = 23, kBias = 127;
  static constexpr std::int32_t kSignBit = INT32_MIN;
  static constexpr float kRound = 0x1.8p23f;
};

template <>
struct NumberFormat<double> {
  static constexpr int kBits = 64, kMantissaBits = 52, kBias = 1023;
  static constexpr std::int64_t kSignBit = INT64_MIN;
  static constexpr double kRound = 0x1.8p52;
};

// 2^n, for an integer n that gives a normal number.
template <class F>
CAROM_HD F power_of_two(BitsOf<F> n) {
  using Format = NumberFormat<Element<F>>;
  return from_bits((n + BitsOf<F>(Format::kBias)) << Format::kMantissaBits);
}

}  // namespace carom::inline CAROM_PRECISION
