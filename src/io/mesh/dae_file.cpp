// DAE files (COLLADA 1.4 and 1.5): the triangles and polygons of the geometries that the scene shows, where its nodes
// place them, in metres and with z up. A file without a scene shows all of its geometries.
//
// Elements refer to each other by id, so parts may be shown many times, and by each other: what is copied is counted
// against the limits, and nodes inside nodes have a depth.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "base/fail.h"
#include "io/mesh/mesh_files.h"
#include "io/xml/numbers.h"
#include "io/xml/xml.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A frame that may stretch, too.
struct Placing {
  Mat33d A = mat33_identity<double>();
  Vec3d p{};

  Vec3d operator()(Vec3d v) const { return A * v + p; }
};
Placing operator*(const Placing& a, const Placing& b) { return {a.A * b.A, a(b.p)}; }

// What a list of polygons is made of: places of the vertices among the numbers of each corner.
struct Corners {
  int stride = 0, vertex = -1;
};

class DaeReader {
 public:
  DaeReader(const XmlNode& root, XmlBudget& budget) : root_(root), budget_(budget) { note_ids(root); }

  RawMesh read();

 private:
  void note_ids(const XmlNode& node);
  const XmlNode& referred(const XmlNode& node, const char* attribute) const;
  Placing upright() const;
  Placing own_placing(const XmlNode& node) const;
  void show_node(const XmlNode& node, const Placing& around, int depth);
  void show_geometry(const XmlNode& geometry, const Placing& X);
  const RawMesh& geometry_of(const XmlNode& geometry);
  Corners corners_of(const XmlNode& list, std::string& vertices) const;
  std::vector<Vec3d> positions(const XmlNode& vertices) const;
  void add_list(const XmlNode& list, const XmlNode& mesh, RawMesh& into);
  void add_polygons(const XmlNode& list, const Corners& corners, RawMesh& into, int first) const;
  std::vector<double> numbers_in(const XmlNode& node) const;
  std::vector<int> indices_in(const XmlNode& node) const;

  const XmlNode& root_;
  XmlBudget& budget_;
  std::unordered_map<std::string, const XmlNode*> by_id_{};
  std::unordered_map<const XmlNode*, RawMesh> geometries_{};
  RawMesh mesh_{};
};

const XmlNode* child_of(const XmlNode& node, std::string_view name) {
  for (const XmlNode& child : node.children)
    if (child.name == name) return &child;
  return nullptr;
}

std::string attribute_of(const XmlNode& node, const char* name) {
  const std::string* value = node.find(name);
  return value ? *value : "";
}

void DaeReader::note_ids(const XmlNode& node) {
  if (const std::string* id = node.find("id")) by_id_.emplace(*id, &node);
  for (const XmlNode& child : node.children) note_ids(child);
}

const XmlNode& DaeReader::referred(const XmlNode& node, const char* attribute) const {
  const std::string name = attribute_of(node, attribute);
  const auto found = by_id_.find(name.starts_with('#') ? name.substr(1) : name);
  if (found == by_id_.end()) fail(at_place(node.place, node.name, attribute), "there is nothing called '", name, "'");
  return *found->second;
}

std::vector<double> DaeReader::numbers_in(const XmlNode& node) const {
  std::vector<double> numbers;
  std::string_view line = node.text;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    double value = 0;
    if (const char* problem = parse_number(word, value)) fail_at(node, "'", word, "' ", problem);
    numbers.push_back(value);
  }
  return numbers;
}

std::vector<int> DaeReader::indices_in(const XmlNode& node) const {
  std::vector<int> indices;
  std::string_view line = node.text;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0)
      fail_at(node, "'", word, "' is no index");
    indices.push_back(value);
  }
  return indices;
}

// From the axes and the unit of the file.
Placing DaeReader::upright() const {
  Placing X;
  const XmlNode* asset = child_of(root_, "asset");
  const XmlNode* up = asset ? child_of(*asset, "up_axis") : nullptr;
  const XmlNode* unit = asset ? child_of(*asset, "unit") : nullptr;
  std::string_view line = up ? std::string_view(up->text) : "Y_UP";
  const std::string_view axis = take_word(line);
  if (axis == "Y_UP") X.A = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
  else if (axis == "X_UP") X.A = {{0, -1, 0}, {0, 0, -1}, {1, 0, 0}};
  else if (axis != "Z_UP") fail_at(*up, "'", axis, "' is none of: X_UP, Y_UP, Z_UP");
  if (unit && unit->find("meter")) {
    double metres = 0;
    const char* problem = parse_number(attribute_of(*unit, "meter"), metres);
    if (problem || !(metres > 0)) fail_at(*unit, "'", attribute_of(*unit, "meter"), "' is no length");
    X.A = X.A * metres;
  }
  return X;
}

Vec3d unit_vector(const XmlNode& node, Vec3d v) {
  const double norm = length(v);
  if (!(norm > 0)) fail_at(node, "has no direction");
  return v * (1 / norm);
}

// From where it looks: x to the right, y upwards, z backwards.
Placing look_at(const XmlNode& node, const std::vector<double>& n) {
  const Vec3d eye{n[0], n[1], n[2]}, target{n[3], n[4], n[5]};
  const Vec3d z = unit_vector(node, eye - target), x = unit_vector(node, cross(Vec3d{n[6], n[7], n[8]}, z));
  return {transpose(Mat33d{x, cross(z, x), z}), eye};
}

// A node's transformations are applied from the last to the first.
Placing DaeReader::own_placing(const XmlNode& node) const {
  Placing X;
  for (const XmlNode& child : node.children) {
    const auto numbers = [&](std::size_t count) {
      std::vector<double> n = numbers_in(child);
      if (n.size() != count) fail_at(child, "expected ", count, " numbers, has ", n.size());
      return n;
    };
    if (child.name == "translate") {
      const std::vector<double> n = numbers(3);
      X = X * Placing{mat33_identity<double>(), {n[0], n[1], n[2]}};
    } else if (child.name == "rotate") {
      const std::vector<double> n = numbers(4);
      const double half = n[3] * (3.14159265358979323846 / 360);
      const Vec3d v = unit_vector(child, {n[0], n[1], n[2]}) * std::sin(half);
      X = X * Placing{mat33_from_quat(Quatd{v.x, v.y, v.z, std::cos(half)}), {}};
    } else if (child.name == "scale") {
      const std::vector<double> n = numbers(3);
      X = X * Placing{mat33_diagonal(Vec3d{n[0], n[1], n[2]}), {}};
    } else if (child.name == "matrix") {
      const std::vector<double> n = numbers(16);
      X = X * Placing{{{n[0], n[1], n[2]}, {n[4], n[5], n[6]}, {n[8], n[9], n[10]}}, {n[3], n[7], n[11]}};
    } else if (child.name == "lookat") {
      X = X * look_at(child, numbers(9));
    } else if (child.name == "skew") {
      fail_at(child, "is not supported");
    }
  }
  return X;
}

// A skin or a morph shows the geometry that it starts from.
const XmlNode* skinned(const XmlNode& controller) {
  for (const XmlNode& child : controller.children)
    if (child.name == "skin" || child.name == "morph") return &child;
  return nullptr;
}

void DaeReader::show_node(const XmlNode& node, const Placing& around, int depth) {
  if (depth > budget_.limits.depth) fail_at(node, "more than ", budget_.limits.depth, " levels deep (limits.depth)");
  budget_.count_numbers(16, at_place(node.place, node.name));
  const Placing X = around * own_placing(node);
  for (const XmlNode& child : node.children) {
    if (child.name == "node") show_node(child, X, depth + 1);
    if (child.name == "instance_node") show_node(referred(child, "url"), X, depth + 1);
    if (child.name == "instance_geometry") show_geometry(referred(child, "url"), X);
    if (child.name == "instance_controller")
      if (const XmlNode* skin = skinned(referred(child, "url"))) show_geometry(referred(*skin, "source"), X);
  }
}

void DaeReader::show_geometry(const XmlNode& geometry, const Placing& X) {
  const RawMesh& own = geometry_of(geometry);
  const auto count = static_cast<std::int64_t>(own.vertices.size() + own.faces.size());
  budget_.count_numbers(3 * count + 1, at_place(geometry.place, geometry.name));
  const int first = static_cast<int>(mesh_.vertices.size());
  for (const Vec3d& v : own.vertices) {
    const Vec3d placed = X(v);
    mesh_.vertices.push_back({double(float(placed.x)), double(float(placed.y)), double(float(placed.z))});
  }
  const bool mirrored = determinant(X.A) < 0;
  for (const std::array<int, 3>& face : own.faces) {
    mesh_.faces.push_back({first + face[0], first + face[1], first + face[2]});
    if (mirrored) std::swap(mesh_.faces.back()[1], mesh_.faces.back()[2]);
  }
}

const RawMesh& DaeReader::geometry_of(const XmlNode& geometry) {
  const auto [entry, added] = geometries_.emplace(&geometry, RawMesh{});
  const XmlNode* mesh = child_of(geometry, "mesh");
  if (!mesh) mesh = child_of(geometry, "convex_mesh");
  if (!added || !mesh) return entry->second;
  for (const XmlNode& child : mesh->children)
    if (child.name == "triangles" || child.name == "polylist" || child.name == "polygons")
      add_list(child, *mesh, entry->second);
  return entry->second;
}

Corners DaeReader::corners_of(const XmlNode& list, std::string& vertices) const {
  Corners corners;
  for (const XmlNode& input : list.children) {
    if (input.name != "input") continue;
    double offset = 0;
    constexpr double kMostInputs = 1000;
    const std::string given = attribute_of(input, "offset");
    if (!given.empty() &&
        (parse_number(given, offset) || !(offset >= 0 && offset < kMostInputs) || offset != std::floor(offset)))
      fail(at_place(input.place, input.name, "offset"), "'", given, "' is no small integer");
    corners.stride = std::max(corners.stride, static_cast<int>(offset) + 1);
    if (attribute_of(input, "semantic") != "VERTEX") continue;
    corners.vertex = static_cast<int>(offset);
    vertices = attribute_of(input, "source");
  }
  if (corners.vertex < 0) fail_at(list, "has no <input> with semantic VERTEX");
  return corners;
}

// <vertices> names the source of the positions, and its accessor how they stand in there.
std::vector<Vec3d> DaeReader::positions(const XmlNode& vertices) const {
  const XmlNode* source = vertices.name == "source" ? &vertices : nullptr;
  for (const XmlNode& input : vertices.children)
    if (input.name == "input" && attribute_of(input, "semantic") == "POSITION") source = &referred(input, "source");
  const XmlNode* array = source ? child_of(*source, "float_array") : nullptr;
  if (!array) fail_at(vertices, "has no positions in a <float_array>");
  std::size_t stride = 3, first = 0;
  const XmlNode* technique = child_of(*source, "technique_common");
  if (const XmlNode* accessor = technique ? child_of(*technique, "accessor") : nullptr) {
    constexpr double kMost = 1e6;
    for (const auto& [name, value] : {std::pair("stride", &stride), std::pair("offset", &first)}) {
      double given = double(*value);
      if (accessor->find(name) &&
          (parse_number(attribute_of(*accessor, name), given) || !(given >= 0 && given < kMost)))
        fail(at_place(accessor->place, accessor->name, name), "is no small integer");
      *value = static_cast<std::size_t>(given);
    }
  }
  if (stride < 3) fail_at(*array, "positions have ", stride, " numbers, expected 3");
  const std::vector<double> numbers = numbers_in(*array);
  std::vector<Vec3d> result;
  for (std::size_t k = first; k + 2 < numbers.size(); k += stride)
    result.push_back({numbers[k], numbers[k + 1], numbers[k + 2]});
  return result;
}

void DaeReader::add_list(const XmlNode& list, const XmlNode& mesh, RawMesh& into) {
  std::string name;
  const Corners corners = corners_of(list, name);
  const XmlNode* vertices = nullptr;
  for (const XmlNode& child : mesh.children)
    if ("#" + attribute_of(child, "id") == name) vertices = &child;
  if (!vertices) fail_at(list, "there are no vertices '", name, "'");
  const std::vector<Vec3d> points = positions(*vertices);
  budget_.count_numbers(3 * static_cast<std::int64_t>(points.size()), at_place(list.place, list.name));
  const int first = static_cast<int>(into.vertices.size());
  into.vertices.insert(into.vertices.end(), points.begin(), points.end());
  add_polygons(list, corners, into, first);
}

// Polygons become fans of triangles. <polygons> has one list of corners for each (holes are filled), <polylist> says
// how many corners each has, and triangles have three.
void DaeReader::add_polygons(const XmlNode& list, const Corners& corners, RawMesh& into, int first) const {
  const auto stride = static_cast<std::size_t>(corners.stride);
  const auto count = static_cast<int>(into.vertices.size()) - first;
  const auto add = [&](const XmlNode& node, const std::vector<int>& indices, std::size_t begin,
                       std::size_t corner_count) {
    if (corner_count < 3) return;  // a point or a line
    if (begin + corner_count * stride > indices.size()) fail_at(node, "has too few indices");
    const auto corner = [&](std::size_t k) {
      const int index = indices[begin + k * stride + static_cast<std::size_t>(corners.vertex)];
      if (index >= count) fail_at(node, "there is no vertex ", index, ", there are ", count);
      return first + index;
    };
    for (std::size_t k = 2; k < corner_count; ++k) into.faces.push_back({corner(0), corner(k - 1), corner(k)});
  };
  const XmlNode* counts = list.name == "polylist" ? child_of(list, "vcount") : nullptr;
  for (const XmlNode& child : list.children) {
    const XmlNode* p = child.name == "ph" ? child_of(child, "p") : child.name == "p" ? &child : nullptr;
    if (!p) continue;
    const std::vector<int> indices = indices_in(*p);
    std::size_t begin = 0;
    if (list.name == "polygons") {
      add(*p, indices, 0, indices.size() / stride);
    } else if (counts) {
      for (const int corner_count : indices_in(*counts)) {
        add(*p, indices, begin, static_cast<std::size_t>(corner_count));
        begin += static_cast<std::size_t>(corner_count) * stride;
      }
    } else {
      for (; begin + 3 * stride <= indices.size(); begin += 3 * stride) add(*p, indices, begin, 3);
    }
  }
}

// A hull is that of all vertices, so those that no triangle has are taken away.
RawMesh without_unused(RawMesh mesh) {
  std::vector<int> number(mesh.vertices.size(), -1);
  std::vector<Vec3d> vertices;
  for (std::array<int, 3>& face : mesh.faces)
    for (int& corner : face) {
      int& known = number[static_cast<std::size_t>(corner)];
      if (known < 0) {
        known = static_cast<int>(vertices.size());
        vertices.push_back(mesh.vertices[static_cast<std::size_t>(corner)]);
      }
      corner = known;
    }
  return {std::move(vertices), std::move(mesh.faces)};
}

RawMesh DaeReader::read() {
  if (root_.name != "COLLADA") fail_at(root_, "expected <COLLADA>");
  const Placing X = upright();
  const XmlNode* scene = child_of(root_, "scene");
  const XmlNode* shown = scene ? child_of(*scene, "instance_visual_scene") : nullptr;
  if (shown) {
    for (const XmlNode& node : referred(*shown, "url").children)
      if (node.name == "node") show_node(node, X, 1);
    return without_unused(std::move(mesh_));
  }
  for (const XmlNode& library : root_.children)
    if (library.name == "library_geometries")
      for (const XmlNode& geometry : library.children)
        if (geometry.name == "geometry") show_geometry(geometry, X);
  return without_unused(std::move(mesh_));
}

}  // namespace

RawMesh parse_dae(const std::string& content, const std::string& name, const FileLimits& limits) {
  XmlBudget budget{limits};
  const XmlNode root = parse_xml(content, name, budget);
  return DaeReader(root, budget).read();
}

}  // namespace carom::inline CAROM_PRECISION
