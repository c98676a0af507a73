// The exponential function: e^x = 2^n e^r with r in [-ln 2 / 2, ln 2 / 2] kept as a pair, and
// e^r = 1 + r + r^2 E(r).
#pragma once

#include "carom/math/trig_pair.h"

namespace carom::inline CAROM_PRECISION {

// ln 2 in parts, the first short enough that its product with n is exact. Fits on |r| <= 0.3475, relative errors
// 2^-27.9 (float) and 2^-61.5 (double). Beyond kLowest and kHighest the result is 0 or infinite.
template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr float kLowest = -104.0f, kHighest = 89.5f;
  static constexpr float kLog2E = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Middle = 0x1.7f7d1cp-20f, kLn2Low = 0x1.ef357ap-45f;
  template <class F>
  static CAROM_HD F exponential(F r) {
    return polynomial(r, 0x1.fffffcp-2f, 0x1.555490p-3f, 0x1.5558fap-5f, 0x1.123b6ap-7f, 0x1.6a21f0p-10f);
  }
};

template <>
struct ExpConstants<double> {
  static constexpr double kLowest = -746.0, kHighest = 710.0;
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Middle = 0x1.ef35793c76730p-45,
                          kLn2Low = 0x1.f97b57a079a19p-103;
  template <class F>
  static CAROM_HD F exponential(F r) {
    return polynomial(r, 0x1.0p-1, 0x1.5555555555557p-3, 0x1.5555555555558p-5, 0x1.1111111110085p-7,
                      0x1.6c16c16c15172p-10, 0x1.a01a01ac1719ap-13, 0x1.a01a01ad2e015p-16, 0x1.71de019ca4ef0p-19,
                      0x1.27e4cc5264627p-22, 0x1.af4f1e8d357d6p-26, 0x1.1f8c1cf37cdd5p-29);
  }
};

// e^(high + low). Where high alone decides between 0 and infinity, low is ignored: it may be large or no number there.
template <class F>
CAROM_HD F exp_pair(Pair<F> x) {
  using T = Element<F>;
  using K = ExpConstants<T>;
  using B = BitsOf<F>;
  const F high = clamp(x.high, F(K::kLowest), F(K::kHighest));
  const F low = select(high == x.high, x.low, F(0));
  const F round = F(NumberFormat<T>::kRound);
  const F shifted = fma(high, F(K::kLog2E), round);
  const F n = shifted - round;
  const F r1 = fma(-n, F(K::kLn2High), high);
  const F p = n * F(K::kLn2Middle);
  const F r2 = r1 - p;
  const Pair<F> r = fast_two_sum(r2, ((r1 - r2) - p) + low);
  const Pair<F> one_more = fast_two_sum(F(1), r.high);
  const F rest = fma(r.high * r.high, K::exponential(r.high), fma(r.low, r.high, r.low));
  const F power = one_more.high + (one_more.low + rest);

  const B exponent = to_bits(shifted) - to_bits(round);  // in two steps, since 2^n alone may overflow
  const B half = exponent >> 1;
  return power * power_of_two<F>(half) * power_of_two<F>(exponent - half);
}

template <Number F>
CAROM_HD F exp(F x) {
  return select(x == x, exp_pair(Pair<F>{x, F(0)}), not_a_number<F>());
}

}  // namespace carom::inline CAROM_PRECISION
