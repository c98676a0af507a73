// The CUDA backend of a build without CUDA: no devices. Nothing else is called, since a queue or an array asks for its
// device first (backend/device.h).
#include "backend/cuda/cuda_backend.h"
#include "base/fail.h"

namespace carom::cuda {
namespace {

[[noreturn]] void fail_absent() { fail("this build of carom has no CUDA"); }

}  // namespace

bool is_built() { return false; }
int device_count() { return 0; }

std::shared_ptr<void> allocate(Device, std::int64_t) { fail_absent(); }
void copy(void*, Device, const void*, Device, std::int64_t) { fail_absent(); }
std::shared_ptr<void> allocate_pinned(Device, std::int64_t) { fail_absent(); }
void send_copy(const Queue&, void*, const void*, std::int64_t) { fail_absent(); }

std::shared_ptr<void> create_stream(Device) { fail_absent(); }
void finish(const Queue&) { fail_absent(); }
void wait_for(const Queue&, const Queue&) { fail_absent(); }

void exclusive_scan(const Queue&, Span<const int>, Span<int>, ScanScratch&, const std::int64_t*) { fail_absent(); }
void sort_by_key(const Queue&, Span<std::uint64_t>, Span<int>, SortScratch&, int) { fail_absent(); }
template <class T>
void segmented_sum(const Queue&, Span<const T>, Span<const int>, Span<T>) {
  fail_absent();
}
template void segmented_sum(const Queue&, Span<const float>, Span<const int>, Span<float>);
template void segmented_sum(const Queue&, Span<const double>, Span<const int>, Span<double>);

void begin_recording(const Queue&) { fail_absent(); }
std::shared_ptr<void> end_recording(const Queue&) { fail_absent(); }
void replay(const Queue&, void*) { fail_absent(); }
LaunchCounts launch_counts() { return {}; }

}  // namespace carom::cuda
