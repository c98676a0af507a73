#include "backend/cpu/pool.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

namespace carom {
namespace {

using Clock = std::chrono::steady_clock;

// Launches of a step follow each other within this time, and a thread that sleeps takes about as long to wake up.
constexpr std::chrono::microseconds kLookBeforeSleep{50};

// Looks until done() or until the time has come; true when done. It does not yield: on a busy machine the core would be
// gone for milliseconds.
template <class Done>
bool look(Clock::time_point end, const Done& done) {
  do {
    for (int i = 0; i < 100; ++i)
      if (done()) return true;
  } while (Clock::now() < end);
  return false;
}

}  // namespace

// -- Tasks.

Task::Task(const RangeJob& job, int chunk, int threads)
    : job_(job), chunk_(chunk), parts_(std::min(threads, kMostParts)), wanted_(threads - 1) {
  const std::int64_t chunks = (std::int64_t{job.n} + chunk - 1) / chunk;
  for (int p = 0; p < parts_; ++p) {
    part_[p].next.store(static_cast<int>(chunks * p / parts_), std::memory_order_relaxed);
    part_[p].end = static_cast<int>(chunks * (p + 1) / parts_);
  }
}

std::int64_t Task::work(int home) {
  std::int64_t items = 0;
  for (int k = 0; k < parts_; ++k) {
    Part& part = part_[(home + k) % parts_];
    for (;;) {
      const int c = part.next.fetch_add(1, std::memory_order_relaxed);
      if (c >= part.end) break;
      const std::int64_t begin = std::int64_t{c} * chunk_, end = std::min<std::int64_t>(begin + chunk_, job_.n);
      job_.run(job_.kernel, static_cast<int>(begin), static_cast<int>(end));
      items += end - begin;
    }
  }
  return items;
}

// -- The caller.

void Pool::reserve(int helpers, std::int64_t scratch_bytes) {
  if (helpers <= reserved_helpers_.load(std::memory_order_relaxed) &&
      scratch_bytes <= reserved_bytes_.load(std::memory_order_relaxed))
    return;
  const std::lock_guard lock(mutex_);
  const std::int64_t bytes = std::max(scratch_bytes, reserved_bytes_.load());
  for (Worker& worker : workers_)
    if (worker.doing != Doing::kWork) worker.scratch.at_least(bytes);  // the others take it when they need it
  while (static_cast<int>(workers_.size()) < helpers) {
    Worker& worker = workers_.emplace_back();
    worker.number = static_cast<int>(workers_.size()) - 1;
    worker.scratch.at_least(bytes);
    try {
      std::thread([this, &worker] { serve(worker); }).detach();
    } catch (const std::system_error&) {  // the machine has no more threads: those that there are do the work
      workers_.pop_back();
      break;
    }
  }
  reserved_helpers_ = std::max(helpers, reserved_helpers_.load());
  reserved_bytes_ = bytes;
}

double Pool::run(Task& task) {
  call_helpers(task);
  const Clock::time_point begin = Clock::now();
  const std::int64_t items = work(task, 0);
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  wait_for_helpers(task);
  if (task.error_) std::rethrow_exception(task.error_);
  return items > 0 ? ns / static_cast<double>(items) : 0;
}

void Pool::call_helpers(Task& task) {
  const std::lock_guard lock(mutex_);
  task.other_ = tasks_;
  tasks_ = &task;
  tasks_so_far_.fetch_add(1, std::memory_order_release);
  int missing = task.wanted_;
  for (const Worker& worker : workers_) missing -= worker.doing == Doing::kLook;
  for (Worker& worker : workers_) {
    if (missing <= 0) break;
    if (worker.doing != Doing::kSleep) continue;
    worker.doing = Doing::kLook;
    worker.wake.notify_one();
    --missing;
  }
}

void Pool::wait_for_helpers(Task& task) {
  {
    const std::lock_guard lock(mutex_);
    Task** at = &tasks_;
    while (*at != &task) at = &(*at)->other_;
    *at = task.other_;  // nobody comes any more
  }
  const auto done = [&] { return task.helpers_.load(std::memory_order_acquire) == 0; };
  if (look(Clock::now() + kLookBeforeSleep, done)) return;
  std::unique_lock lock(mutex_);
  task.caller_sleeps_ = true;
  task.done_.wait(lock, done);
}

// -- Workers.

void Pool::serve(Worker& self) {
  use_scratch(self.scratch);
  for (;;) {
    Task& task = *next_task(self);
    work(task, 1 + self.number);
    leave_task(task, self);
  }
}

std::int64_t Pool::work(Task& task, int home) {
  try {
    return task.work(home);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!task.error_) task.error_ = std::current_exception();
    return 0;
  }
}

Task* Pool::next_task(Worker& self) {
  for (;;) {
    const Clock::time_point end = Clock::now() + kLookBeforeSleep;
    for (bool in_time = true; in_time;) {
      const unsigned seen = tasks_so_far_.load(std::memory_order_acquire);
      {
        const std::lock_guard lock(mutex_);
        if (Task* task = join_task(self)) return task;
      }
      in_time = look(end, [&] { return tasks_so_far_.load(std::memory_order_relaxed) != seen; });
    }
    std::unique_lock lock(mutex_);
    if (Task* task = join_task(self)) return task;
    self.doing = Doing::kSleep;
    self.wake.wait(lock, [&] { return self.doing != Doing::kSleep; });
  }
}

Task* Pool::join_task(Worker& self) {
  for (Task* task = tasks_; task != nullptr; task = task->other_) {
    if (task->wanted_ == 0) continue;
    --task->wanted_;
    task->helpers_.fetch_add(1, std::memory_order_relaxed);
    self.doing = Doing::kWork;
    return task;
  }
  return nullptr;
}

// A caller that is awake ends the task as soon as the last helper is gone: nothing of it is touched after that.
void Pool::leave_task(Task& task, Worker& self) {
  const std::lock_guard lock(mutex_);
  self.doing = Doing::kLook;
  const bool sleeps = task.caller_sleeps_;
  if (task.helpers_.fetch_sub(1, std::memory_order_release) == 1 && sleeps) task.done_.notify_one();
}

// -- The process.

namespace {

// Never destroyed: workers may still look at it while the program ends.
Pool* pool_of_process = nullptr;

void make_pool() { pool_of_process = new Pool; }

}  // namespace

Pool& pool() {
  static const bool made = (make_pool(), pthread_atfork(nullptr, nullptr, &make_pool) == 0);
  static_cast<void>(made);
  return *pool_of_process;
}

}  // namespace carom
