#include "cli/load_model.h"

#include <cstdio>
#include <filesystem>

#include "cli/usd.h"

namespace carom::cli::inline CAROM_PRECISION {

namespace {

// The numbers of one world, in all of them.
void set_all_worlds(const Array<Real>& array, const std::vector<Real>& one) {
  std::vector<Real> values(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = one[i % one.size()];
  array.assign(Array<Real>(std::span<const Real>(values)));
}

// Its name may end as it likes.
Model saved_model(const std::string& path, std::optional<int> worlds, Device device) {
  Model model;
  try {
    model = load(path, device);
  } catch (const Error& error) {
    if (kind_of_file(path) == FileKind::kSaved) throw;
    throw Error(std::string(error.what()) + "\nfiles are told apart by their endings: " + kKnownFiles);
  }
  if (worlds && *worlds != model.world_count)
    throw Error("'" + path + "' has " + std::to_string(model.world_count) +
                " worlds, and no others can be made of it; leave --worlds out");
  return model;
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".xml" || ending == ".mjcf") return FileKind::kMjcf;
  if (ending == ".urdf") return FileKind::kUrdf;
  if (is_usd(path)) return FileKind::kUsd;
  return ending == ".carom" ? FileKind::kSaved : FileKind::kUnknown;
}

LoadedModel load_model(const std::string& path, std::optional<int> worlds, Device device) {
  const FileKind kind = kind_of_file(path);
  if (kind == FileKind::kSaved || kind == FileKind::kUnknown) return {saved_model(path, worlds, device)};
  if (kind == FileKind::kUsd) {
    const PassingFolder folder;
    const std::string saved = folder.file("model.carom");
    std::vector<std::string> warnings = convert_usd(path, saved, worlds);
    return {load(saved, device), {}, std::move(warnings)};
  }
  ModelBuilder file, scene;
  if (kind == FileKind::kUrdf) {
    UrdfSource robot;
    robot.path = path;
    std::vector<std::string> unread = add_urdf(file, robot);
    scene.replicate(file, worlds.value_or(1));
    return {scene.finalize(device), {}, std::move(unread)};
  }
  MjcfSource source;
  source.path = path;
  ReadMjcf read = read_mjcf(source);
  std::vector<Keyframe> keyframes = mjcf_keyframes(read.model);
  MjcfArgs args;
  args.who = "carom";
  std::vector<std::string> warnings = add_mjcf(file, std::move(read), args);
  scene.replicate(file, worlds.value_or(1));
  return {scene.finalize(device), std::move(keyframes), std::move(warnings)};
}

void print_warnings(const LoadedModel& loaded) {
  for (const std::string& warning : loaded.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

const Keyframe& find_keyframe(const LoadedModel& loaded, const std::string& name, const std::string& command) {
  const std::vector<Keyframe>& all = loaded.keyframes;
  if (all.empty()) throw Error(command + ": the file has no keyframes; leave --keyframe and --controls keyframe out");
  if (name.empty()) return all.front();
  std::string names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name || std::to_string(i) == name) return all[i];
    names += (i > 0 ? ", " : "") + (all[i].name.empty() ? std::to_string(i) : all[i].name);
  }
  throw Error(command + ": there is no keyframe '" + name + "'; there are: " + names);
}

void begin_at(const Keyframe& key, const State& state) {
  set_all_worlds(state.joint_q, key.joint_q);
  set_all_worlds(state.joint_qd, key.joint_qd);
  set_all_worlds(state.act, key.act);
}

}  // namespace carom::cli::inline CAROM_PRECISION
