// Natural logarithm and power. x = 2^k m with m in [sqrt(1/2), sqrt(2)), s = (m - 1)/(m + 1), and
// log(m) = 2 atanh(s) = 2 s + s^3 L(s^2). For powers, x^y = e^(y log x), the logarithm is kept as a pair with its first
// three terms exact: log(m) = 2 s + 2/3 s^3 + s^5 (2/5 + s^2 P(s^2)).
#pragma once

#include "carom/math/trig_exp.h"

namespace carom::inline CAROM_PRECISION {

// Fits on |s| <= 0.1716. Relative errors of the logarithm: 2^-30 (float) and 2^-57.6 (double) with L, 2^-40.8 and
// 2^-70.3 with P.
template <class T>
struct LogConstants;

template <>
struct LogConstants<float> {
  static constexpr float kSmallestNormal = 0x1p-126f, kScale = 0x1p24f, kScaleExponent = 24.0f;
  static constexpr float kRootHalf = 0x1.6a09e6p-1f;
  static constexpr float kTwoThirds = 0x1.555556p-1f, kTwoThirdsLow = -0x1.555556p-26f;
  static constexpr float kTwoFifths = 0x1.99999ap-2f, kTwoFifthsLow = -0x1.99999ap-28f;
  template <class F>
  static CAROM_HD F logarithm(F z) {
    return polynomial(z, 0x1.555554p-1f, 0x1.999a7ap-2f, 0x1.2438cep-2f, 0x1.e2f7d6p-3f);
  }
  template <class F>
  static CAROM_HD F logarithm_rest(F z) {
    return polynomial(z, 0x1.2492bcp-2f, 0x1.c69e36p-3f, 0x1.8a9a0ep-3f);
  }
};

template <>
struct LogConstants<double> {
  static constexpr double kSmallestNormal = 0x1p-1022, kScale = 0x1p54, kScaleExponent = 54.0;
  static constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;
  static constexpr double kTwoThirds = 0x1.5555555555555p-1, kTwoThirdsLow = 0x1.5555555555555p-55;
  static constexpr double kTwoFifths = 0x1.999999999999ap-2, kTwoFifthsLow = -0x1.999999999999ap-56;
  template <class F>
  static CAROM_HD F logarithm(F z) {
    return polynomial(z, 0x1.555555555557cp-1, 0x1.9999999984780p-2, 0x1.2492493fb46bap-2, 0x1.c71c52b7fc931p-3,
                      0x1.746649520a842p-3, 0x1.399d014da6c70p-3, 0x1.2f529aa748d50p-3);
  }
  template <class F>
  static CAROM_HD F logarithm_rest(F z) {
    return polynomial(z, 0x1.2492492492492p-2, 0x1.c71c71c71c614p-3, 0x1.745d1745e31b1p-3, 0x1.3b13b130d1383p-3,
                      0x1.111114af7523ap-3, 0x1.e1e04372e5d0cp-4, 0x1.af6383a2c09b5p-4, 0x1.80e7cfe0fbf47p-4,
                      0x1.a5087b3d922eap-4);
  }
};

// x = 2^exponent (1 + fraction), for finite x > 0; anything else gives numbers without meaning.
template <class F>
struct BinaryParts {
  F exponent, fraction;
};

template <class F>
CAROM_HD BinaryParts<F> binary_parts(F x) {
  using T = Element<F>;
  using Format = NumberFormat<T>;
  using K = LogConstants<T>;
  using B = BitsOf<F>;
  const auto subnormal = x < F(K::kSmallestNormal);
  const B root = to_bits(F(K::kRootHalf));
  const B above = to_bits(abs(select(subnormal, x * F(K::kScale), x))) - root;  // without a sign it cannot overflow
  const B mantissa = above & B((BitsOf<T>(1) << Format::kMantissaBits) - 1);
  const F round = F(Format::kRound);
  const F k = from_bits((above >> Format::kMantissaBits) + to_bits(round)) - round;
  return {select(subnormal, k - F(K::kScaleExponent), k), from_bits(mantissa + root) - F(1)};
}

// The logarithm's value where x is zero, infinite, negative or not a number.
template <class F>
CAROM_HD F log_special(F x, F value) {
  const F edge = select(x == F(0), -infinity<F>(), select(x > F(0), infinity<F>(), not_a_number<F>()));
  return select(x > F(0) && x < infinity<F>(), value, edge);
}

template <Number F>
CAROM_HD F log(F x) {
  using T = Element<F>;
  const auto [k, f] = binary_parts(x);
  const F s = f / (f + F(2));
  const F z = s * s;
  const F half = F(0.5) * f * f;
  const F rest = half - s * fma(z, LogConstants<T>::logarithm(z), half);  // f - log(1 + f)
  const Pair<F> sum = fast_two_sum(k * F(ExpConstants<T>::kLn2High), f);
  return log_special(x, sum.high + (sum.low + fma(k, F(ExpConstants<T>::kLn2Middle), -rest)));
}

// log(x) as a pair, for finite x > 0.
template <class F>
CAROM_HD Pair<F> log_pair(F x) {
  using T = Element<F>;
  using K = LogConstants<T>;
  using E = ExpConstants<T>;
  const auto [k, f] = binary_parts(x);
  const Pair<F> s = divide(Pair<F>{f, F(0)}, fast_two_sum(F(2), f));
  const Pair<F> z = multiply(s, s);
  const Pair<F> c5 =
      add(Pair<F>{F(K::kTwoFifths), F(K::kTwoFifthsLow)}, Pair<F>{z.high * K::logarithm_rest(z.high), F(0)});
  const Pair<F> c3 = add(Pair<F>{F(K::kTwoThirds), F(K::kTwoThirdsLow)}, multiply(z, c5));
  const Pair<F> log_m = add(Pair<F>{s.high + s.high, s.low + s.low}, multiply(multiply(s, z), c3));
  const Pair<F> log_2k = {k * F(E::kLn2High), F(0)};
  const Pair<F> small = two_product(k, F(E::kLn2Middle));
  return add(add(log_2k, log_m), Pair<F>{small.high, fma(k, F(E::kLn2Low), small.low)});
}

template <class F>
CAROM_HD MaskOf<F> is_integer(F a) {
  const F large = F(NumberFormat<Element<F>>::kRound) / F(1.5);  // from here on there are no fractions
  const F size = abs(a);
  return size >= large || (size + large) - large == size;
}

// x^y; a negative x has real powers for integer y alone.
template <Number F>
CAROM_HD F pow(F x, F y) {
  const F a = abs(x);
  const auto regular = a > F(0) && a < infinity<F>();
  const Pair<F> log_a = log_pair(select(regular, a, F(1)));
  const F log_high = select(regular, log_a.high, select(a == F(0), -infinity<F>(), infinity<F>()));
  const F high = y * log_high;
  const F low = fma(y, log_high, -high) + y * log_a.low;
  const F size = exp_pair(Pair<F>{high, low});

  const auto integer = is_integer(y);
  const auto odd = integer && !is_integer(y * F(0.5));
  const auto negative = copysign(F(1), x) < F(0);
  const F value = select(negative && odd, F(-1), F(1)) * select(a == F(1), F(1), size);
  const auto undefined = x != x || y != y || (x < F(0) && a < infinity<F>() && !integer);
  return select(x == F(1) || y == F(0), F(1), select(undefined, not_a_number<F>(), value));
}

}  // namespace carom::inline CAROM_PRECISION
