// OBJ files. Most lines of most files are here, so a line is taken apart where it stands, and nothing is written about
// it unless it is wrong.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/fail.h"
#include "io/mesh/mesh_files.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct ObjReader {
  const std::string& name;
  RawMesh mesh{};
  int line = 0;
  std::vector<int> corners{};  // of a face, kept from line to line

  template <class... Parts>
  [[noreturn]] void fail_here(const Parts&... parts) const {
    fail(name, ":", line, ": ", parts...);
  }

  float coordinate(std::string_view word) const;
  int corner(std::string_view word) const;
  void add_polygon();
  void read_line(std::string_view rest);
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The next word of a line, empty at its end.
std::string_view next_word(std::string_view& line) {
  const char *at = line.data(), *const end = at + line.size();
  while (at != end && is_blank(*at)) ++at;
  const char* const first = at;
  while (at != end && !is_blank(*at)) ++at;
  line = {at, static_cast<std::size_t>(end - at)};
  return {first, static_cast<std::size_t>(at - first)};
}

float ObjReader::coordinate(std::string_view word) const {
  float value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) fail_here("'", word, "' is not a number");
  return value;
}

// Of "7", "7/1" or "7//3" the vertex, counted from 0; negative numbers count from the last vertex on.
int ObjReader::corner(std::string_view word) const {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number == 0)
    fail_here("'", word, "' is not a vertex");
  const std::int64_t place = number > 0 ? number - 1 : static_cast<std::int64_t>(mesh.vertices.size()) + number;
  if (place < 0 || place > 2147483647) fail_here("there is no vertex '", word, "'");
  return static_cast<int>(place);
}

// Four corners are cut along the shorter diagonal, more of them into a fan.
void ObjReader::add_polygon() {
  const auto known = [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < mesh.vertices.size(); };
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

void ObjReader::read_line(std::string_view rest) {
  ++line;
  const std::string_view kind = next_word(rest);
  if (kind == "v") {
    Vec3d v;
    for (int k = 0; k < 3; ++k) v[k] = coordinate(next_word(rest));
    mesh.vertices.push_back(v);
  } else if (kind == "f") {
    corners.clear();
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest))
      corners.push_back(corner(word));
    if (corners.size() < 3) fail_here("a face has at least three vertices");
    add_polygon();
  }
}

}  // namespace

RawMesh parse_obj(const std::string& content, const std::string& name) {
  ObjReader reader{name};
  const char *at = content.data(), *const end = at + content.size();
  while (at != end) {
    const void* const found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    const char* const stop = found ? static_cast<const char*>(found) : end;
    reader.read_line({at, static_cast<std::size_t>(stop - at)});
    at = found ? stop + 1 : end;
  }
  return std::move(reader.mesh);
}

}  // namespace carom::inline CAROM_PRECISION
