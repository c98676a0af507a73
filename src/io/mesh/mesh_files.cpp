// Mesh files by their kind, and MSH. Coordinates are single precision in all of them, and are rounded to it in those
// that are text.
#include "io/mesh/mesh_files.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::string lower_ending(const std::string& name) {
  const std::size_t dot = name.find_last_of('.');
  std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending;
}

template <class T>
T read_bytes(const std::string& content, std::size_t place) {
  T value;
  std::memcpy(&value, content.data() + place, sizeof value);
  return value;
}

// Four counts, and then vertices, normals, texture coordinates and faces.
RawMesh parse_msh(const std::string& content, const std::string& name) {
  constexpr std::size_t kHeader = 16;
  std::array<std::int64_t, 4> counts{};
  for (std::size_t k = 0; k < 4 && content.size() >= kHeader; ++k) counts[k] = read_bytes<std::int32_t>(content, 4 * k);
  const auto [vertices, normals, texcoords, faces] = counts;
  const bool negative = *std::min_element(counts.begin(), counts.end()) < 0;
  const std::int64_t expected = 16 + 12 * vertices + 12 * normals + 8 * texcoords + 12 * faces;
  if (content.size() < kHeader || negative || static_cast<std::int64_t>(content.size()) != expected)
    fail(name, ": not an MSH file: ", content.size(), " bytes do not fit its counts");
  RawMesh mesh;
  std::size_t place = kHeader;
  for (std::int64_t i = 0; i < vertices; ++i, place += 12)
    mesh.vertices.push_back({read_bytes<float>(content, place), read_bytes<float>(content, place + 4),
                             read_bytes<float>(content, place + 8)});
  place += static_cast<std::size_t>(12 * normals + 8 * texcoords);
  for (std::int64_t i = 0; i < faces; ++i, place += 12)
    mesh.faces.push_back(
        {read_bytes<int>(content, place), read_bytes<int>(content, place + 4), read_bytes<int>(content, place + 8)});
  return mesh;
}

}  // namespace

void check_mesh(const RawMesh& mesh, const std::string& where) {
  if (mesh.vertices.size() < 4) fail(where, "a mesh has at least 4 vertices, this one ", mesh.vertices.size());
  for (const Vec3d& v : mesh.vertices)
    if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) fail(where, "a coordinate is not finite");
  for (const std::array<int, 3>& face : mesh.faces)
    for (const int corner : face)
      if (corner < 0 || static_cast<std::size_t>(corner) >= mesh.vertices.size())
        fail(where, "a face has vertex ", corner, ", there are ", mesh.vertices.size());
}

RawMesh parse_mesh_file(const std::string& content, const std::string& name, const std::string& content_type,
                        const FileLimits& limits) {
  const std::string ending = lower_ending(name);
  RawMesh mesh;
  if (content_type == "model/obj" || (content_type.empty() && ending == "obj")) mesh = parse_obj(content, name);
  else if (content_type == "model/stl" || (content_type.empty() && ending == "stl")) mesh = parse_stl(content, name);
  else if (content_type == "model/vnd.mujoco.msh" || (content_type.empty() && ending == "msh"))
    mesh = parse_msh(content, name);
  else if (content_type == "model/vnd.collada+xml" || (content_type.empty() && ending == "dae"))
    mesh = parse_dae(content, name, limits);
  else fail(name, ": meshes are OBJ, STL, DAE or MSH files");
  check_mesh(mesh, name + ": ");
  return mesh;
}

}  // namespace carom::inline CAROM_PRECISION
