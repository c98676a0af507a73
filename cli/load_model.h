// A model from a file, by how its name ends: MJCF (.xml, .mjcf), or what Model::save() wrote.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom::cli {

struct LoadedModel {
  Model model;
  std::vector<std::string> warnings;  // of the reader: what was not understood and leaves the motion alone
};

bool is_mjcf(const std::string& path);

// worlds: copies of what an MJCF file describes, one unless given; other files have theirs.
LoadedModel load_model(const std::string& path, std::optional<int> worlds = {}, Device device = {});

}  // namespace carom::cli
