// Counts heap allocations of the test program, from all threads, to show that a warm step makes none.
#pragma once

#include <algorithm>
#include <cstdint>

namespace carom::testing {

// False under sanitizers and without glibc, where nothing is counted: tests skip then.
bool counts_allocations();

// Calls of malloc and its kin (and so of operator new) since the program began.
std::int64_t allocation_count();

// Allocations made by fn(): the fewest of three runs, since a thread of a driver may allocate beside one of them.
template <class Fn>
std::int64_t allocations_in(const Fn& fn) {
  std::int64_t fewest = INT64_MAX;
  for (int run = 0; run < 3; ++run) {
    const std::int64_t before = allocation_count();
    fn();
    fewest = std::min(fewest, allocation_count() - before);
  }
  return fewest;
}

}  // namespace carom::testing
