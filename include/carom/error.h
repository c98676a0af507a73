// The one exception of the project. Building, loading and configuring throw it; stepping never does.
#pragma once

#include <stdexcept>
#include <string>

namespace carom {

// what() says which entity is wrong, what is wrong with it, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace carom
