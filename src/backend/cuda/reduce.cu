// Sums over segments: eight threads a segment, one for each partial sum of the fixed order.
#include "backend/cuda/check.cuh"
#include "backend/cuda/cuda_backend.h"

namespace carom::cuda {
namespace {

constexpr int kPartials = 8;
constexpr int kThreadsPerBlock = 256;
constexpr int kSegmentsPerBlock = kThreadsPerBlock / kPartials;
constexpr unsigned kWholeWarp = 0xffffffffu;

template <class T>
__global__ void __launch_bounds__(kThreadsPerBlock)
    sum_segments(Span<const T> values, Span<const int> segment_start, Span<T> out) {
  const std::int64_t segment = std::int64_t{blockIdx.x} * kSegmentsPerBlock + threadIdx.x / kPartials;
  const int partial = threadIdx.x % kPartials;
  T sum = 0;
  if (segment < out.size) {
    const std::int64_t end = segment_start[segment + 1];
    for (std::int64_t i = segment_start[segment] + partial; i < end; i += kPartials) sum += values[i];
  }
  // Distances 4, 2, 1 give thread 0 the sum ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)). All threads of the
  // warp take part, those beyond the last segment too.
  for (int distance = kPartials / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kWholeWarp, sum, distance, kPartials);
  }
  if (segment < out.size && partial == 0) out[segment] = sum;
}

}  // namespace

template <class T>
void segmented_sum(const Queue& queue, Span<const T> values, Span<const int> segment_start, Span<T> out) {
  if (out.size == 0) return;
  const DeviceScope scope(queue.device());
  const auto blocks = static_cast<unsigned>((out.size + kSegmentsPerBlock - 1) / kSegmentsPerBlock);
  sum_segments<<<blocks, kThreadsPerBlock, 0, stream_of(queue)>>>(values, segment_start, out);
  check_launch();
}

template void segmented_sum(const Queue&, Span<const float>, Span<const int>, Span<float>);
template void segmented_sum(const Queue&, Span<const double>, Span<const int>, Span<double>);

}  // namespace carom::cuda
