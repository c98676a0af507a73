// Lines over time, as an SVG file: what contact sensors felt during a run, how far shapes were apart.
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
  std::vector<double> marks;  // instants, as ticks at the bottom [s]
};

std::string to_svg(const Plot& plot);

}  // namespace carom::cli
