// Lines over time, as an SVG file: what contact sensors felt during a run.
#pragma once

#include <string>
#include <vector>

namespace carom::cli {

struct PlotLine {
  std::string name;
  std::vector<double> values;
};

struct Plot {
  std::string title, unit;   // of the values
  std::vector<double> time;  // [s]
  std::vector<PlotLine> lines;
};

std::string to_svg(const Plot& plot);

}  // namespace carom::cli
