// Reduction of angles of any size (Payne, Hanek 1983): x 2/pi is multiplied out in integers, keeping only those bits of
// 2/pi that reach the quadrant and the fraction. Rare and slow, one number at a time.
#pragma once

#include "carom/math/trig_pair.h"

namespace carom::inline CAROM_PRECISION {

// |x| = quadrant pi/2 + r; only the last two bits of the quadrant mean something.
template <class F>
struct ReducedAngle {
  Pair<F> r;
  BitsOf<F> quadrant;
};

inline namespace CAROM_TIER {

// For finite a >= 1. With a = m 2^e, bits of 2/pi that m 2^e makes multiples of 4 are left out, seven words are taken
// from there on: the fraction is then wrong by less than 2^-138, and no double is nearer than 2^-62 to a multiple of
// pi/2.
inline CAROM_HD_STAGE __attribute__((noinline)) ReducedAngle<double> reduce_huge_angle(double a) {
  constexpr int kWords = 7;
  constexpr std::uint32_t kTwoOverPi[40] = {
      0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
      0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
      0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
      0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
      0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

  const std::uint64_t bits = static_cast<std::uint64_t>(to_bits(a));
  const int e = static_cast<int>(bits >> 52) - 1075;
  const std::uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;
  const int first = e < 2 ? 0 : (e - 2) / 32;

  // product = m times the seven words, lowest word first.
  std::uint32_t product[kWords + 3] = {};
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t factor = static_cast<std::uint32_t>(m >> (32 * half));
    std::uint64_t carry = 0;
    for (int i = 0; i < kWords; ++i) {
      carry += factor * kTwoOverPi[first + kWords - 1 - i] + product[i + half];
      product[i + half] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    product[kWords + half] = static_cast<std::uint32_t>(carry);
  }

  // 32 bits of the product from bit `at` on.
  const auto bits_at = [&](int at) {
    const std::uint64_t two = product[at / 32] | static_cast<std::uint64_t>(product[at / 32 + 1]) << 32;
    return static_cast<std::uint32_t>(two >> (at % 32));
  };
  const int point = 32 * (first + kWords) - e;  // where the fraction ends
  std::int64_t quadrant = bits_at(point) & 3;
  std::uint32_t fraction[4] = {bits_at(point - 32), bits_at(point - 64), bits_at(point - 96), bits_at(point - 128)};
  const bool past_half = fraction[0] >> 31;  // r = fraction - 1 then: its negative is the complement
  if (past_half) {
    ++quadrant;
    for (std::uint32_t& word : fraction) word = ~word;
  }

  const Pair<double> upper = fast_two_sum(fraction[0] * 0x1p-32, fraction[1] * 0x1p-64);
  const double lower = fraction[2] * 0x1p-96 + fraction[3] * 0x1p-128;
  const Pair<double> turn = add(upper, Pair<double>{lower, 0.0});
  const Pair<double> r = multiply(turn, Pair<double>{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  return {past_half ? Pair<double>{-r.high, -r.low} : r, quadrant};
}

// A float is reduced as a double, and the result cut into two floats.
inline CAROM_HD_STAGE ReducedAngle<float> reduce_huge_angle(float a) {
  const ReducedAngle<double> angle = reduce_huge_angle(static_cast<double>(a));
  const float high = static_cast<float>(angle.r.high);
  return {{high, static_cast<float>(angle.r.high - high)}, static_cast<std::int32_t>(angle.quadrant)};
}

}  // namespace CAROM_TIER
}  // namespace carom::inline CAROM_PRECISION
