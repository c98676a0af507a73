// Running sums with CUB. Summed in 64 bits and narrowed on the way out, so that an overflow is seen.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <limits>

#include "backend/cuda/check.cuh"
#include "backend/cuda/cuda_backend.h"
#include "backend/scratch.h"

namespace carom::cuda {
namespace {

// The input with a 0 behind it: scanning one entry more leaves the total in the last one.
struct CountAt {
  const int* in;
  Count n;

  __device__ std::int64_t operator()(std::int64_t i) const { return i < n.size() ? in[i] : 0; }
};

struct StoreSum {
  Span<int> out;
  std::int64_t* total;

  __device__ void operator()(std::int64_t i, std::int64_t sum) const {
    constexpr std::int64_t kLargest = std::numeric_limits<int>::max();
    out[i] = static_cast<int>(sum < kLargest ? sum : kLargest);
    if (i == out.size - 1) *total = sum;
  }
};

}  // namespace

void exclusive_scan(const Queue& queue, Span<const int> in, Span<int> out, ScanScratch& scratch,
                    const std::int64_t* total) {
  const DeviceScope scope(queue.device());
  const Count n{static_cast<int>(in.size), total};
  const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), CountAt{in.data, n});
  const auto sums = thrust::make_tabulate_output_iterator(StoreSum{out, scratch.total.data()});
  const auto scan = [&](void* temp, std::size_t& bytes) {
    check(cub::DeviceScan::ExclusiveScan(temp, bytes, counts, sums, ::cuda::std::plus<std::int64_t>{}, std::int64_t{0},
                                         out.size, stream_of(queue)),
          "scan");
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  grow(scratch.temp, static_cast<std::int64_t>(bytes), queue.device());
  scan(scratch.temp.data(), bytes);
}

}  // namespace carom::cuda
