// Tables on the terminal: columns as wide as their widest cell, text to the left, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace carom::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print(std::size_t most = 0) const;  // most: rows, 0 = all; the rest is counted

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string format(const char* pattern, double value);  // one number through printf
std::string grouped(long long value);                   // 16,384

}  // namespace carom::cli
