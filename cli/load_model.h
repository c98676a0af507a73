// A model from a file, by how its name ends: MJCF (.xml, .mjcf), USD (.usd, .usda, .usdc,
// .usdz), or what Model::save() wrote; and its keyframes. In both precisions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom::cli::inline CAROM_PRECISION {

struct LoadedModel {
  Model model;
  std::vector<Keyframe> keyframes{};    // of an MJCF file, of one of its worlds
  std::vector<std::string> warnings{};  // of the reader: what was not understood and leaves the motion alone
};

bool is_mjcf(const std::string& path);

// worlds: copies of what an MJCF file or a stage describes, one unless given; other files have theirs.
LoadedModel load_model(const std::string& path, std::optional<int> worlds = {}, Device device = {});

// By name or number; the first one where none is named. command: who asks, for the Error where there is none.
const Keyframe& find_keyframe(const LoadedModel& loaded, const std::string& name, const std::string& command);
// All worlds.
void begin_at(const Keyframe& key, const State& state);

}  // namespace carom::cli::inline CAROM_PRECISION
