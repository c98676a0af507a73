// Arc functions, all through the angle of a point (x, y) whose coordinates may be pairs. With n <= d the sorted
// |x| and |y|, t = n/d, or t = (n - d)/(n + d) and an eighth of a turn more, so that |t| <= tan(pi/8), and
// atan(t) = t + t^3 A(t^2). Octants are put together as in any atan2.
#pragma once

#include "carom/math/trig_pair.h"

namespace carom::inline CAROM_PRECISION {

// Fits on |t| <= 0.4143, relative errors 2^-28.2 (float) and 2^-57.3 (double). Both coordinates are scaled by a power
// of two that keeps every intermediate result normal.
template <class T>
struct ArcConstants;

template <>
struct ArcConstants<float> {
  static constexpr float kTanEighth = 0x1.a8279ap-2f;
  static constexpr float kQuarterPi = 0x1.921fb6p-1f, kQuarterPiLow = -0x1.777a5cp-26f;
  static constexpr float kSmall = 0x1p-40f, kLarge = 0x1p40f;
  static constexpr float kScaleSmall = 0x1p126f, kScaleMiddle = 0x1p70f, kScaleLarge = 0x1p-20f;
  template <class F>
  static CAROM_HD F arc(F z) {
    return polynomial(z, -0x1.55554ap-2f, 0x1.999192p-3f, -0x1.23b4e4p-3f, 0x1.b1e860p-4f, -0x1.f1d942p-5f);
  }
};

template <>
struct ArcConstants<double> {
  static constexpr double kTanEighth = 0x1.a827999fcef32p-2;
  static constexpr double kQuarterPi = 0x1.921fb54442d18p-1, kQuarterPiLow = 0x1.1a62633145c07p-55;
  static constexpr double kSmall = 0x1p-300, kLarge = 0x1p300;
  static constexpr double kScaleSmall = 0x1p1000, kScaleMiddle = 0x1p500, kScaleLarge = 0x1p-200;
  template <class F>
  static CAROM_HD F arc(F z) {
    return polynomial(z, -0x1.555555555553dp-2, 0x1.999999999578ep-3, -0x1.24924922a8a84p-3, 0x1.c71c70e4622f9p-4,
                      -0x1.745cf8af65b91p-4, 0x1.3b111624c7a58p-4, -0x1.10eb97f5589adp-4, 0x1.df0d851366fc7p-5,
                      -0x1.9ccaf9737765fp-5, 0x1.37c26536da10fp-5, -0x1.25410edd22e40p-6);
  }
};

template <class F>
CAROM_HD Pair<F> scale(Pair<F> a, F s) {
  return {a.high * s, a.low * s};
}

// n and d with a quotient that is always defined: 0/0 counts as 0/1, inf/inf as 1/1.
template <class F>
CAROM_HD void make_quotient_defined(Pair<F>& n, Pair<F>& d) {
  using K = ArcConstants<Element<F>>;
  const auto infinite = d.high == infinity<F>();
  n.high = select(infinite, select(n.high == d.high, F(1), F(0)), n.high);
  d.high = select(infinite || d.high == F(0), F(1), d.high);
  const F s = select(d.high < F(K::kSmall), F(K::kScaleSmall),
                     select(d.high > F(K::kLarge), F(K::kScaleLarge), F(K::kScaleMiddle)));
  n = scale(n, s);
  d = scale(d, s);
}

// Angle in [0, pi] of the point (x, y) in the upper half plane, given |x| and |y| and whether x is negative.
template <class F>
CAROM_HD F angle_of_point(Pair<F> y, Pair<F> x, MaskOf<F> left) {
  using K = ArcConstants<Element<F>>;
  const auto steep = y.high > x.high;
  Pair<F> n = select(steep, x, y), d = select(steep, y, x);
  make_quotient_defined(n, d);

  const auto diagonal = n.high > d.high * F(K::kTanEighth);
  const F difference = n.high - d.high, sum = n.high + d.high;
  const Pair<F> top = {difference, (n.high - (difference + d.high)) + (n.low - d.low)};
  const Pair<F> bottom = {sum, (n.high - (sum - d.high)) + (n.low + d.low)};
  const Pair<F> t = divide(select(diagonal, top, n), select(diagonal, bottom, d));
  const F z = t.high * t.high;
  const F low = fma(t.high * z, K::arc(z), fma(-z, t.low, t.low));

  const auto backward = steep != left;  // the angle grows against t
  const F eighths =
      select(steep, F(2), select(left, F(4), F(0))) + select(diagonal, select(backward, F(-1), F(1)), F(0));
  const Pair<F> base = two_product(eighths, F(K::kQuarterPi));
  const Pair<F> angle = fast_two_sum(base.high, select(backward, -t.high, t.high));
  const F base_low = fma(eighths, F(K::kQuarterPiLow), base.low);
  return angle.high + (angle.low + (base_low + select(backward, -low, low)));
}

// Angle in [-pi, pi] of the point (x, y) [rad].
template <Number F>
CAROM_HD F atan2(F y, F x) {
  const auto left = copysign(F(1), x) < F(0);
  const F angle = angle_of_point(Pair<F>{abs(y), F(0)}, Pair<F>{abs(x), F(0)}, left);
  return select(x == x && y == y, copysign(angle, y), not_a_number<F>());
}
template <Number F>
CAROM_HD F atan(F x) {
  return atan2(x, F(1));
}

// sqrt(1 - x^2), for |x| <= 1.
template <class F>
CAROM_HD Pair<F> other_leg(F x) {
  const Pair<F> square = two_product(x, x);
  const Pair<F> rest = fast_two_sum(F(1), -square.high);
  const F root = sqrt(rest.high);
  const F error = fma(-root, root, rest.high) + (rest.low - square.low);
  const auto positive = root > F(0);
  return {root, select(positive, error / select(positive, root + root, F(1)), F(0))};
}

// Angle in [-pi/2, pi/2] whose sine is x, and in [0, pi] whose cosine is x [rad]; |x| > 1 is not a number.
template <Number F>
CAROM_HD F asin(F x) {
  const F a = abs(x);
  const F angle = angle_of_point(Pair<F>{a, F(0)}, other_leg(a), F(0) > F(0));
  return select(a <= F(1), copysign(angle, x), not_a_number<F>());
}
template <Number F>
CAROM_HD F acos(F x) {
  const F a = abs(x);
  const F angle = angle_of_point(other_leg(a), Pair<F>{a, F(0)}, x < F(0));
  return select(a <= F(1), angle, not_a_number<F>());
}

}  // namespace carom::inline CAROM_PRECISION
