// Queues: what the configuration and the environment ask for, checked once, so that launching never has to.
#include "carom/queue.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "backend/cuda/cuda_backend.h"
#include "backend/device.h"
#include "base/fail.h"
#include "base/parse_number.h"

namespace carom {
namespace {

constexpr int kMaxThreads = 4096;

// Cores that this process may use, which can be fewer than the machine has.
int core_count() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::min(CPU_COUNT(&cores), kMaxThreads);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads);
}

int default_threads() {
  const char* text = std::getenv("CAROM_THREADS");
  if (!text) return core_count();
  const std::optional<int> threads = parse_whole_number(text);
  if (threads && *threads >= 1 && *threads <= kMaxThreads) return *threads;
  fail("environment variable CAROM_THREADS=\"", text, "\" is not a number of threads: use 1 to ", kMaxThreads,
       ", or unset it to use all cores");
}

int checked_threads(int threads) {
  if (threads == 0) return default_threads();
  if (threads >= 1 && threads <= kMaxThreads) return threads;
  fail("QueueConfig.threads = ", threads, " is not a number of threads: use 1 to ", kMaxThreads,
       ", or 0 for all cores");
}

}  // namespace

Queue::Queue(Device device, QueueConfig config) : device_(device), lanes_(config.lanes) {
  require_device(device);
  if (lanes_ != 0 && lanes_ != 1) {
    fail("QueueConfig.lanes = ", lanes_,
         " is not offered: use 0 for as many as the CPU holds, or 1 for one world at a time");
  }
  if (device.is_cpu()) {
    threads_ = checked_threads(config.threads);
    cpu_tier();  // a wrong CAROM_TIER is reported here, not by the first step
  }
  if (!device.is_cpu()) stream_ = cuda::create_stream(device);
}

void Queue::finish() const {
  if (!device_.is_cpu()) cuda::finish(*this);
}

Queue& default_queue(Device device) {
  static std::mutex mutex;
  static std::map<std::string, Queue> queues;
  const std::lock_guard lock(mutex);
  return queues.try_emplace(device.name(), device).first->second;
}

}  // namespace carom
