// run_on_threads(): how many threads a job is worth, and in how large chunks they take it.
#include <algorithm>
#include <chrono>

#include "backend/cpu/pool.h"
#include "backend/launch.h"

namespace carom {
namespace {

constexpr double kWorthAThread = 20'000;  // work of each thread at least: calling one costs some microseconds [ns]
constexpr double kWorthAChunk = 10'000;   // taking a chunk costs less than one in a hundred of this [ns]

int items_of_time(double ns, double cost, int most) {
  return cost > 0 ? static_cast<int>(std::min<double>(ns / cost, most)) : most;
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
  const int worth = job.n / std::max(items_of_time(kWorthAThread, cost, job.n), 1);
  const int most_threads = std::min(queue.threads(), cost > 0 ? std::max(worth, 1) : queue.threads());
  const int chunk = std::max(std::min(items_of_time(kWorthAChunk, cost, job.n), job.n / (4 * most_threads)), 1);
  const int whole = (chunk + job.step - 1) / job.step * job.step;
  const int threads = std::min(most_threads, (job.n - 1) / whole + 1);
  if (threads == 1) {
    learn(job, cost, run_alone(job));
  } else {
    Task task(job, whole, threads);
    learn(job, cost, pool().run(task));
  }
}

}  // namespace carom
