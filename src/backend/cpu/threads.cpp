// run_on_threads(): how many threads a job is worth, and in how large chunks they take it.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "backend/cpu/pool.h"
#include "backend/launch.h"

namespace carom {
namespace {

constexpr double kWorthAChunk = 0.5;  // of what is worth a thread: taking a chunk costs a small part of this
constexpr double kMostChunks = 128;   // of a thread in a long job: more would even out nothing that can be measured

struct Split {
  int threads, chunk;
};

// cost: of an item [ns], 0 = not known, and all threads are called.
Split split_job(const RangeJob& job, double cost, int most_threads) {
  const double items = job.n, known = cost > 0 ? cost : job.worth_a_thread;
  const double threads = std::clamp(items * known / job.worth_a_thread, 1.0, double(most_threads));
  const double most = std::max(items / (4 * std::floor(threads)), 1.0);  // some for each, to even out their speeds
  const double worth =
      cost > 0 ? std::max(kWorthAChunk * job.worth_a_thread / cost, items / (kMostChunks * threads)) : most;
  const int chunk = static_cast<int>(std::clamp(worth, 1.0, most));
  const int steps = (chunk + job.step - 1) / job.step;
  return {std::min(static_cast<int>(threads), (job.n - 1) / (steps * job.step) + 1), steps * job.step};
}

// The last times count most; a time in which something else had the core counts little.
void learn(const RangeJob& job, double known, double measured) {
  if (!job.cost || measured <= 0) return;
  const double cost = known > 0 ? (known + std::min(measured, 4 * known)) / 2 : measured;
  job.cost->store(static_cast<float>(cost), std::memory_order_relaxed);
}

double run_alone(const RangeJob& job) {
  const auto begin = std::chrono::steady_clock::now();
  job.run(job.kernel, 0, job.n);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / job.n;
}

}  // namespace

void run_on_threads(const Queue& queue, const RangeJob& job) {
  if (job.n <= 0) return;
  if (job.n <= job.step || queue.threads() == 1) {
    job.run(job.kernel, 0, job.n);
    return;
  }
  pool().reserve(queue.threads() - 1, job.scratch_bytes);
  const double cost = job.cost ? job.cost->load(std::memory_order_relaxed) : 0;
  const Split split = split_job(job, cost, queue.threads());
  if (split.threads == 1) {
    learn(job, cost, run_alone(job));
  } else {
    Task task(job, split.chunk, split.threads);
    learn(job, cost, pool().run(task));
  }
}

}  // namespace carom
