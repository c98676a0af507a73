// The CPU tiers this build contains. CMake passes their names as CAROM_TIERS, in the order of preference, and
// compiles every kernels.cpp once for each, with CAROM_TIER and CAROM_TIER_BYTES (the register width) set.
//
//   baseline   what every CPU of the architecture has. On x86-64 that is SSE2: fma is exact but slow there.
//   avx2       x86-64 with AVX2 and FMA
//   avx512     x86-64 with AVX-512 F, BW, DQ, VL
//   shuffled   test builds: team loops run in a shuffled order, to find races without a GPU
//   wide       test builds: lanes twice as wide as the widest machine; on x86-64 with AVX2 and FMA
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

namespace tier {
using List = TierList<CAROM_TIERS>;
}

using AllTiers = tier::List;

}  // namespace carom
