// Machine instructions that the compilers' vector extensions cannot name: square root, fma, minimum, maximum and the
// sign bits of a register, for SSE2, AVX, AVX-512 and NEON. What a machine lacks is simply not declared here, and the
// functions at the end then halve the vector or go number by number.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "carom/math/scalar.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The widest register that these compiler flags allow [bytes].
#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline constexpr int kRegisterBytes = 64;
#elif defined(__AVX__)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif

template <class T, int W>
inline constexpr bool kFitsRegister = W * sizeof(T) <= kRegisterBytes;

template <class T, int W>
struct LaneVectorOf {
  typedef T Type __attribute__((vector_size(W * sizeof(T))));
};
template <class T>
struct LaneVectorOf<T, 1> {
  using Type = T;
};

// W numbers side by side; one number alone is just that number. Where no register is wide enough the compilers take
// several, and the code grows with their number.
template <class T, int W>
using LaneVector = typename LaneVectorOf<T, W>::Type;

// W consecutive numbers, of any alignment. A copy of bytes would do, but GCC 12 takes one of 16 through two general
// registers on aarch64.
template <class T, int W>
struct UnalignedOf {
  typedef LaneVector<T, W> Type __attribute__((aligned(alignof(T)), may_alias));
};
template <class T, int W>
CAROM_HD LaneVector<T, W> load_vector(const T* from) {
  return *reinterpret_cast<const typename UnalignedOf<T, W>::Type*>(from);
}
template <class T, int W>
CAROM_HD void store_vector(T* to, LaneVector<T, W> v) {
  *reinterpret_cast<typename UnalignedOf<T, W>::Type*>(to) = v;
}

// -- Instructions. min and max give b when either is not a number, as in scalar.h; NEON's own differ there.

#if defined(__SSE2__)
CAROM_HD __m128 native_sqrt(__m128 a) { return _mm_sqrt_ps(a); }
CAROM_HD __m128d native_sqrt(__m128d a) { return _mm_sqrt_pd(a); }
CAROM_HD __m128 native_min(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
CAROM_HD __m128d native_min(__m128d a, __m128d b) { return _mm_min_pd(a, b); }
CAROM_HD __m128 native_max(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
CAROM_HD __m128d native_max(__m128d a, __m128d b) { return _mm_max_pd(a, b); }
CAROM_HD unsigned native_sign_bits(__m128 a) { return _mm_movemask_ps(a); }
CAROM_HD unsigned native_sign_bits(__m128d a) { return _mm_movemask_pd(a); }
#endif

#if defined(__AVX__)
CAROM_HD __m256 native_sqrt(__m256 a) { return _mm256_sqrt_ps(a); }
CAROM_HD __m256d native_sqrt(__m256d a) { return _mm256_sqrt_pd(a); }
CAROM_HD __m256 native_min(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
CAROM_HD __m256d native_min(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
CAROM_HD __m256 native_max(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
CAROM_HD __m256d native_max(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
CAROM_HD unsigned native_sign_bits(__m256 a) { return _mm256_movemask_ps(a); }
CAROM_HD unsigned native_sign_bits(__m256d a) { return _mm256_movemask_pd(a); }
#endif

// Number row[l] * stride of base in lane l; the last argument says how many. Products must not overflow. The forms with
// a mask, as below.
#if defined(__AVX2__)
CAROM_HD __m256 native_gather(const float* base, const int* row, int stride, __m256) {
  const __m256i rows = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
  const __m256i all = _mm256_set1_epi32(-1), offset = _mm256_mullo_epi32(rows, _mm256_set1_epi32(stride));
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), base, offset, _mm256_castsi256_ps(all), 4);
}
CAROM_HD __m256d native_gather(const double* base, const int* row, int stride, __m256d) {
  const __m128i rows = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row));
  const __m256i all = _mm256_set1_epi32(-1);
  const __m128i offset = _mm_mullo_epi32(rows, _mm_set1_epi32(stride));
  return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), base, offset, _mm256_castsi256_pd(all), 8);
}
CAROM_HD LaneVector<int, 4> native_gather(const int* base, LaneVector<int, 4> row) {
  return std::bit_cast<LaneVector<int, 4>>(_mm_i32gather_epi32(base, std::bit_cast<__m128i>(row), 4));
}
CAROM_HD LaneVector<int, 8> native_gather(const int* base, LaneVector<int, 8> row) {
  return std::bit_cast<LaneVector<int, 8>>(_mm256_i32gather_epi32(base, std::bit_cast<__m256i>(row), 4));
}
#endif

#if defined(__FMA__)
CAROM_HD __m128 native_fma(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
CAROM_HD __m128d native_fma(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
CAROM_HD __m256 native_fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
CAROM_HD __m256d native_fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#endif

// The forms with a full mask are the plain instructions; GCC 12 warns of an uninitialised value in its plain forms.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
CAROM_HD __m512 native_sqrt(__m512 a) { return _mm512_maskz_sqrt_ps(0xffff, a); }
CAROM_HD __m512d native_sqrt(__m512d a) { return _mm512_maskz_sqrt_pd(0xff, a); }
CAROM_HD __m512 native_min(__m512 a, __m512 b) { return _mm512_maskz_min_ps(0xffff, a, b); }
CAROM_HD __m512d native_min(__m512d a, __m512d b) { return _mm512_maskz_min_pd(0xff, a, b); }
CAROM_HD __m512 native_max(__m512 a, __m512 b) { return _mm512_maskz_max_ps(0xffff, a, b); }
CAROM_HD __m512d native_max(__m512d a, __m512d b) { return _mm512_maskz_max_pd(0xff, a, b); }
CAROM_HD unsigned native_sign_bits(__m512 a) { return _mm512_movepi32_mask(_mm512_castps_si512(a)); }
CAROM_HD unsigned native_sign_bits(__m512d a) { return _mm512_movepi64_mask(_mm512_castpd_si512(a)); }
CAROM_HD __m512 native_fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
CAROM_HD __m512d native_fma(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
CAROM_HD __m512 native_gather(const float* base, const int* row, int stride, __m512) {
  const __m512i rows = _mm512_mullo_epi32(_mm512_loadu_si512(row), _mm512_set1_epi32(stride));
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, rows, base, 4);
}
CAROM_HD __m512d native_gather(const double* base, const int* row, int stride, __m512d) {
  const __m256i rows = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
  return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, _mm256_mullo_epi32(rows, _mm256_set1_epi32(stride)), base,
                                  8);
}
CAROM_HD LaneVector<int, 16> native_gather(const int* base, LaneVector<int, 16> row) {
  return std::bit_cast<LaneVector<int, 16>>(
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, std::bit_cast<__m512i>(row), base, 4));
}
#endif

#if defined(__aarch64__)
CAROM_HD float32x4_t native_sqrt(float32x4_t a) { return vsqrtq_f32(a); }
CAROM_HD float64x2_t native_sqrt(float64x2_t a) { return vsqrtq_f64(a); }
CAROM_HD float32x4_t native_fma(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
CAROM_HD float64x2_t native_fma(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }
CAROM_HD unsigned native_sign_bits(float32x4_t a) {
  const int32x4_t bit = {1, 2, 4, 8};
  return vaddvq_s32(vandq_s32(vshrq_n_s32(vreinterpretq_s32_f32(a), 31), bit));
}
CAROM_HD unsigned native_sign_bits(float64x2_t a) {
  const int64x2_t bit = {1, 2};
  return vaddvq_s64(vandq_s64(vshrq_n_s64(vreinterpretq_s64_f64(a), 63), bit));
}
// Masks side by side, all bits of a lane set or none: narrowed first, so that eight lanes are counted at once.
CAROM_HD unsigned native_mask_bits(const LaneVector<std::int32_t, 4> (&mask)[2]) {
  const uint16x8_t bit = {1, 2, 4, 8, 16, 32, 64, 128};
  const uint16x8_t low_halves = vuzp1q_u16(std::bit_cast<uint16x8_t>(mask[0]), std::bit_cast<uint16x8_t>(mask[1]));
  return vaddvq_u16(vandq_u16(low_halves, bit));
}
CAROM_HD unsigned native_mask_bits(const LaneVector<std::int64_t, 2> (&mask)[4]) {
  const auto low_halves = [](LaneVector<std::int64_t, 2> a, LaneVector<std::int64_t, 2> b) CAROM_HD_LAMBDA {
    return std::bit_cast<LaneVector<std::int32_t, 4>>(
        vuzp1q_u32(std::bit_cast<uint32x4_t>(a), std::bit_cast<uint32x4_t>(b)));
  };
  return native_mask_bits({low_halves(mask[0], mask[1]), low_halves(mask[2], mask[3])});
}
// As max, but for not-a-number and the sign of zero.
CAROM_HD float32x4_t native_greater(float32x4_t a, float32x4_t b) { return vmaxnmq_f32(a, b); }
CAROM_HD float64x2_t native_greater(float64x2_t a, float64x2_t b) { return vmaxnmq_f64(a, b); }
// The greatest lane.
CAROM_HD float native_greatest(float32x4_t a) { return vmaxnmvq_f32(a); }
CAROM_HD double native_greatest(float64x2_t a) { return vmaxnmvq_f64(a); }
#endif

// -- Any width from the widths above.

template <class Half>
struct Halves {
  Half low, high;
};

template <class T, int W>
CAROM_HD Halves<LaneVector<T, W / 2>> split(LaneVector<T, W> v) {
  if constexpr (W == 2) {
    return {v[0], v[1]};
  } else {
    return [&]<int... I>(std::integer_sequence<int, I...>) CAROM_HD_LAMBDA->Halves<LaneVector<T, W / 2>> {
      return {__builtin_shufflevector(v, v, I...), __builtin_shufflevector(v, v, (I + W / 2)...)};
    }
    (std::make_integer_sequence<int, W / 2>{});
  }
}
template <class T, int W>
CAROM_HD LaneVector<T, 2 * W> join(LaneVector<T, W> low, LaneVector<T, W> high) {
  if constexpr (W == 1) {
    return LaneVector<T, 2>{low, high};
  } else {
    return [&]<int... I>(std::integer_sequence<int, I...>) CAROM_HD_LAMBDA {
      return __builtin_shufflevector(low, high, I...);
    }
    (std::make_integer_sequence<int, 2 * W>{});
  }
}

// Where no instruction fits: one number after the other, out of line. Below AVX2 each is a call of the C library.
template <class T, int W>
__attribute__((noinline)) void fma_one_by_one(const T* a, const T* b, T* c) {
  for (int l = 0; l < W; ++l) c[l] = fma(a[l], b[l], c[l]);
}

template <class T, int W>
CAROM_HD LaneVector<T, W> fma_vector(LaneVector<T, W> a, LaneVector<T, W> b, LaneVector<T, W> c) {
  if constexpr (W == 1) {
    return fma(a, b, c);
  } else if constexpr (requires { native_fma(a, b, c); }) {
    return native_fma(a, b, c);
  } else {
    fma_one_by_one<T, W>(reinterpret_cast<const T*>(&a), reinterpret_cast<const T*>(&b), reinterpret_cast<T*>(&c));
    return c;
  }
}

template <class T, int W>
CAROM_HD LaneVector<T, W> sqrt_vector(LaneVector<T, W> a) {
  if constexpr (W == 1) {
    return sqrt(a);
  } else if constexpr (requires { native_sqrt(a); }) {
    return native_sqrt(a);
  } else {
    const auto halves = split<T, W>(a);
    return join<T, W / 2>(sqrt_vector<T, W / 2>(halves.low), sqrt_vector<T, W / 2>(halves.high));
  }
}

// The greatest of numbers in lanes; of zeros any.
template <class T, int W>
CAROM_HD T greatest_lane(LaneVector<T, W> v) {
  if constexpr (W == 1) {
    return v;
  } else if constexpr (requires { native_greatest(v); }) {
    return native_greatest(v);
  } else {
    const auto halves = split<T, W>(v);
    if constexpr (W == 2) {
      return max(halves.low, halves.high);
    } else if constexpr (requires { native_max(halves.low, halves.high); }) {
      return greatest_lane<T, W / 2>(native_max(halves.low, halves.high));
    } else {
      return greatest_lane<T, W / 2>(halves.low > halves.high ? halves.low : halves.high);
    }
  }
}

// Bit l is the sign bit of lane l.
template <class T, int W>
CAROM_HD std::uint64_t sign_bits(LaneVector<T, W> v) {
  if constexpr (W == 1) {
    return to_bits(v) < 0;
  } else if constexpr (requires { native_sign_bits(v); }) {
    return native_sign_bits(v);
  } else {
    const auto halves = split<T, W>(v);
    return sign_bits<T, W / 2>(halves.low) | sign_bits<T, W / 2>(halves.high) << (W / 2);
  }
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
