// Sorting with CUB's radix sort, which is stable.
#include <cub/device/device_radix_sort.cuh>

#include "backend/cuda/check.cuh"
#include "backend/cuda/cuda_backend.h"
#include "backend/scratch.h"

namespace carom::cuda {

void sort_by_key(const Queue& queue, Span<std::uint64_t> keys, Span<int> values, SortScratch& scratch, int key_bits) {
  const DeviceScope scope(queue.device());
  cub::DoubleBuffer<std::uint64_t> key_buffers(keys.data, scratch.keys.data());
  cub::DoubleBuffer<int> value_buffers(values.data, scratch.values.data());
  const auto sort = [&](void* temp, std::size_t& bytes) {
    check(cub::DeviceRadixSort::SortPairs(temp, bytes, key_buffers, value_buffers, static_cast<int>(keys.size), 0,
                                          key_bits, stream_of(queue)),
          "sort");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  grow(scratch.temp, static_cast<std::int64_t>(bytes), queue.device());
  sort(scratch.temp.data(), bytes);
  if (key_buffers.Current() == keys.data) return;
  const auto copy_back = [&](void* to, const void* from, std::size_t size) {
    check(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream_of(queue)), "copy sorted pairs");
  };
  copy_back(keys.data, key_buffers.Current(), keys.size * sizeof(std::uint64_t));
  copy_back(values.data, value_buffers.Current(), values.size * sizeof(int));
}

}  // namespace carom::cuda
