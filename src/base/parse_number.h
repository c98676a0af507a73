// Whole numbers in text that a user wrote (device names, environment variables): the entire text must be the number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace carom {

inline std::optional<int> parse_whole_number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace carom
