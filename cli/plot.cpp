#include "cli/plot.h"

#include <algorithm>
#include <cmath>

#include "cli/svg_text.h"

namespace carom::cli {

namespace {

constexpr double kWidth = 1000, kHeight = 460, kLeft = 76, kRight = 30, kTop = 84, kBottom = 56;
// Told apart by people who do not see red and green as different, too.
constexpr const char* kColours[] = {"#0d5c8c", "#f08a3c", "#2e9e4f", "#c2185b",
                                    "#6a51a3", "#00a7a7", "#8c6d31", "#333"};
constexpr std::size_t kColourCount = std::size(kColours);

struct Scale {
  double time_end, value_end;
  double x(double t) const { return kLeft + (kWidth - kLeft - kRight) * t / time_end; }
  double y(double v) const { return kHeight - kBottom - (kHeight - kTop - kBottom) * v / value_end; }
};

Scale scale_of(const Plot& plot) {
  double largest = 0;
  for (const PlotLine& line : plot.lines)
    for (const double value : line.values) largest = std::max(largest, value);
  return {plot.time.empty() || plot.time.back() <= 0 ? 1 : plot.time.back(), largest > 0 ? largest * 1.05 : 1};
}

void put_axes(std::string& out, const Plot& plot, const Scale& scale) {
  const double value_step = round_up(scale.value_end / 6), time_step = round_up(scale.time_end / 10);
  for (double v = 0; v <= scale.value_end; v += value_step) {
    put(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#dfe6ea\"/>\n", kLeft, scale.y(v), kWidth - kRight);
    char text[32];
    std::snprintf(text, sizeof text, "%g", v);
    put_text(out, kLeft - 10, scale.y(v) + 5, "class=\"small\" text-anchor=\"end\"", text);
  }
  for (double t = 0; t <= scale.time_end * (1 + 1e-9); t += time_step) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", t);
    put(out, "<path d=\"M%.1f %.1fv6\" stroke=\"%s\"/>\n", scale.x(t), scale.y(0), kFaintInk);
    put_text(out, scale.x(t), scale.y(0) + 22, "class=\"small\" text-anchor=\"middle\"", text);
  }
  put(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>\n", kLeft, scale.y(0), kWidth - kRight, kFaintInk);
  put_text(out, kWidth - kRight, scale.y(0) + 44, "class=\"small\" text-anchor=\"end\"", "time [s]");
  put_text(out, 16, kTop - 14, "class=\"small\"", plot.unit);
}

void put_marks(std::string& out, const Plot& plot, const Scale& scale) {
  for (const double t : plot.marks)
    put(out, "<path d=\"M%.1f %.1fv-14\" stroke=\"%s\" stroke-width=\"1.2\"/>\n", scale.x(t), scale.y(0), kFaintInk);
  if (!plot.marks.empty())
    put_text(out, kLeft, scale.y(0) + 44, "class=\"small\"", "ticks: " + std::to_string(plot.marks.size()) + " events");
}

void put_line(std::string& out, const Plot& plot, const PlotLine& line, const Scale& scale, const char* colour) {
  out +=
      "<path fill=\"none\" stroke-width=\"1.8\" stroke-linejoin=\"round\" stroke=\"" + std::string(colour) + "\" d=\"";
  for (std::size_t i = 0; i < line.values.size(); ++i)
    put(out, "%s%.1f %.1f", i == 0 ? "M" : "L", scale.x(plot.time[i]), scale.y(line.values[i]));
  out += "\"/>\n";
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const Scale scale = scale_of(plot);
  std::string out;
  put_svg_head(out, kWidth, kHeight);
  put_text(out, kLeft, 34, "class=\"title\"", plot.title);
  put_axes(out, plot, scale);
  put_marks(out, plot, scale);
  double x = kLeft;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const char* const colour = kColours[i % kColourCount];
    put_line(out, plot, plot.lines[i], scale, colour);
    put(out, "<path d=\"M%.1f 55h22\" stroke-width=\"3\" stroke=\"%s\"/>\n", x, colour);
    put_text(out, x + 28, 60, "", plot.lines[i].name);
    x += 48 + 8.0 * static_cast<double>(plot.lines[i].name.size());
  }
  out += "</svg>\n";
  return out;
}

}  // namespace carom::cli
