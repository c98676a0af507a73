#include "cli/table.h"

#include <algorithm>
#include <cstdio>

namespace carom::cli {

void Table::print(std::size_t most) const {
  const std::size_t shown = most == 0 ? rows_.size() : std::min(rows_.size(), most + 1);
  std::vector<std::size_t> width(rows_.front().size(), 0);
  for (std::size_t r = 0; r < shown; ++r)
    for (std::size_t c = 0; c < rows_[r].size(); ++c) width[c] = std::max(width[c], rows_[r][c].size());
  for (std::size_t r = 0; r < shown; ++r) {
    std::string line = " ";
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string padding(width[c] - rows_[r][c].size(), ' ');
      line += " " + (c == 0 ? rows_[r][c] + padding : padding + rows_[r][c]) + " ";
    }
    std::printf("%s\n", line.c_str());
    if (r == 0) std::printf("  %s\n", std::string(line.size() - 3, '-').c_str());
  }
  if (shown < rows_.size())
    std::printf("  ... and %s more\n", grouped(static_cast<long long>(rows_.size() - shown)).c_str());
}

std::string format(const char* pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}

std::string grouped(long long value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (left % 3 == 0 && i > 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace carom::cli
