// Sine, cosine, tangent. The angle is reduced to r in [-pi/4, pi/4] and a quadrant by subtracting n pi/2 in three parts
// (Cody, Waite 1980, with fma), r being kept as a pair; angles too large for that go one by one through
// trig_huge.h. sin(r) = r + r^3 S(r^2), cos(r) = 1 - r^2/2 + r^4 C(r^2).
#pragma once

#include "carom/math/trig_huge.h"

namespace carom::inline CAROM_PRECISION {

// pi/2 in three parts, the first two cut off so that all are positive; fits on |r| <= 0.795 for float (n is off by up
// to 0.005 there) and 0.7856 for double, with relative errors 2^-27.7 (S) and 2^-30 (C), 2^-56.5 and 2^-59.5.
template <class T>
struct AngleConstants;

template <>
struct AngleConstants<float> {
  static constexpr float kLargest = 0x1p17f;  // [rad]
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  static constexpr float kHalfPi1 = 0x1.921fb4p+0f, kHalfPi2 = 0x1.4442d0p-24f, kHalfPi3 = 0x1.84698ap-48f;
  template <class F>
  static CAROM_HD F sine(F z) {
    return polynomial(z, -0x1.555544p-3f, 0x1.1106bep-7f, -0x1.9918eap-13f);
  }
  template <class F>
  static CAROM_HD F cosine(F z) {
    return polynomial(z, 0x1.55554ap-5f, -0x1.6c0bacp-10f, 0x1.99c450p-16f);
  }
};

template <>
struct AngleConstants<double> {
  static constexpr double kLargest = 0x1p30;  // [rad]
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double kHalfPi1 = 0x1.921fb54442d18p+0, kHalfPi2 = 0x1.1a62633145c06p-54,
                          kHalfPi3 = 0x1.c1cd129024e09p-107;
  template <class F>
  static CAROM_HD F sine(F z) {
    return polynomial(z, -0x1.5555555555548p-3, 0x1.111111110f7bfp-7, -0x1.a01a019bfbbcbp-13, 0x1.71de3565db4f1p-19,
                      -0x1.ae5e58faa4ffdp-26, 0x1.5d8f585317dccp-33);
  }
  template <class F>
  static CAROM_HD F cosine(F z) {
    return polynomial(z, 0x1.555555555554bp-5, -0x1.6c16c16c14f7ep-10, 0x1.a01a019c8262bp-16, -0x1.27e4f7e957cb0p-22,
                      0x1.1ee9d6b6d7dddp-29, -0x1.8fa4137c3066dp-37);
  }
};

// For 0 <= a <= kLargest. The first difference is exact: both numbers are multiples of the last digit of kHalfPi1 or
// finer, and so is the second one of the pair r, low, whatever cancels.
template <class F>
CAROM_HD ReducedAngle<F> reduce_angle(F a) {
  using K = AngleConstants<Element<F>>;
  const F round = F(NumberFormat<Element<F>>::kRound);
  const F shifted = fma(a, F(K::kTwoOverPi), round);
  const F n = shifted - round;
  const F r1 = fma(-n, F(K::kHalfPi1), a);
  const Pair<F> p = two_product(n, F(K::kHalfPi2));
  const F r = r1 - p.high;
  const F low = ((r1 - r) - p.high) - p.low;
  return {{r, fma(-n, F(K::kHalfPi3), low)}, to_bits(shifted)};
}

// Sine and cosine of r alone, as pairs.
template <class F>
struct SinCosPairs {
  Pair<F> sine, cosine;
};

template <class F>
CAROM_HD SinCosPairs<F> sincos_pairs(Pair<F> r) {
  using K = AngleConstants<Element<F>>;
  const F z = r.high * r.high;
  const F half = z * F(0.5);
  const F one_less = F(1) - half;
  const F sine_low = fma(r.high * z, K::sine(z), fma(-half, r.low, r.low));
  const F cosine_low = ((F(1) - one_less) - half) + fma(z * z, K::cosine(z), -(r.high * r.low));
  return {{r.high, sine_low}, {one_less, cosine_low}};
}

// v, with its sign changed where the second last bit of the quadrant is set.
template <class F>
CAROM_HD F sign_of_quadrant(BitsOf<F> quadrant, F v) {
  using Format = NumberFormat<Element<F>>;
  return from_bits(to_bits(v) ^ ((quadrant << (Format::kBits - 2)) & BitsOf<F>(Format::kSignBit)));
}

// x gives the sign of the angle that was reduced; reducing |x| keeps sin(-0) = -0.
template <class F>
CAROM_HD void sincos_reduced(ReducedAngle<F> angle, F x, F& s, F& c) {
  using B = BitsOf<F>;
  const SinCosPairs<F> p = sincos_pairs(angle.r);
  const F sine = p.sine.high + p.sine.low;
  const F cosine = p.cosine.high + p.cosine.low;
  const auto odd = (angle.quadrant & B(1)) != B(0);
  const F x_sign = copysign(F(1), x);
  s = sign_of_quadrant(angle.quadrant, select(odd, cosine, sine) * x_sign);
  c = sign_of_quadrant(angle.quadrant + B(1), select(odd, sine, cosine));
}

// tan = sin/cos, or -cos/sin in odd quadrants, divided as pairs.
template <class F>
CAROM_HD F tan_reduced(ReducedAngle<F> angle, F x) {
  using B = BitsOf<F>;
  const SinCosPairs<F> p = sincos_pairs(angle.r);
  const Pair<F> sine = fast_two_sum(p.sine.high, p.sine.low);
  const Pair<F> cosine = fast_two_sum(p.cosine.high, p.cosine.low);
  const auto odd = (angle.quadrant & B(1)) != B(0);
  const Pair<F> q = divide(select(odd, cosine, sine), select(odd, sine, cosine));
  const F tangent = q.high + q.low;
  return select(odd, -tangent, tangent) * copysign(F(1), x);
}

// -- One angle of any size.

inline namespace CAROM_TIER {

template <class T>
CAROM_HD_STAGE __attribute__((noinline)) void sincos_huge(T x, T& s, T& c) {
  if (is_finite(x)) {
    sincos_reduced(reduce_huge_angle(abs(x)), x, s, c);
  } else {
    s = c = not_a_number<T>();
  }
}
template <class T>
CAROM_HD_STAGE __attribute__((noinline)) T tan_huge(T x) {
  return is_finite(x) ? tan_reduced(reduce_huge_angle(abs(x)), x) : not_a_number<T>();
}

}  // namespace CAROM_TIER

// -- The functions; angles in [rad].

template <Number F>
CAROM_HD void sincos(F x, F& s, F& c) {
  using T = Element<F>;
  const F a = abs(x);
  sincos_reduced(reduce_angle(a), x, s, c);
  const auto huge = !(a <= F(AngleConstants<T>::kLargest));
  if (any(huge)) [[unlikely]] {
    const auto sine_of = [](T one) {
      T sine, cosine;
      sincos_huge(one, sine, cosine);
      return sine;
    };
    const auto cosine_of = [](T one) {
      T sine, cosine;
      sincos_huge(one, sine, cosine);
      return cosine;
    };
    s = replace_where(huge, s, sine_of, x);
    c = replace_where(huge, c, cosine_of, x);
  }
}

template <Number F>
CAROM_HD F sin(F x) {
  F s, c;
  sincos(x, s, c);
  return s;
}
template <Number F>
CAROM_HD F cos(F x) {
  F s, c;
  sincos(x, s, c);
  return c;
}
template <Number F>
CAROM_HD F tan(F x) {
  using T = Element<F>;
  const F a = abs(x);
  const F tangent = tan_reduced(reduce_angle(a), x);
  const auto huge = !(a <= F(AngleConstants<T>::kLargest));
  return replace_where(
      huge, tangent, [](T one) { return tan_huge(one); }, x);
}

}  // namespace carom::inline CAROM_PRECISION
