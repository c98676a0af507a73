// How rows of the table are written. An attribute is "name", or "name:" and what it holds: "3" numbers, "1-3" of them,
// "*" any number; "i" before it for integers; words with a bar between them.
#pragma once

#include <string>
#include <vector>

#include "io/mjcf/table.h"

namespace carom::inline CAROM_PRECISION {

struct TableRow {
  const char* id;
  std::string used;
  const char* ignored = "";
  const char* unsupported = "";
  const char* children = "";
  MjcfUse use = MjcfUse::kUsed;
  bool opaque = false;
};

std::vector<TableRow> mjcf_sensor_rows();
std::vector<TableRow> mjcf_visual_rows();

}  // namespace carom::inline CAROM_PRECISION
