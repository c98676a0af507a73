// The commands of `carom`, one function each. They throw carom::Error; main() prints it.
#pragma once

#include <string>

namespace carom::cli {

struct DemoArgs {
  int worlds = 4096;
  std::string save;  // path of a model file, empty = none
};
void demo(const DemoArgs& args);

struct InfoArgs {
  std::string path;
  int keys = 0;  // how many keys of each kind to list
};
void info(const InfoArgs& args);

}  // namespace carom::cli
