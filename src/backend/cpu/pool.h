// The threads of the CPU. They wait for tasks: awake for some microseconds, then asleep.
//
// A task is a row of chunks. Its caller works on it, too, and never waits for a helper that has not come yet: on a busy
// machine it does most of the work alone, and a task within a task, or two callers at once, cannot block each other.
// Every thread begins in a part of the row that is its own, so that it finds again what it touched in the task before,
// and goes on with what others have left.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>

#include "backend/cpu/scratch_block.h"
#include "backend/launch.h"

namespace carom {

class Task {
 public:
  // `chunk`: items of each chunk but the last; `threads`: that may work on it, with the caller.
  Task(const RangeJob& job, int chunk, int threads);

 private:
  friend class Pool;
  static constexpr int kMostParts = 64;

  struct alignas(64) Part {
    std::atomic<int> next = 0;  // chunk
    int end = 0;
  };

  std::int64_t work(int home);  // returns how many items it did

  const RangeJob& job_;
  const int chunk_, parts_;
  std::array<Part, kMostParts> part_;

  // Guarded by the pool's mutex; the caller also looks at helpers_ without it.
  int wanted_;  // helpers that may still come
  std::atomic<int> helpers_ = 0;
  bool caller_sleeps_ = false;
  std::condition_variable done_;
  std::exception_ptr error_;
  Task* other_ = nullptr;  // the next one in the pool's list
};

class Pool {
 public:
  // Sees to it that there are so many helpers with so much scratch memory: later tasks allocate nothing.
  void reserve(int helpers, std::int64_t scratch_bytes);

  // Returns when the task is done: how long the caller took for an item [ns], 0 if there was none left for it.
  // Throws what a chunk has thrown.
  double run(Task& task);

 private:
  enum class Doing { kWork, kLook, kSleep };

  struct Worker {
    int number = 0;
    Doing doing = Doing::kLook;
    std::condition_variable wake;
    ScratchBlock scratch;
  };

  void serve(Worker& self);
  std::int64_t work(Task& task, int home);
  Task* next_task(Worker& self);
  Task* join_task(Worker& self);
  void leave_task(Task& task, Worker& self);
  void call_helpers(Task& task);
  void wait_for_helpers(Task& task);

  std::mutex mutex_;
  std::deque<Worker> workers_;
  Task* tasks_ = nullptr;                   // in progress
  std::atomic<unsigned> tasks_so_far_ = 0;  // what workers look at
  std::atomic<int> reserved_helpers_ = 0;
  std::atomic<std::int64_t> reserved_bytes_ = 0;
};

// The pool of this process. A child of fork() has one of its own, since it has none of its parent's threads.
Pool& pool();

}  // namespace carom
