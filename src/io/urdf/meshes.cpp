// Files are read one after the other, since they count against one budget, and parsed side by side.
#include <utility>

#include "io/urdf/meshes.h"

#include "carom/error.h"
#include "io/mesh/mesh_files.h"
#include "io/mesh/parallel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::array<double, 3> factors_of(const UrdfShape& shape) { return {shape.size.x, shape.size.y, shape.size.z}; }

// Where the scale mirrors, triangles are turned to be seen from outside again.
std::shared_ptr<const Mesh> scaled_mesh(const RawMesh& raw, const std::array<double, 3>& factors,
                                        const std::string& where) {
  const Vec3d scale{factors[0], factors[1], factors[2]};
  std::vector<Vec3> vertices;
  for (const Vec3d& v : raw.vertices) {
    vertices.push_back(to_real(Vec3d{v.x * scale.x, v.y * scale.y, v.z * scale.z}));
    if (!is_finite(vertices.back())) fail(where, "with this scale a coordinate is not finite");
  }
  const bool mirrored = scale.x * scale.y * scale.z < 0;
  std::vector<int> indices;
  for (const std::array<int, 3>& face : raw.faces) {
    indices.insert(indices.end(), face.begin(), face.end());
    if (mirrored) std::swap(indices[indices.size() - 1], indices[indices.size() - 2]);
  }
  return std::make_shared<const Mesh>(std::move(vertices), std::move(indices));
}

}  // namespace

void UrdfMeshes::note(const UrdfShape& shape, bool needed) {
  if (shape.geometry != UrdfGeometry::kMesh) return;
  const auto [entry, added] = by_name_.emplace(shape.file, static_cast<int>(files_.size()));
  if (added) {
    if (static_cast<int>(files_.size()) >= budget_.limits.files)
      fail(at_place(shape.place, "mesh"), "more than ", budget_.limits.files, " mesh files (limits.files)");
    File file{"", at_place(shape.place, "mesh", "filename"), ""};
    file.needed = needed;
    try {
      file.path = paths_.find(shape.file, file.where);
      file.content = read_text_file(file.path, budget_, file.where);
    } catch (const Error& error) {
      if (needed) throw;
      file.problem = error.what();
    }
    files_.push_back(std::move(file));
  }
  File& file = files_[static_cast<std::size_t>(entry->second)];
  // Showing a file again, in another size or with another hull, takes a few words.
  if (!added) budget_.count_numbers(16 + static_cast<std::int64_t>(file.content.size()) / 4, file.where);
  file.needed = file.needed || needed;
  file.scaled.emplace(factors_of(shape), nullptr);
}

void UrdfMeshes::read(const std::vector<const UrdfShape*>& needed, const std::vector<const UrdfShape*>& optional) {
  for (const UrdfShape* shape : needed) note(*shape, true);
  for (const UrdfShape* shape : optional) note(*shape, false);
  for_each_on_threads(files_.size(), [&](std::size_t i) {
    File& file = files_[i];
    if (!file.problem.empty()) return;
    try {
      const RawMesh raw = parse_mesh_file(file.content, file.path, "", budget_.limits);
      for (auto& [scale, mesh] : file.scaled) mesh = scaled_mesh(raw, scale, file.where);
    } catch (const Error& error) {
      const std::string message = error.what();
      file.problem = message.starts_with(file.where) ? message : file.where + message;
      if (file.needed) fail(file.problem);
    }
    file.content = {};
  });
  for (const File& file : files_)
    if (!file.problem.empty()) warnings_.add(file.problem + "; what shows it is left out");
}

std::shared_ptr<const Mesh> UrdfMeshes::mesh_of(const UrdfShape& shape) const {
  const File& file = files_[static_cast<std::size_t>(by_name_.at(shape.file))];
  return file.scaled.at(factors_of(shape));
}

}  // namespace carom::inline CAROM_PRECISION
