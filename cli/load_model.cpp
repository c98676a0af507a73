#include "cli/load_model.h"

#include <filesystem>

namespace carom::cli {

bool is_mjcf(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".xml" || ending == ".mjcf";
}

LoadedModel load_model(const std::string& path, std::optional<int> worlds, Device device) {
  if (!is_mjcf(path)) {
    Model model = load(path, device);
    if (worlds && *worlds != model.world_count)
      throw Error("'" + path + "' has " + std::to_string(model.world_count) +
                  " worlds, and no others can be made of it; leave --worlds out");
    return {std::move(model)};
  }
  MjcfSource source;
  source.path = path;
  ReadMjcf read = read_mjcf(source);
  std::vector<Keyframe> keyframes = mjcf_keyframes(read.model);
  MjcfArgs args;
  args.who = "carom";
  ModelBuilder file, scene;
  std::vector<std::string> warnings = add_mjcf(file, std::move(read), args);
  scene.replicate(file, worlds.value_or(1));
  return {scene.finalize(device), std::move(keyframes), std::move(warnings)};
}

}  // namespace carom::cli
