// What the pictures of the command line share: formatted text, and letters that XML keeps for itself.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace carom::cli {

inline constexpr const char* kInk = "#263238";
inline constexpr const char* kFaintInk = "#607d8b";

__attribute__((format(printf, 2, 3))) inline void put(std::string& out, const char* pattern, ...) {
  char line[512];
  std::va_list args;
  va_start(args, pattern);
  std::vsnprintf(line, sizeof line, pattern, args);
  va_end(args);
  out += line;
}

inline std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

inline void put_text(std::string& out, double x, double y, const char* style, const std::string& text) {
  put(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  out += escaped(text) + "</text>\n";
}

// The beginning of a picture on white, with the style of its text.
inline void put_svg_head(std::string& out, double width, double height) {
  put(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n",
      width, height, width, height);
  put(out,
      "<style>text{font-family:Helvetica,Arial,sans-serif;font-size:14px;fill:%s}"
      ".title{font-size:21px;font-weight:bold}.small{fill:%s}</style>\n",
      kInk, kFaintInk);
  out += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
}

// The smallest of 1, 2, 5, 10, 20, ... that is not below x.
inline double round_up(double x) {
  double power = 1e-12;
  while (power * 10 <= x) power *= 10;
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= x) return digit * power;
  return 10 * power;
}

}  // namespace carom::cli
