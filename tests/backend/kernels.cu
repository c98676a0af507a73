// The test kernels for CUDA.
#include "tests/backend/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#define CAROM_WORLD_KERNEL(K) template struct CudaLoop<WorldEntityKernel<K>>;
#define CAROM_LANES_KERNEL(K) template struct CudaLanesLoop<K>;
#include "tests/backend/kernels.def"

}  // namespace carom

namespace carom::inline CAROM_PRECISION {
namespace {

template <int T>
__global__ void sum_with_team(Span<const Real> values, Span<Real> sum_of_each_thread) {
  sum_of_each_thread[threadIdx.x] = Team<T>::sum(static_cast<int>(values.size), [&](int i) { return values[i]; });
}

}  // namespace

void team_sums(const Queue& queue, int team_size, Span<const Real> values, Span<Real> sum_of_each_thread) {
  void (*const kernels[])(Span<const Real>, Span<Real>) = {sum_with_team<1>, sum_with_team<2>,  sum_with_team<4>,
                                                           sum_with_team<8>, sum_with_team<16>, sum_with_team<32>};
  int which = 0;
  while (1 << which < team_size) ++which;
  kernels[which]<<<1, 64, 0, static_cast<cudaStream_t>(queue.stream())>>>(values, sum_of_each_thread);
  cuda::check_launch();
  queue.finish();
}

}  // namespace carom::inline CAROM_PRECISION
