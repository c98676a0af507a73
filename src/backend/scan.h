// Running sums: turns counts into the places where each one's elements begin ("count, scan, fill").
#pragma once

#include <cstddef>

#include "backend/count.h"
#include "carom/queue.h"

namespace carom {

struct ScanScratch {
  Array<std::int64_t> total;       // one number, on the queue's device
  Array<std::int64_t> chunk_sums;  // CPU
  Array<std::byte> temp;           // CUDA
};

// out[i] = in[0] + ... + in[i - 1] for counts in[i] >= 0; out has one entry more than in, the total, and shares no
// memory with it. Sums beyond the range of int are not wrapped but stay at its largest value: compare with the
// capacity before filling, and read how much was needed from scan_total().
// With `total`, the entries of `in` from Count{size of in, total} on count as 0, whatever they are.
void exclusive_scan(const Queue& queue, Span<const int> in, Span<int> out, ScanScratch& scratch,
                    const std::int64_t* total = nullptr);

// The exact total of the last exclusive_scan() with this scratch. Waits for the queue.
std::int64_t scan_total(const Queue& queue, const ScanScratch& scratch);

}  // namespace carom
