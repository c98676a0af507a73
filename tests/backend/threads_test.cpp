// run_on_threads(): every item once, whoever runs it, also in launches inside launches, from several threads at once,
// after fork() and when something is thrown.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "backend/crew.h"
#include "backend/launch.h"

namespace carom {
namespace {

// Runs f(i) for i in [0, n).
template <class Function>
void for_each(const Queue& queue, int n, const Function& f, int step = 1, ItemCost* cost = nullptr) {
  const RangeFn run = [](const void* kernel, int begin, int end) {
    for (int i = begin; i < end; ++i) (*static_cast<const Function*>(kernel))(i);
  };
  run_on_threads(queue, {run, &f, n, step, cost});
}

std::vector<int> count_to(int n) {
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

// True when a loop over n items visits each of them once.
bool visits_each_once(const Queue& queue, int n, int step = 1, ItemCost* cost = nullptr) {
  std::vector<int> visits(n, 0);
  for_each(
      queue, n, [&](int i) { visits[i] += i + 1; }, step, cost);
  return visits == count_to(n);
}

// Returns when so many threads have been at work at the same time: none of them is beginning any more.
[[maybe_unused]] void all_come(const Queue& queue, int threads) {
  std::atomic<int> here = 0;
  for_each(queue, threads, [&](int) {
    for (++here; here < threads;) std::this_thread::yield();
  });
}

// Proves that each item is run once, for any number of items and threads, whatever an item is known to cost.
TEST(Threads, RunEachItemOnce) {
  for (const int threads : {1, 2, 3, 8, 100}) {
    const Queue queue({}, {.threads = threads});
    for (const int n : {0, 1, 2, 3, 15, 16, 17, 31, 100, 1000, 100003})
      for (const int step : {1, 16})
        for (const float known : {0.f, 1e-3f, 1.f, 1e3f, 1e6f, 1e12f}) {
          ItemCost cost = known;
          EXPECT_TRUE(visits_each_once(queue, n, step, &cost)) << n << " items, " << threads << " threads, " << known;
        }
  }
}

// The same for the loops of a crew, of one thread or several, again and again: what an iteration costs is learned.
TEST(Threads, ACrewRunsEachIterationOnce) {
  const Queue one({}, {.threads = 1}), four({}, {.threads = 4});
  for (const Queue* queue : {static_cast<const Queue*>(nullptr), &one, &four})
    for (int again = 0; again < 3; ++again)
      for (const int n : {0, 1, 7, 8, 100, 100003}) {
        std::vector<int> visits(n, 0);
        Crew(queue).each(n, [&](int i) { visits[i] += i + 1; });
        EXPECT_EQ(visits, count_to(n)) << n << " iterations, " << (queue ? queue->threads() : 0) << " threads";
      }
}

// Proves that all but the last chunk are multiples of the step, so that lanes are full.
TEST(Threads, TakeWholeSteps) {
  for (const int threads : {2, 3, 8}) {
    const Queue queue({}, {.threads = threads});
    for (const int n : {17, 100, 1000, 4097}) {
      const RangeFn run = [](const void* kernel, int begin, int end) {
        const int n = *static_cast<const int*>(kernel);
        if (begin % 16 != 0 || (end % 16 != 0 && end != n)) throw std::logic_error("not a multiple of 16");
      };
      EXPECT_NO_THROW(run_on_threads(queue, {run, &n, n, 16}));
    }
  }
}

// Proves that a launch inside a launch runs everything and comes back, three deep.
TEST(Threads, LaunchInsideALaunch) {
  const Queue queue({}, {.threads = 4});
  std::vector<std::atomic<int>> visits(7 * 7 * 7);
  for_each(queue, 7, [&](int i) {
    for_each(queue, 7, [&](int j) { for_each(queue, 7, [&](int k) { ++visits[(i * 7 + j) * 7 + k]; }); });
  });
  for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 1);
}

// Proves that threads of the user launch at the same time without disturbing each other.
TEST(Threads, SeveralCallersAtOnce) {
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      const Queue queue({}, {.threads = 2 + caller});
      for (int i = 0; i < 200; ++i) right += visits_each_once(queue, 1 + 37 * i);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 4 * 200);
}

// Proves that memory of a thread stays its own while launches with more of it go on, and is aligned.
TEST(Threads, HaveScratchOfTheirOwn) {
  const Queue queue({}, {.threads = 8});
  for (const std::int64_t bytes : {64, 1000, 100'000, 64}) {
    std::atomic<int> wrong = 0;
    const auto use = [&](int i) {
      auto* const mine = static_cast<int*>(thread_scratch(bytes));
      if (reinterpret_cast<std::uintptr_t>(mine) % 64 != 0) ++wrong;
      const std::int64_t last = bytes / 4 - 1;
      mine[0] = mine[last] = i;
      for (int spin = 0; spin < 5; ++spin) std::this_thread::yield();
      if (mine[0] != i || mine[last] != i) ++wrong;
    };
    const RangeFn run = [](const void* kernel, int begin, int end) {
      for (int i = begin; i < end; ++i) (*static_cast<const decltype(use)*>(kernel))(i);
    };
    run_on_threads(queue, {run, &use, 200, 1, nullptr, bytes});
    EXPECT_EQ(wrong, 0);
  }
}

// Proves that what an item throws reaches the caller, once, and that the threads work on afterwards.
TEST(Threads, ThrowToTheCaller) {
  for (const int threads : {1, 2, 8}) {
    const Queue queue({}, {.threads = threads});
    for (int bad = 0; bad < 40; bad += 13)
      EXPECT_THROW(for_each(queue, 40,
                            [&](int i) {
                              if (i == bad) throw std::runtime_error("bad item");
                            }),
                   std::runtime_error);
    EXPECT_THROW(for_each(queue, 40, [](int) { throw std::runtime_error("all bad"); }), std::runtime_error);
    EXPECT_TRUE(visits_each_once(queue, 1000));
  }
}

// Proves that a child made by fork() while threads exist has threads of its own, and that its parent keeps its own.
TEST(Threads, WorkInAForkedChild) {
  const Queue queue({}, {.threads = 4});
#ifdef __SANITIZE_ADDRESS__
  // A thread that begins asks the sanitizer for memory, and no fork handler of the sanitizer (GCC 13) frees the lock
  // that it holds then: a child of that moment waits for it in its first `new` (AsanThread::Init,
  // SizeClassAllocator64).
  all_come(queue, 4);
#endif
  EXPECT_TRUE(visits_each_once(queue, 1000));
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);  // a child that hangs ends with a signal
      bool right = true;
      for (int n = 1; n < 300; ++n) right = right && visits_each_once(queue, n);
      _exit(right ? 0 : 1);
    }
    EXPECT_TRUE(visits_each_once(queue, 1000));
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

// Ends the program while threads wait for work, or with work in progress in another thread.
void exit_with_threads(bool busy) {
  const Queue queue({}, {.threads = 4});
  const bool right = visits_each_once(queue, 1000);
  if (busy)
    std::thread([] {
      const Queue other({}, {.threads = 4});
      for (;;) visits_each_once(other, 1000);
    }).detach();
  std::exit(right ? 0 : 1);
}

// Proves that a program ends as it should whatever its threads do.
TEST(ThreadsDeathTest, LetTheProgramEnd) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_with_threads(false), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_with_threads(true), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace carom
