// Running sums in two passes: the sum of each chunk, then every chunk on its own from where the ones before it end.
#include "backend/scan.h"

#include <algorithm>
#include <limits>

#include "backend/cpu/chunks.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/scratch.h"
#include "base/fail.h"

namespace carom {
namespace {

int saturated(std::int64_t sum) {
  return static_cast<int>(std::min<std::int64_t>(sum, std::numeric_limits<int>::max()));
}

void scan_on_cpu(const Queue& queue, Span<const int> in, Span<int> out, ScanScratch& scratch) {
  const int chunks = chunk_count(queue, in.size);
  grow(scratch.chunk_sums, queue.threads(), queue.device());
  const Span<std::int64_t> sums = scratch.chunk_sums.view();
  for_each_chunk(queue, in.size, chunks, [=](int chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += in[i];
    sums[chunk] = sum;
  });
  std::int64_t total = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t before = total;
    total += sums[chunk];
    sums[chunk] = before;
  }
  for_each_chunk(queue, in.size, chunks, [=](int chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t sum = sums[chunk];
    for (std::int64_t i = begin; i < end; ++i) {
      out[i] = saturated(sum);
      sum += in[i];
    }
  });
  std::fill(out.begin() + in.size, out.end(), saturated(total));
  scratch.total[0] = total;
}

}  // namespace

void exclusive_scan(const Queue& queue, Span<const int> in, Span<int> out, ScanScratch& scratch,
                    const std::int64_t* total) {
  if (out.size != in.size + 1) fail("exclusive_scan: the output must have one entry more than the input");
  grow(scratch.total, 1, queue.device());
  if (!queue.device().is_cpu()) return cuda::exclusive_scan(queue, in, out, scratch, total);
  if (total) in.size = Count{static_cast<int>(in.size), total}.size();
  scan_on_cpu(queue, in, out, scratch);
}

std::int64_t scan_total(const Queue& queue, const ScanScratch& scratch) {
  std::int64_t total = 0;
  queue.finish();
  copy_bytes(&total, Device{}, scratch.total.data(), scratch.total.device(), sizeof(total));
  return total;
}

}  // namespace carom
