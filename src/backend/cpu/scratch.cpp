// One block of memory per thread for kernels that work on several worlds at once.
#include <cstdlib>
#include <memory>

#include "backend/launch.h"

namespace carom {

void* thread_scratch(std::int64_t bytes) {
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static thread_local std::unique_ptr<void, Free> memory;
  static thread_local std::int64_t size = 0;
  if (bytes > size) {
    constexpr std::int64_t kAlignment = 64;
    const std::int64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    memory.reset();
    size = 0;
    memory.reset(std::aligned_alloc(kAlignment, rounded));
    if (!memory) throw std::bad_alloc();
    size = rounded;
  }
  return memory.get();
}

}  // namespace carom
