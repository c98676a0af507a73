// The memory that thread_scratch() hands out: one block for each thread, which grows and never shrinks.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace carom {

class ScratchBlock {
 public:
  void* at_least(std::int64_t bytes) {
    if (bytes > size_) {
      constexpr std::int64_t kAlignment = 64;
      const std::int64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
      memory_.reset();
      size_ = 0;
      memory_.reset(std::aligned_alloc(kAlignment, rounded));
      if (!memory_) throw std::bad_alloc();
      size_ = rounded;
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  std::int64_t size_ = 0;
};

// Makes a block that somebody else owns the calling thread's.
void use_scratch(ScratchBlock& block);

}  // namespace carom
