// A bar that grows while something takes its time: one line of a terminal, drawn again and again. Where the output is
// no terminal nothing is drawn, so that logs stay short.
#pragma once

#include <string>

namespace carom::cli {

class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double fraction);
  void clear();  // the line is free again

 private:
  std::string label_;
  bool terminal_;
  int shown_ = -1;  // cells
};

}  // namespace carom::cli
