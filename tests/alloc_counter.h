// Counts heap allocations of the test program, from all threads, to show that a warm step makes none.
#pragma once

#include <cstdint>

namespace carom::testing {

// False under sanitizers and without glibc, where nothing is counted: tests skip then.
bool counts_allocations();

// Calls of malloc and its kin (and so of operator new) since the program began.
std::int64_t allocation_count();

// Allocations made by fn().
template <class Fn>
std::int64_t allocations_in(const Fn& fn) {
  const std::int64_t before = allocation_count();
  fn();
  return allocation_count() - before;
}

}  // namespace carom::testing
