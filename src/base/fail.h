// Throwing an Error whose text is put together from parts: fail("body ", i, ": mass must be positive, is ", m).
#pragma once

#include <sstream>

#include "carom/error.h"

namespace carom {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(text(parts...));
}

}  // namespace carom
