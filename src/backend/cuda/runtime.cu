// Devices, memory and streams of CUDA. The streams are ordinary (blocking) ones: copies and memsets on the default
// stream wait for the work of all queues of the device, and work sent later waits for them.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "backend/cuda/check.cuh"
#include "backend/cuda/cuda_backend.h"
#include "base/fail.h"

namespace carom::cuda {

namespace {
std::atomic<std::int64_t> kernels_launched{0}, graphs_launched{0};
}  // namespace

bool is_built() { return true; }

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();  // "no driver" is an answer, not an error for the next check to find
  return 0;
}

DeviceScope::DeviceScope(Device device) {
  check(cudaGetDevice(&previous_), "tell the current device");
  if (previous_ != device.index) check(cudaSetDevice(device.index), "use device \"" + device.name() + "\"");
}

DeviceScope::~DeviceScope() { cudaSetDevice(previous_); }

void check_launch() {
  check(cudaGetLastError(), "launch a kernel");
  kernels_launched.fetch_add(1, std::memory_order_relaxed);
}

LaunchCounts launch_counts() { return {kernels_launched.load(), graphs_launched.load()}; }

TeamGrid team_grid(const void* function, int threads, int items, int most_threads_of_item) {
  int device = 0, processors = 0, blocks = 0;
  check(cudaGetDevice(&device), "tell the current device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "tell its processors");
  check(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1),
        "use the caches");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0), "place a kernel");
  const std::int64_t most = (std::int64_t{items} * most_threads_of_item + threads - 1) / threads;
  return {static_cast<int>(std::min<std::int64_t>(blocks * processors, most)), threads};
}

void grow_stack(const void* function, std::int64_t bytes) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, function), "tell the stack of a kernel");
  bytes += static_cast<std::int64_t>(attributes.localSizeBytes) + 256;  // for what is pushed at calls
  std::size_t now = 0;
  check(cudaDeviceGetLimit(&now, cudaLimitStackSize), "tell the size of a stack");
  if (static_cast<std::int64_t>(now) < bytes)
    check(cudaDeviceSetLimit(cudaLimitStackSize, static_cast<std::size_t>(bytes)), "have larger stacks");
}

// -- Graphs.

void begin_recording(const Queue& queue) {
  const DeviceScope scope(queue.device());
  check(cudaStreamBeginCapture(stream_of(queue), cudaStreamCaptureModeThreadLocal), "begin to record a graph");
}

std::shared_ptr<void> end_recording(const Queue& queue) {
  const DeviceScope scope(queue.device());
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_of(queue), &graph), "record a graph");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "make a graph ready");
  return {executable, [](void* g) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(g)); }};
}

void replay(const Queue& queue, void* graph) {
  const DeviceScope scope(queue.device());
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(queue)), "replay a graph");
  graphs_launched.fetch_add(1, std::memory_order_relaxed);
}

// Releasing ignores errors: at the end of the program CUDA may be gone before the last array is.
std::shared_ptr<void> allocate(Device device, std::int64_t bytes) {
  const DeviceScope scope(device);
  void* block = nullptr;
  const cudaError_t status = cudaMalloc(&block, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    fail("out of memory: ", bytes, " bytes were asked for on device \"", device.name(),
         "\"; use fewer or smaller worlds");
  }
  check(status, "allocate " + std::to_string(bytes) + " bytes on device \"" + device.name() + "\"");
  std::shared_ptr<void> memory(block, [](void* p) { cudaFree(p); });
  check(cudaMemset(block, 0, static_cast<std::size_t>(bytes)), "clear memory");
  return memory;
}

void copy(void* dst, Device dst_device, const void* src, Device src_device, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  const DeviceScope scope(src_device.is_cpu() ? dst_device : src_device);
  if (!dst_device.is_cpu() && !src_device.is_cpu() && dst_device != src_device) {
    check(cudaMemcpyPeer(dst, dst_device.index, src, src_device.index, size), "copy between devices");
    return;
  }
  const cudaMemcpyKind kind = dst_device.is_cpu()   ? cudaMemcpyDeviceToHost
                              : src_device.is_cpu() ? cudaMemcpyHostToDevice
                                                    : cudaMemcpyDeviceToDevice;
  check(cudaMemcpy(dst, src, size, kind), "copy " + std::to_string(bytes) + " bytes");
}

std::shared_ptr<void> allocate_pinned(Device device, std::int64_t bytes) {
  const DeviceScope scope(device);
  void* block = nullptr;
  check(cudaMallocHost(&block, static_cast<std::size_t>(bytes)), "pin " + std::to_string(bytes) + " bytes of the host");
  std::shared_ptr<void> memory(block, [](void* p) { cudaFreeHost(p); });
  std::memset(block, 0, static_cast<std::size_t>(bytes));
  return memory;
}

void send_copy(const Queue& queue, void* dst, const void* src, std::int64_t bytes) {
  const DeviceScope scope(queue.device());
  check(cudaMemcpyAsync(dst, src, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream_of(queue)),
        "send a copy of " + std::to_string(bytes) + " bytes");
}

void wait_for(const Queue& queue, const Queue& other) {
  const DeviceScope scope(queue.device());
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
  const cudaError_t recorded = cudaEventRecord(event, stream_of(other));
  const cudaError_t waits = recorded == cudaSuccess ? cudaStreamWaitEvent(stream_of(queue), event, 0) : recorded;
  cudaEventDestroy(event);  // CUDA keeps it until nobody waits for it
  check(waits, "let a queue wait for another");
}

std::shared_ptr<void> create_stream(Device device) {
  const DeviceScope scope(device);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "create a stream on device \"" + device.name() + "\"");
  return {stream, [](void* s) { cudaStreamDestroy(static_cast<cudaStream_t>(s)); }};
}

void finish(const Queue& queue) {
  const DeviceScope scope(queue.device());
  check(cudaStreamSynchronize(stream_of(queue)), "finish the work of a queue");
}

}  // namespace carom::cuda
