// Stands in for malloc and its kin: counts, then calls glibc's own. Sanitizers bring allocators themselves, so there
// this file defines nothing but the two functions of its header.
#include "alloc_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAROM_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CAROM_HAS_SANITIZER 1
#endif
#endif

namespace carom::testing {
namespace {

std::atomic<std::int64_t> allocations{0};

}  // namespace

std::int64_t allocation_count() { return allocations.load(); }

}  // namespace carom::testing

#if defined(__GLIBC__) && !defined(CAROM_HAS_SANITIZER)

// Shared libraries, among them the one with operator new, must find these functions too.
#pragma GCC visibility push(default)
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++carom::testing::allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  ++carom::testing::allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) {
  ++carom::testing::allocations;
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  ++carom::testing::allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

}  // extern "C"
#pragma GCC visibility pop

bool carom::testing::counts_allocations() { return true; }

#else

bool carom::testing::counts_allocations() { return false; }

#endif
