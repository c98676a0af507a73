// The CPU tiers of the library. CMake passes their names as CAROM_TIERS, in the order of preference, and
// compiles every kernels.cpp once for each, with CAROM_TIER and CAROM_TIER_BYTES (the register width) set.
// The test programs add tiers of their own: the library does not hold them, so that nobody builds them but the tests.
//
//   baseline   what every CPU of the architecture has. On x86-64 that is SSE2: fma is exact but slow there, and the
//              compiler is not asked for speed.
//   avx2       x86-64 with AVX2 and FMA
//   avx512     x86-64 with AVX-512 F, BW, DQ, VL
//   shuffled   tests: team loops run in a shuffled order, to find races without a GPU
//   wide       tests, where the library has one tier alone: lanes twice as wide as the registers
#pragma once

namespace carom {

namespace tier {
struct baseline;
struct avx2;
struct avx512;
struct shuffled;
struct wide;
}  // namespace tier

template <class... Tiers>
struct TierList {};

// nvcc cuts a macro at its commas, so kernels.cu is not told the list. It does not choose a CPU tier either.
#if defined(__CUDACC__)
#undef CAROM_TIERS
#define CAROM_TIERS baseline
#endif

template <class... A, class... B>
TierList<A..., B...> joined(TierList<A...>, TierList<B...>);
template <class... Tiers>
constexpr int count_tiers(TierList<Tiers...>) {
  return sizeof...(Tiers);
}

namespace tier {
using List = TierList<CAROM_TIERS>;
#if defined(__x86_64__)
using ListOfTests = TierList<shuffled>;
#else
using ListOfTests = TierList<shuffled, wide>;
#endif
}  // namespace tier

using AllTiers = tier::List;  // of the library
using AllTiersWithTests = decltype(joined(tier::List{}, tier::ListOfTests{}));

// Which of the tiers that tests add a tier is, -1 = one of the library.
constexpr int kTestTierCount = count_tiers(tier::ListOfTests{});
template <class Tier>
constexpr int kTestTier = -1;
template <>
inline constexpr int kTestTier<tier::shuffled> = 0;
template <>
inline constexpr int kTestTier<tier::wide> = 1;

// Called by the objects of the test tiers before main(): the tiers can be chosen from then on.
bool add_test_tiers();

}  // namespace carom
