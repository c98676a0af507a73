// Stands in for the kernels.cu of a module in a build without CUDA. CAROM_KERNELS_DEF is the module's kernels.def; the
// kernels need not be known further, since no queue leads here (absent.cpp).
#include "backend/launch.h"
#include "base/fail.h"
#include "carom/math/scalar.h"

namespace carom::inline CAROM_PRECISION {

#define CAROM_KERNEL(K) struct K;
#define CAROM_WORLD_KERNEL(K) struct K;
#define CAROM_LANES_KERNEL(K) struct K;
#define CAROM_TEAMS_KERNEL(K) struct K;
#include CAROM_KERNELS_DEF
#undef CAROM_KERNEL
#undef CAROM_WORLD_KERNEL
#undef CAROM_LANES_KERNEL
#undef CAROM_TEAMS_KERNEL

}  // namespace carom::inline CAROM_PRECISION

namespace carom {

template <class Kernel>
void CudaLoop<Kernel>::run(const Queue&, Count, const Kernel&) {
  fail("this build of carom has no CUDA");
}

template <class Kernel>
void CudaLanesLoop<Kernel>::run(const Queue&, int, const Kernel&) {
  fail("this build of carom has no CUDA");
}

template <class Kernel>
void CudaTeamsLoop<Kernel>::run(const Queue&, int, const Kernel&, const TeamConfig&) {
  fail("this build of carom has no CUDA");
}

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#define CAROM_WORLD_KERNEL(K) template struct CudaLoop<WorldEntityKernel<K>>;
#define CAROM_LANES_KERNEL(K) template struct CudaLanesLoop<K>;
#define CAROM_TEAMS_KERNEL(K) template struct CudaTeamsLoop<K>;
#include CAROM_KERNELS_DEF

}  // namespace carom
