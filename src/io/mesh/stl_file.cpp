// STL files, binary or text: triangles without shared vertices. Corners that are the same point to the bit (as in
// MuJoCo: -0 is not 0) are one vertex here; a table of them, open addressing with linear probing, finds it again.
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/fail.h"
#include "io/mesh/mesh_files.h"
#include "io/xml/numbers.h"

namespace carom::inline CAROM_PRECISION {

namespace {

using Point = std::array<float, 3>;

class PointTable {
 public:
  explicit PointTable(std::size_t most) : slots_(std::bit_ceil(2 * most + 1), -1) {}

  // The number of the point, a new one if it was not met before.
  int number_of(const Point& p, std::vector<Vec3d>& vertices) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(p) & mask;
    for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
      const Vec3d& v = vertices[static_cast<std::size_t>(slots_[slot])];
      if (same_bits(v.x, p[0]) && same_bits(v.y, p[1]) && same_bits(v.z, p[2])) return slots_[slot];
    }
    slots_[slot] = static_cast<int>(vertices.size());
    vertices.push_back({p[0], p[1], p[2]});
    return slots_[slot];
  }

 private:
  static bool same_bits(double a, float b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(double{b});
  }
  static std::size_t hash(const Point& p) {
    std::uint64_t h = 0;
    for (const float x : p) {
      h = (h ^ std::bit_cast<std::uint32_t>(x)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h;
  }

  std::vector<int> slots_;
};

std::array<int, 3> numbered(const std::array<Point, 3>& corners, PointTable& table, RawMesh& mesh,
                            const std::string& name) {
  std::array<int, 3> face{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const float x : corners[k])
      if (!std::isfinite(x)) fail(name, ": a coordinate is not finite");
    face[k] = table.number_of(corners[k], mesh.vertices);
  }
  return face;
}

// "vertex X Y Z", three of them in each facet; nothing else counts.
RawMesh parse_stl_text(const std::string& content, const std::string& name) {
  constexpr std::size_t kShortest = 12;  // of "vertex 0 0 0"
  PointTable table(content.size() / kShortest);
  RawMesh mesh;
  std::string_view rest = content;
  std::array<Point, 3> corners{};
  for (std::size_t corner = 0;;) {
    const std::string_view word = take_word(rest);
    if (word.empty()) {
      if (corner != 0) fail(name, ": the last facet has ", corner, " vertices, expected 3");
      return mesh;
    }
    if (word != "vertex") continue;
    for (float& x : corners[corner]) {
      double value = 0;
      const std::string_view number = take_word(rest);
      if (const char* problem = parse_number(number, value)) fail(name, ": '", number, "' ", problem);
      x = static_cast<float>(value);
    }
    if (++corner < 3) continue;
    corner = 0;
    mesh.faces.push_back(numbered(corners, table, mesh, name));
  }
}

bool is_stl_text(const std::string& content) {
  return content.starts_with("solid") && content.find("facet") != std::string::npos;
}

}  // namespace

RawMesh parse_stl(const std::string& content, const std::string& name) {
  constexpr std::size_t kHeader = 84, kTriangle = 50;
  if (content.size() < kHeader && is_stl_text(content)) return parse_stl_text(content, name);
  if (content.size() < kHeader) fail(name, ": not a binary STL file: it is too short");
  std::uint32_t count;
  std::memcpy(&count, content.data() + 80, sizeof count);
  const std::uint64_t expected = kHeader + count * kTriangle;
  if (content.size() != expected && is_stl_text(content)) return parse_stl_text(content, name);
  if (content.size() != expected)
    fail(name, ": not a binary STL file: ", content.size(), " bytes are too ",
         content.size() < expected ? "few" : "many", " for ", count, " triangles");
  RawMesh mesh;
  mesh.faces.reserve(count);
  mesh.vertices.reserve(count);  // closed meshes have half as many
  PointTable table(3 * std::size_t{count});
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Point, 3> corners;
    std::memcpy(&corners, content.data() + kHeader + i * kTriangle + 12, sizeof corners);
    mesh.faces.push_back(numbered(corners, table, mesh, name));
  }
  return mesh;
}

}  // namespace carom::inline CAROM_PRECISION
