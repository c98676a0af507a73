// main() of the benchmark programs: prints what run() returns as one line of JSON, or what went wrong.
#pragma once

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace carom {

// run(arguments) takes what follows the name of the program and throws when it makes no sense.
template <class Run>
int print_json(const char* program, int argc, char** argv, Run run) {
  try {
    std::printf("%s\n", run(std::vector<std::string>(argv + 1, argv + argc)).dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace carom
