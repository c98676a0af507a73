// Splits an array into a few consecutive chunks that threads work on; for primitives whose result does not depend on
// where the chunks end.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/launch.h"

namespace carom {

// One chunk a thread, but none so short that waking a thread costs more than the work.
inline int chunk_count(const Queue& queue, std::int64_t n) {
  constexpr std::int64_t kShortestChunk = 4096;
  return static_cast<int>(std::clamp<std::int64_t>(n / kShortestChunk, 1, queue.threads()));
}

// fn(chunk, begin, end) for every chunk of [0, n).
template <class Fn>
void for_each_chunk(const Queue& queue, std::int64_t n, int chunks, const Fn& fn) {
  struct Work {
    const Fn& fn;
    std::int64_t n;
    int chunks;
  };
  const Work work{fn, n, chunks};
  const RangeFn run = [](const void* kernel, int first, int last) {
    const Work& w = *static_cast<const Work*>(kernel);
    for (int c = first; c < last; ++c) w.fn(c, w.n * c / w.chunks, w.n * (c + 1) / w.chunks);
  };
  run_on_threads(queue, {run, &work, chunks});
}

}  // namespace carom
