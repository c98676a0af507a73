// Scalar functions that every math type is written with, for F = Real. math/lanes.h gives the same names for lanes.
// fma is written out wherever it is meant, since the compilers are told never to contract on their own.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

// Element, mask and bit pattern types of F. A plain number compares to a bool; lanes compare to a mask of lanes.
template <class F>
struct ScalarTraits;

template <>
struct ScalarTraits<float> {
  using Element = float;
  using Mask = bool;
  using Bits = std::int32_t;
  static constexpr int kWidth = 1;
};

template <>
struct ScalarTraits<double> {
  using Element = double;
  using Mask = bool;
  using Bits = std::int64_t;
  static constexpr int kWidth = 1;
};

template <class F>
using Element = typename ScalarTraits<F>::Element;
template <class F>
using MaskOf = typename ScalarTraits<F>::Mask;
template <class F>
using BitsOf = typename ScalarTraits<F>::Bits;

// Plain numbers are the floating-point types; everything else with ScalarTraits is lanes.
template <class F>
concept PlainNumber = std::is_same_v<F, float> || std::is_same_v<F, double>;

// Plain numbers and lanes.
template <class F>
concept Number = requires {
  typename ScalarTraits<F>::Element;
};

// a * b + c, rounded once.
CAROM_HD float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CAROM_HD double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

CAROM_HD float sqrt(float a) { return __builtin_sqrtf(a); }
CAROM_HD double sqrt(double a) { return __builtin_sqrt(a); }

CAROM_HD float abs(float a) { return __builtin_fabsf(a); }
CAROM_HD double abs(double a) { return __builtin_fabs(a); }

// min and max return b when a is not a number, on every machine (libm and the instruction sets disagree there).
template <PlainNumber F>
CAROM_HD F min(F a, F b) {
  return a < b ? a : b;
}
template <PlainNumber F>
CAROM_HD F max(F a, F b) {
  return a > b ? a : b;
}

// mask ? a : b, for plain numbers and lanes alike; both sides are always computed.
template <PlainNumber F>
CAROM_HD F select(bool mask, F a, F b) {
  return mask ? a : b;
}

CAROM_HD bool any(bool mask) { return mask; }
CAROM_HD bool all(bool mask) { return mask; }

template <PlainNumber F>
CAROM_HD bool is_finite(F a) {
  return a - a == F(0);
}

template <class F>
CAROM_HD F clamp(F a, F low, F high) {
  return min(max(a, low), high);
}

template <class F>
CAROM_HD F square(F a) {
  return a * a;
}

// |a| with the sign of b.
CAROM_HD float copysign(float a, float b) { return __builtin_copysignf(a, b); }
CAROM_HD double copysign(double a, double b) { return __builtin_copysign(a, b); }

// The bit pattern of a number as a signed integer, and back.
CAROM_HD std::int32_t to_bits(float a) { return std::bit_cast<std::int32_t>(a); }
CAROM_HD std::int64_t to_bits(double a) { return std::bit_cast<std::int64_t>(a); }
CAROM_HD float from_bits(std::int32_t a) { return std::bit_cast<float>(a); }
CAROM_HD double from_bits(std::int64_t a) { return std::bit_cast<double>(a); }

// f(a...) where the mask is set, otherwise value. f sees single numbers: the way to rare and slow cases of lanes.
template <PlainNumber F, class Function, class... Args>
CAROM_HD F replace_where(bool mask, F value, Function f, Args... a) {
  return mask ? f(a...) : value;
}

}  // namespace carom::inline CAROM_PRECISION
