// <asset>: meshes and heightfields as they are written down; their files are opened when the model is compiled.
#include <filesystem>

#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A mesh without a name has that of its file, without folder and ending.
std::string asset_name(const MjcfAttributes& given) {
  const std::string name = given.text("name");
  return name.empty() ? std::filesystem::path(given.text("file")).stem().string() : name;
}

// The folder of a file and its name in there.
void read_file(const MjcfReading& in, const MjcfAttributes& given, std::string& folder, std::string& file) {
  namespace fs = std::filesystem;
  const CompilerSpec& compiler = in.spec.compiler;
  folder = (fs::path(in.folder) / compiler.mesh_folder).string();
  file = compiler.strip_path ? fs::path(given.text("file")).filename().string() : given.text("file");
}

MeshSpec mesh_spec(const MjcfReading& in, const MjcfAttributes& given) {
  MeshSpec mesh;
  mesh.place = given.node->place;
  mesh.name = asset_name(given);
  read_file(in, given, mesh.folder, mesh.file);
  mesh.content_type = given.text("content_type");
  if (const MjcfValue* value = given.find("vertex")) mesh.vertices = value->numbers;
  if (const MjcfValue* value = given.find("face")) mesh.faces = value->numbers;
  mesh.builtin = given.text("builtin");
  for (const char* other : {"file", "vertex"})
    if (!mesh.builtin.empty() && given.has(other)) given.fail_at("builtin", "is given together with ", other);
  if (!mesh.builtin.empty() && !given.has("params")) given.fail_at("params", "is missing");
  if (const MjcfValue* value = given.find("params")) mesh.params = value->numbers;
  given.read("scale", mesh.scale);
  given.read("refpos", mesh.reference.p);
  std::array<double, 4> wxyz{1, 0, 0, 0};
  if (given.read("refquat", wxyz)) mesh.reference.q = normalize(quat(wxyz.data()));
  mesh.inertia = given.word("inertia", mesh.inertia);
  mesh.max_hull_vertices = given.integer("maxhullvert", mesh.max_hull_vertices);
  if (given.has("maxhullvert") && mesh.max_hull_vertices != -1 && mesh.max_hull_vertices < 4)
    given.fail_at("maxhullvert", "is at least 4, or -1 for any number, not ", mesh.max_hull_vertices);
  return mesh;
}

HeightfieldSpec heightfield_spec(const MjcfReading& in, const MjcfAttributes& given) {
  HeightfieldSpec field;
  field.place = given.node->place;
  field.name = asset_name(given);
  read_file(in, given, field.folder, field.file);
  field.content_type = given.text("content_type");
  field.rows = given.integer("nrow", 0);
  field.columns = given.integer("ncol", 0);
  if (!given.read("size", field.size)) given.fail_at("size", "is missing");
  if (const MjcfValue* value = given.find("elevation")) field.elevation = value->numbers;
  return field;
}

}  // namespace

void read_assets(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("asset"))) {
    if (child.rule->id == "mesh") {
      in.spec.meshes.push_back(mesh_spec(in, read_with_class(in, child, "")));
      ruled_children(in, *child.node, *child.rule);
    } else if (child.rule->id == "hfield") {
      in.spec.heightfields.push_back(heightfield_spec(in, read_attributes(*child.node, *child.rule, in.messages)));
    } else {
      read_model_asset(in, read_attributes(*child.node, *child.rule, in.messages));
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION
