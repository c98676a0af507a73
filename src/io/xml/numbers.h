// Words and numbers in the text of an attribute.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace carom {

// The next word of a line, empty at its end; the line goes on behind it.
inline std::string_view take_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

// What is wrong with a number, or nullptr; what is too large for a double is none, and NaN is refused.
inline const char* parse_number(std::string_view word, double& value) {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return "is not a number";
  return std::isfinite(value) ? nullptr : "is not finite";
}

}  // namespace carom
