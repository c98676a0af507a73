// How the programs of the suites tell time.
#pragma once

#include <chrono>

namespace carom {

// Seconds since some moment.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace carom
