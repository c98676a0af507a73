// Any bytes become a Model, by all ways that arguments choose, and this URDF again, or an Error, and nothing else: no
// crash, no other exception, no endless loop. What is written is read back.
//
// An input whose first line is "#obj", "#stl" or "#dae" is a mesh file of a small robot; every other one is the text of
// a URDF file, whose own files are looked for in an empty folder.
#include <cstdio>
#include <fstream>
#include <string>

#include "carom/error.h"
#include "carom/urdf.h"
#include "folder.h"

namespace {

carom::UrdfSource source_of(const std::string& input, const std::filesystem::path& folder) {
  carom::UrdfSource source;
  source.folder = source.root = folder.string();
  source.limits.bytes = 1 << 16;
  source.limits.depth = 60;
  source.limits.elements = 400;
  source.limits.numbers = 1 << 14;
  source.limits.files = 10;
  source.text = input;
  for (const std::string kind : {"obj", "stl", "dae"}) {
    if (!input.starts_with("#" + kind + "\n")) continue;
    std::ofstream(folder / ("a." + kind), std::ios::binary) << input.substr(kind.size() + 2);
    const std::string mesh = "<geometry><mesh filename='a." + kind + "'/></geometry>";
    source.text =
        "<robot><link name='a'><collision>" + mesh + "</collision><visual>" + mesh + "</visual></link></robot>";
  }
  return source;
}

// Nothing that it writes is refused but links that weigh nothing, which it lists.
void write_and_read(const carom::Model& model) {
  const carom::WrittenUrdf written = carom::to_urdf(model);
  if (!written.meshes.empty()) return;
  for (const std::string& lost : written.lost)
    if (lost.starts_with("moving bodies without mass")) return;
  carom::UrdfSource again;
  again.text = written.text;
  carom::ModelBuilder builder;
  try {
    carom::add_urdf(builder, again);
  } catch (const carom::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), written.text.c_str());
    std::abort();
  }
}

void read(const carom::UrdfSource& source, const carom::UrdfArgs& args) {
  try {
    carom::ModelBuilder robot, scene;
    carom::add_urdf(robot, source, args);
    scene.add_world(robot);
    write_and_read(scene.finalize());
  } catch (const carom::Error& error) {
    if (std::string(error.what()).empty()) std::abort();  // an error says something
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const carom::UrdfSource source = source_of({reinterpret_cast<const char*>(data), size}, folder.path);
  read(source, {});
  carom::UrdfArgs args;
  args.floating = true;
  args.collapse_fixed_joints = args.ignore_inertial_definitions = args.parse_visuals_as_colliders = true;
  args.enable_self_collisions = false;
  args.scale = 0.5;
  read(source, args);
  return 0;
}
