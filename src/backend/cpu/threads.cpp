// run_on_threads(): the one place where CPU work is spread over threads.
#include <omp.h>

#include "backend/launch.h"

namespace carom {

// The team always has all threads of the queue, even when some get nothing to do: OpenMP runtimes end threads and
// allocate a new team whenever the number changes, and both would happen within a step.
void run_on_threads(const Queue& queue, RangeFn run, const void* kernel, int n) {
  if (n <= 0) return;
  if (n == 1 || queue.threads() == 1) {
    run(kernel, 0, n);
    return;
  }
#pragma omp parallel num_threads(queue.threads())
  {
    // Asked for inside: within another parallel region, or under a thread limit, the team is smaller.
    const std::int64_t threads = omp_get_num_threads();
    const std::int64_t thread = omp_get_thread_num();
    const int begin = static_cast<int>(n * thread / threads);
    const int end = static_cast<int>(n * (thread + 1) / threads);
    if (begin < end) run(kernel, begin, end);
  }
}

}  // namespace carom
