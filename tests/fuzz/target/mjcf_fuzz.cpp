// Any bytes become a Model, and this MJCF again, or an Error, and nothing else: no crash, no other exception, no
// endless loop.
//
// An input whose first line is "#obj", "#stl", "#msh", "#bin" or "#png" is a mesh or heightfield file of a small model;
// every other one is the text of an MJCF file, whose own files are looked for in an empty folder.
#include <filesystem>
#include <fstream>
#include <string>

#include "carom/builder.h"
#include "carom/error.h"
#include "carom/mjcf_files.h"
#include "folder.h"

namespace {

namespace fs = std::filesystem;

carom::MjcfLimits small_limits() {
  carom::MjcfLimits limits;
  limits.bytes = 1 << 16;
  limits.depth = 60;
  limits.elements = 400;
  limits.numbers = 1 << 14;
  limits.files = 10;
  limits.steps = 1 << 9;
  return limits;
}

std::string model_around(const std::string& kind, const std::string& file) {
  const bool heights = kind == "bin" || kind == "png";
  const std::string asset = heights ? "<hfield name='a' size='1 2 3 1' file='" : "<mesh name='a' file='";
  const std::string geom = heights ? "<geom type='hfield' hfield='a'/>" : "<geom type='mesh' mesh='a'/>";
  const std::string body = heights ? geom : "<body><freejoint/>" + geom + "</body>";
  return "<mujoco><asset>" + asset + file + "'/></asset><worldbody>" + body + "</worldbody></mujoco>";
}

carom::MjcfSource source_of(const std::string& input, const fs::path& folder) {
  carom::MjcfSource source;
  source.folder = source.root = folder.string();
  source.limits = small_limits();
  source.text = input;
  for (const std::string kind : {"obj", "stl", "msh", "bin", "png"}) {
    if (!input.starts_with("#" + kind + "\n")) continue;
    std::ofstream(folder / ("a." + kind), std::ios::binary) << input.substr(kind.size() + 2);
    source.text = model_around(kind, "a." + kind);
  }
  return source;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string input(reinterpret_cast<const char*>(data), size);
  try {
    // Without the simulation that looks for lengths of muscles: the solvers are not part of this program.
    const carom::ReadMjcf read = carom::read_mjcf(source_of(input, folder.path));
    carom::ModelBuilder scene;
    scene.add_world(carom::import_mjcf(read.model, {}, read.places).builder);
    carom::to_mjcf(scene.finalize());
  } catch (const carom::Error& error) {
    if (std::string(error.what()).empty()) std::abort();  // an error says something
  }
  return 0;
}
