// Sums over segments: the eight partial sums are what makes the order the same for lanes, teams and plain loops.
#include "backend/reduce.h"

#include <array>

#include "backend/cpu/chunks.h"
#include "backend/cuda/cuda_backend.h"
#include "base/fail.h"

namespace carom {
namespace {

template <class T>
T sum_in_fixed_order(const T* values, std::int64_t n) {
  std::array<T, 8> s{};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int j = 0; j < 8; ++j) s[j] += values[i + j];
  }
  for (int j = 0; i + j < n; ++j) s[j] += values[i + j];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

}  // namespace

template <class T>
void segmented_sum(const Queue& queue, Span<const T> values, Span<const int> segment_start, Span<T> out) {
  if (segment_start.size != out.size + 1) fail("segmented_sum: segment_start must have one entry more than out");
  if (!queue.device().is_cpu()) return cuda::segmented_sum(queue, values, segment_start, out);
  const int chunks = chunk_count(queue, values.size + out.size);
  for_each_chunk(queue, out.size, chunks, [=](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      out[s] = sum_in_fixed_order(values.data + segment_start[s], segment_start[s + 1] - segment_start[s]);
    }
  });
}

template void segmented_sum(const Queue&, Span<const float>, Span<const int>, Span<float>);
template void segmented_sum(const Queue&, Span<const double>, Span<const int>, Span<double>);

}  // namespace carom
