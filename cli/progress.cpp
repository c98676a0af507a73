#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace carom::cli {

namespace {
constexpr int kCells = 40;
}

Progress::Progress(std::string label) : label_(std::move(label)), terminal_(isatty(fileno(stdout)) != 0) { show(0); }

void Progress::show(double fraction) {
  const int cells = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kCells);
  if (!terminal_ || cells == shown_) return;
  shown_ = cells;
  std::printf("\r  %s [%s%s] %3.0f %%", label_.c_str(), std::string(cells, '#').c_str(),
              std::string(kCells - cells, ' ').c_str(), 100 * fraction);
  std::fflush(stdout);
}

void Progress::clear() {
  if (!terminal_ || shown_ < 0) return;
  shown_ = -1;
  std::printf("\r\033[K");
  std::fflush(stdout);
}

}  // namespace carom::cli
