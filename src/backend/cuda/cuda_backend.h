// The CUDA backend as the rest of the library sees it: plain C++, no CUDA headers. Every function throws Error with
// what CUDA reported. In a build without CUDA absent.cpp stands in for it, and no other file knows the difference.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/scan.h"
#include "backend/sort.h"
#include "carom/queue.h"

namespace carom::cuda {

bool is_built();

// 0 when there is no driver or no device.
int device_count();

// Zeroed device memory (never managed memory).
std::shared_ptr<void> allocate(Device device, std::int64_t bytes);
void copy(void* dst, Device dst_device, const void* src, Device src_device, std::int64_t bytes);

// Zeroed memory of the host that a device can write to while kernels run.
std::shared_ptr<void> allocate_pinned(Device device, std::int64_t bytes);
// Copies on the device, or from there to such memory, behind what the queue was sent before.
void send_copy(const Queue& queue, void* dst, const void* src, std::int64_t bytes);

std::shared_ptr<void> create_stream(Device device);
void finish(const Queue& queue);
// What `queue` is sent from now on begins when `other` has done all that it was sent so far. Also while graphs are
// recorded: a queue that waits for one that is recorded is recorded with it, until the latter waits for it.
void wait_for(const Queue& queue, const Queue& other);

void exclusive_scan(const Queue& queue, Span<const int> in, Span<int> out, ScanScratch& scratch,
                    const std::int64_t* total);
void sort_by_key(const Queue& queue, Span<std::uint64_t> keys, Span<int> values, SortScratch& scratch, int key_bits);
template <class T>
void segmented_sum(const Queue& queue, Span<const T> values, Span<const int> segment_start, Span<T> out);

// Makes a device the current one of this thread for the length of a scope.
class DeviceScope {
 public:
  explicit DeviceScope(Device device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int previous_ = 0;
};

// How a kernel of teams is spread over the current device: blocks of so many threads, as many as run at once and no
// more than items need.
struct TeamGrid {
  int blocks, threads;
};
TeamGrid team_grid(const void* function, int threads, int items, int most_threads_of_item);

// Gives every thread of the current device at least this much memory of its own, beside what the function needs.
void grow_stack(const void* function, std::int64_t bytes);
// Of one thread's workspace: a GPU keeps a stack for every thread that it can run, some 270,000 on an H200.
constexpr std::int64_t kMostStack = 128 << 10;  // [bytes]

// What a queue is sent between the two calls is not run, but becomes a graph; see backend/graph.h.
void begin_recording(const Queue& queue);
std::shared_ptr<void> end_recording(const Queue& queue);
void replay(const Queue& queue, void* graph);

// Throws when the kernel launch just before was refused.
void check_launch();

// What the process has launched so far: kernels, recorded ones included, and graphs.
struct LaunchCounts {
  std::int64_t kernels, graphs;
};
LaunchCounts launch_counts();

}  // namespace carom::cuda
