// Readers of mesh files. Coordinates are single precision in all of them, and are rounded to it in those that are text.
#include "io/mjcf/mesh_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

namespace carom::inline CAROM_PRECISION {

namespace {

std::string lower_ending(const std::string& name) {
  const std::size_t dot = name.find_last_of('.');
  std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending;
}

// The next word of a line.
std::string_view next_word(std::string_view& line) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return line = {};
  const std::size_t end = std::min(line.find_first_of(kBlank, first), line.size());
  const std::string_view word = line.substr(first, end - first);
  line.remove_prefix(end);
  return word;
}

float parse_coordinate(std::string_view word, const std::string& where) {
  float value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) fail(where, "'", word, "' is not a number");
  return value;
}

// Of "7", "7/1" or "7//3" the vertex, counted from 0; negative numbers count from the last vertex on.
int parse_corner(std::string_view word, std::size_t vertices, const std::string& where) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number == 0)
    fail(where, "'", word, "' is not a vertex");
  const std::int64_t place = number > 0 ? number - 1 : static_cast<std::int64_t>(vertices) + number;
  if (place < 0 || place > 2147483647) fail(where, "there is no vertex '", word, "'");
  return static_cast<int>(place);
}

// Four corners are cut along the shorter diagonal, more of them into a fan.
void add_polygon(RawMesh& mesh, const std::vector<int>& corners) {
  const auto known = [&](int corner) { return corner >= 0 && static_cast<std::size_t>(corner) < mesh.vertices.size(); };
  if (corners.size() == 4 && std::all_of(corners.begin(), corners.end(), known)) {
    const auto distance = [&](std::size_t i, std::size_t j) {
      const auto a = static_cast<std::size_t>(corners[i]), b = static_cast<std::size_t>(corners[j]);
      return length(mesh.vertices[a] - mesh.vertices[b]);
    };
    if (distance(1, 3) <= distance(0, 2)) {
      mesh.faces.push_back({corners[0], corners[1], corners[3]});
      mesh.faces.push_back({corners[1], corners[2], corners[3]});
      return;
    }
  }
  for (std::size_t k = 2; k < corners.size(); ++k) mesh.faces.push_back({corners[0], corners[k - 1], corners[k]});
}

void parse_obj_line(RawMesh& mesh, std::string_view line, const std::string& where) {
  const std::string_view kind = next_word(line);
  if (kind == "v") {
    Vec3d v;
    for (int k = 0; k < 3; ++k) v[k] = parse_coordinate(next_word(line), where);
    mesh.vertices.push_back(v);
  } else if (kind == "f") {
    std::vector<int> corners;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
      corners.push_back(parse_corner(word, mesh.vertices.size(), where));
    if (corners.size() < 3) fail(where, "a face has at least three vertices");
    add_polygon(mesh, corners);
  }
}

RawMesh parse_obj(const std::string& content, const std::string& name) {
  RawMesh mesh;
  std::size_t begin = 0;
  for (int number = 1; begin < content.size(); ++number) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    parse_obj_line(mesh, std::string_view(content).substr(begin, end - begin), text(name, ":", number, ": "));
    begin = end + 1;
  }
  return mesh;
}

template <class T>
T read_bytes(const std::string& content, std::size_t place) {
  T value;
  std::memcpy(&value, content.data() + place, sizeof value);
  return value;
}

// Corners that are the same point are one vertex.
RawMesh parse_stl(const std::string& content, const std::string& name) {
  constexpr std::size_t kHeader = 84, kTriangle = 50;
  if (content.size() < kHeader) fail(name, ": not a binary STL file: it is too short");
  const std::uint64_t count = read_bytes<std::uint32_t>(content, 80);
  if (content.size() != kHeader + count * kTriangle)
    fail(name, ": not a binary STL file: ", content.size(), " bytes are too ",
         content.size() < kHeader + count * kTriangle ? "few" : "many", " for ", count, " triangles");
  RawMesh mesh;
  std::map<std::array<float, 3>, int> seen;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<int, 3> face{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t place = kHeader + i * kTriangle + 12 + 12 * corner;
      std::array<float, 3> p;
      for (std::size_t k = 0; k < 3; ++k) {
        p[k] = read_bytes<float>(content, place + 4 * k);
        if (!std::isfinite(p[k])) fail(name, ": a coordinate is not finite");
      }
      const auto [entry, added] = seen.emplace(p, static_cast<int>(mesh.vertices.size()));
      if (added) mesh.vertices.push_back({p[0], p[1], p[2]});
      face[corner] = entry->second;
    }
    mesh.faces.push_back(face);
  }
  return mesh;
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

RawMesh parse_mesh_file(const std::string& content, const std::string& name, const std::string& content_type) {
  const std::string ending = lower_ending(name);
  RawMesh mesh;
  if (content_type == "model/obj" || (content_type.empty() && ending == "obj")) mesh = parse_obj(content, name);
  else if (content_type == "model/stl" || (content_type.empty() && ending == "stl")) mesh = parse_stl(content, name);
  else if (content_type == "model/vnd.mujoco.msh" || (content_type.empty() && ending == "msh"))
    mesh = parse_msh(content, name);
  else fail(name, ": meshes are OBJ, STL or MSH files");
  check_mesh(mesh, name + ": ");
  return mesh;
}

}  // namespace carom::inline CAROM_PRECISION
