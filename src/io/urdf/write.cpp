// to_urdf() and save_urdf().
#include "io/urdf/write.h"

#include <filesystem>

#include "io/one_world.h"
#include "io/urdf/attributes.h"

namespace carom::inline CAROM_PRECISION {

void UrdfLosses::add(const std::string& kind, const std::string& name) {
  const auto [at, added] = place_.emplace(kind, kinds_.size());
  if (added) kinds_.push_back({kind, {}});
  if (!name.empty()) kinds_[at->second].second.push_back(name);
}

std::vector<std::string> UrdfLosses::lines() const {
  std::vector<std::string> all;
  for (const auto& [kind, names] : kinds_) {
    std::string line = kind;
    for (std::size_t i = 0; i < names.size(); ++i) line += (i == 0 ? ": " : ", ") + names[i];
    all.push_back(std::move(line));
  }
  return all;
}

std::string free_name(std::set<std::string>& used, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !used.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

XmlElement& add_named(XmlElement& parent, const char* tag, const std::string& name) {
  XmlElement& element = parent.add(tag);
  element.set("name", name);
  return element;
}

void set_origin(XmlElement& element, const Transformd& X) {
  const Vec3 p = to_real(X.p), rpy = to_real(rpy_from_quat(X.q));
  const bool turned = X.q.x != 0 || X.q.y != 0 || X.q.z != 0;
  if (p == Vec3{} && !turned) return;
  XmlElement& origin = element.add("origin");
  origin.set("xyz", p);
  if (turned) origin.set("rpy", rpy);
}

WrittenUrdf to_urdf(const Model& model, int world, const std::string& mesh_folder) {
  UrdfWriting w{on_the_cpu(model), chosen_world(model, world, "to_urdf", "URDF"), mesh_folder};
  w.bodies = rows_of_world(w.m, Entity::kBody, w.world);
  w.shapes = rows_of_world(w.m, Entity::kShape, w.world);
  w.joints = rows_of_world(w.m, Entity::kJoint, w.world);
  w.root.set("name", w.m.world_count > 0 && !w.m.world_key(w.world).empty() ? w.m.world_key(w.world) : "carom");
  plan_urdf_links(w);
  plan_urdf_mimics(w);
  write_urdf_links(w);
  write_urdf_joints(w);
  write_urdf_transmissions(w);
  list_urdf_losses(w);
  return {xml_text(w.root), std::move(w.meshes), w.lost.lines()};
}

std::vector<std::string> save_urdf(const Model& model, const std::string& path, int world) {
  namespace fs = std::filesystem;
  const std::string folder = fs::path(path).stem().string() + "_meshes";
  const WrittenUrdf written = to_urdf(model, world, folder);
  std::error_code error;  // where there is no folder, the file in it says so
  if (!written.meshes.empty()) fs::create_directory(fs::path(path).parent_path() / folder, error);
  for (const UrdfMeshFile& mesh : written.meshes)
    save_text_file((fs::path(path).parent_path() / mesh.name).string(), mesh.content);
  save_text_file(path, written.text);
  return written.lost;
}

}  // namespace carom::inline CAROM_PRECISION
