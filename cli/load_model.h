// A model from a file, by how its name ends: MJCF (.xml, .mjcf), URDF (.urdf), USD (.usd, .usda, .usdc, .usdz), or what
// Model::save() wrote; and its keyframes. In both precisions.
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

enum class FileKind { kMjcf, kUrdf, kUsd, kSaved, kUnknown };
FileKind kind_of_file(const std::string& path);
inline constexpr const char* kKnownFiles =
    ".xml and .mjcf (MJCF), .urdf (URDF), .usd, .usda, .usdc and .usdz (USD), .carom (what Model.save() wrote)";

// worlds: copies of what an MJCF or URDF file or a stage describes, one unless given; other files have theirs.
LoadedModel load_model(const std::string& path, std::optional<int> worlds = {}, Device device = {});

// Warnings, on the standard error.
void print_warnings(const LoadedModel& loaded);

// By name or number; the first one where none is named. command: who asks, for the Error where there is none.
const Keyframe& find_keyframe(const LoadedModel& loaded, const std::string& name, const std::string& command);
// All worlds.
void begin_at(const Keyframe& key, const State& state);

}  // namespace carom::cli::inline CAROM_PRECISION
