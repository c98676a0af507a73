// Where work is sent: a device, and how many threads and lanes of it may be used. Nothing but time depends on the
// numbers: results are the same bits for every choice.
#pragma once

#include <memory>

#include "carom/array.h"

namespace carom {

struct QueueConfig {
  int threads = 0;  // CPU threads; 0 = all cores, or the environment variable CAROM_THREADS
  int lanes = 0;    // worlds side by side in a vector register; 0 = as many as the CPU holds, 1 = one world at a time
};

class GraphKey;  // of sequences of launches that are recorded once and replayed: inside of the library
class Graphs;

class Queue {
 public:
  explicit Queue(Device device = {}, QueueConfig config = {});

  Device device() const { return device_; }
  int threads() const { return threads_; }
  bool one_world_at_a_time() const { return lanes_ == 1; }
  void* stream() const { return stream_.get(); }  // CUDA stream, or nullptr
  void finish() const;                            // waits for everything sent so far

 private:
  Device device_;
  int threads_ = 1;
  int lanes_ = 0;
  std::shared_ptr<void> stream_;
};

// One queue per device with the default configuration, made on first use.
Queue& default_queue(Device device = {});

// The builds of the kernels that this library contains and this CPU can run, widest last, and the one in use.
// The environment variable CAROM_TIER names another one at start-up.
int cpu_tier_count();
const char* cpu_tier_name(int tier);
bool cpu_tier_supported(int tier);
int cpu_tier();
void set_cpu_tier(int tier);

}  // namespace carom
