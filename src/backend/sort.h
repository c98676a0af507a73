// Sorting by 64-bit keys; stable, so the result is one and the same on every device and for every thread count.
#pragma once

#include <cstddef>

#include "carom/queue.h"

namespace carom {

struct SortScratch {
  Array<std::uint64_t> keys;
  Array<int> values;
  Array<std::uint64_t> chunk_facts;  // CPU
  Array<int> chunk_places;           // CPU
  Array<std::byte> temp;             // CUDA
};

// Orders keys upwards and moves values along. All keys are below 2^key_bits: fewer bits cost fewer passes on CUDA; the
// CPU finds out by itself which bits differ.
void sort_by_key(const Queue& queue, Span<std::uint64_t> keys, Span<int> values, SortScratch& scratch,
                 int key_bits = 64);

}  // namespace carom
