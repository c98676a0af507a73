// Memory of arrays. On the CPU small blocks come from the heap; large ones are mapped, so that the kernel hands out
// zeroed pages on first touch, near the thread that touches them, and huge pages where it can.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "backend/cuda/cuda_backend.h"
#include "backend/device.h"
#include "base/fail.h"
#include "carom/array.h"

namespace carom {
namespace {

constexpr std::size_t kAlignment = 64;                   // a cache line, and the widest vector register
constexpr std::size_t kMapBytes = std::size_t{1} << 20;  // from here on a block is mapped
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

[[noreturn]] void throw_out_of_memory(std::size_t bytes) {
  fail("out of memory: ", bytes, " bytes were asked for on device \"cpu\"; use fewer or smaller worlds");
}

std::shared_ptr<void> allocate_on_heap(std::size_t bytes) {
  const std::size_t size = round_up(bytes, kAlignment);
  void* block = std::aligned_alloc(kAlignment, size);
  if (!block) throw_out_of_memory(bytes);
  std::memset(block, 0, size);
  return {block, std::free};
}

// Huge pages need a block that begins on a border of theirs: one page more is reserved and both ends are given back.
std::shared_ptr<void> allocate_mapped(std::size_t bytes) {
  const std::size_t size = round_up(bytes, kHugePage);
  const std::size_t reserved = size + kHugePage;
  if (reserved < bytes) throw_out_of_memory(bytes);
  void* mapped = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw_out_of_memory(bytes);
  char* begin = static_cast<char*>(mapped);
  const std::size_t head = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  char* block = begin + head;
  if (head > 0) munmap(begin, head);
  if (reserved - size - head > 0) munmap(block + size, reserved - size - head);
#if defined(MADV_HUGEPAGE)
  if (bytes >= kHugePage) madvise(block, size, MADV_HUGEPAGE);  // a wish: nothing is wrong when it is not granted
#endif
  return {block, [size](void* p) { munmap(p, size); }};
}

}  // namespace

std::shared_ptr<void> allocate_bytes(Device device, std::int64_t bytes) {
  require_device(device);
  if (bytes < 0) fail("an array cannot have ", bytes, " bytes: its size must not be negative");
  if (bytes == 0) return nullptr;
  if (!device.is_cpu()) return cuda::allocate(device, bytes);
  const auto size = static_cast<std::size_t>(bytes);
  return size < kMapBytes ? allocate_on_heap(size) : allocate_mapped(size);
}

void copy_bytes(void* dst, Device dst_device, const void* src, Device src_device, std::int64_t bytes) {
  if (bytes <= 0) return;
  if (dst_device.is_cpu() && src_device.is_cpu()) {
    std::memmove(dst, src, static_cast<std::size_t>(bytes));  // slices of one array may overlap
    return;
  }
  cuda::copy(dst, dst_device, src, src_device, bytes);
}

void check_same_size(std::int64_t size, std::int64_t other_size) {
  if (size == other_size) return;
  fail("an array of ", size, " elements cannot be assigned from one of ", other_size,
       ": take a slice of the right size");
}

void check_slice(std::int64_t first, std::int64_t last, std::int64_t size) {
  if (0 <= first && first <= last && last <= size) return;
  fail("slice [", first, ", ", last, ") is outside of an array of ", size, " elements");
}

}  // namespace carom
