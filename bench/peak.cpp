// The peak arithmetic of one core, which the suite `spine` holds a step's arithmetic against: independent fused
// multiply-adds in the widest registers that this CPU has. Prints one JSON object, in GFLOP/s.
//
// Written with intrinsics: -ffp-contract=off keeps the compilers from fusing on their own. Chosen at run time, since
// the program is compiled for the oldest CPU of its kind.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace {

// Enough to fill two units with a latency of four or five; few enough for 16 registers.
constexpr int kChains = 12;
constexpr long kRounds = 2'000'000;

// Runs kRounds of one operation on every chain; returns something that depends on all of them.
#define CAROM_CHAINS(Vector, set, operation)                                       \
  Vector sum[kChains];                                                             \
  for (int i = 0; i < kChains; ++i) sum[i] = set(1.0f + float(i));                 \
  const Vector factor = set(0.999f), addend = set(0.001f);                         \
  for (long round = 0; round < kRounds; ++round) {                                 \
    _Pragma("GCC unroll 12") for (int i = 0; i < kChains; ++i) sum[i] = operation; \
  }                                                                                \
  for (int i = 1; i < kChains; ++i) sum[0] += sum[i];                              \
  return sum[0][0]

using Run = double (*)();

struct Tier {
  const char* name;
  int lanes;  // of f32; half as many of f64
  Run f32, f64;
};

#if defined(__x86_64__)

__attribute__((target("avx512f"))) double f32_avx512() {
  CAROM_CHAINS(__m512, _mm512_set1_ps, _mm512_fmadd_ps(sum[i], factor, addend));
}
__attribute__((target("avx512f"))) double f64_avx512() {
  CAROM_CHAINS(__m512d, _mm512_set1_pd, _mm512_fmadd_pd(sum[i], factor, addend));
}
__attribute__((target("avx2,fma"))) double f32_avx2() {
  CAROM_CHAINS(__m256, _mm256_set1_ps, _mm256_fmadd_ps(sum[i], factor, addend));
}
__attribute__((target("avx2,fma"))) double f64_avx2() {
  CAROM_CHAINS(__m256d, _mm256_set1_pd, _mm256_fmadd_pd(sum[i], factor, addend));
}
double f32_baseline() { CAROM_CHAINS(__m128, _mm_set1_ps, _mm_add_ps(_mm_mul_ps(sum[i], factor), addend)); }
double f64_baseline() { CAROM_CHAINS(__m128d, _mm_set1_pd, _mm_add_pd(_mm_mul_pd(sum[i], factor), addend)); }

Tier widest() {
  if (__builtin_cpu_supports("avx512f")) return {"avx512", 16, f32_avx512, f64_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"avx2", 8, f32_avx2, f64_avx2};
  return {"baseline", 4, f32_baseline, f64_baseline};
}

#elif defined(__aarch64__)

double f32_neon() { CAROM_CHAINS(float32x4_t, vdupq_n_f32, vfmaq_f32(addend, sum[i], factor)); }
double f64_neon() { CAROM_CHAINS(float64x2_t, vdupq_n_f64, vfmaq_f64(addend, sum[i], factor)); }

Tier widest() { return {"baseline", 4, f32_neon, f64_neon}; }

#endif

volatile double sink;  // keeps the compiler from leaving the work out

double gflops(Run run, int lanes) {
  double best = 1e9;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    sink = run();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2.0 * lanes * kChains * kRounds / best * 1e-9;
}

}  // namespace

int main() {
  const Tier tier = widest();
  std::printf("{\"tier\": \"%s\", \"f32\": %.1f, \"f64\": %.1f}\n", tier.name, gflops(tier.f32, tier.lanes),
              gflops(tier.f64, tier.lanes / 2));
}
