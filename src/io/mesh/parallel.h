// A loop over things that do not depend on each other, on the threads of the CPU.
#pragma once

#include <exception>
#include <vector>

#include "backend/launch.h"

namespace carom::inline CAROM_PRECISION {

// fn(i) for every i of [0, n). Of what is thrown the first counts, by i: as in a plain loop.
template <class Fn>
void for_each_on_threads(std::size_t n, const Fn& fn) {
  struct Work {
    const Fn& fn;
    std::vector<std::exception_ptr>& errors;
  };
  std::vector<std::exception_ptr> errors(n);
  const Work work{fn, errors};
  const RangeFn run = [](const void* data, int first, int last) {
    const Work& w = *static_cast<const Work*>(data);
    for (int i = first; i < last; ++i) {
      try {
        w.fn(static_cast<std::size_t>(i));
      } catch (...) {
        w.errors[static_cast<std::size_t>(i)] = std::current_exception();
      }
    }
  };
  ItemCost cost = 1e6;  // [ns]: much, so that they are taken one by one
  run_on_threads(default_queue(), {run, &work, static_cast<int>(n), 1, &cost});
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace carom::inline CAROM_PRECISION
