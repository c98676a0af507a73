// Grids: flat ones, boxes, and what is made of both by moving their points onto discs, cylinders and ellipsoids.
#include <algorithm>
#include <cmath>
#include <map>

#include "io/mjcf/builtin_meshes.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct Grid {
  std::array<int, 3> count;
  Vec3d spacing;

  Vec3d half() const {
    return {spacing.x * (count[0] - 1) / 2, spacing.y * (count[1] - 1) / 2, spacing.z * (count[2] - 1) / 2};
  }
  Vec3d point(int i, int j, int k) const { return Vec3d{i * spacing.x, j * spacing.y, k * spacing.z} - half(); }
};

// -- Flat

Vec3d onto_disc(Vec3d v, Vec3d half) {
  const double far = std::max(std::abs(v.x), std::abs(v.y)), reach = std::hypot(v.x, v.y);
  const double scale = reach > 0 ? far / reach : 0;
  return {v.x * scale * half.x, v.y * scale * half.y, v.z};  // both, as MuJoCo has it
}

// Cells are cut along the diagonal that points to the middle, where there is one.
RawMesh flat(const Grid& grid, bool disc) {
  RawMesh mesh;
  const int columns = grid.count[0], rows = grid.count[1];
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j) {
      const Vec3d v = grid.point(i, j, 0);
      mesh.vertices.push_back(disc ? onto_disc(v, grid.half()) : v);
    }
  for (int i = 0; i + 1 < columns; ++i)
    for (int j = 0; j + 1 < rows; ++j) {
      const int a = i * rows + j, b = a + rows;
      const bool other = disc && (2 * i < columns - 1) != (2 * j < rows - 1);
      mesh.faces.push_back({a, b, other ? a + 1 : b + 1});
      mesh.faces.push_back({other ? b : a, b + 1, a + 1});
    }
  return mesh;
}

// -- Around a box

// A side of a box: what is across it, at its low or high end, and which axes count its points, the last one fastest.
struct Side {
  int across, first, second;
  bool high, flipped;  // flipped: seen from outside, first x second points inward
};

constexpr Side kBottom{2, 0, 1, false, true}, kTop{2, 0, 1, true, false};
constexpr Side kWalls[] = {
    {1, 0, 2, false, false}, {1, 0, 2, true, true}, {0, 1, 2, false, true}, {0, 1, 2, true, false}};

class BoxSurface {
 public:
  BoxSurface(const Grid& grid, const std::string& kind, RawMesh& mesh) : grid_(grid), kind_(kind), mesh_(mesh) {}

  void add(const Side& side) {
    for (int i = 0; i < grid_.count[static_cast<std::size_t>(side.first)]; ++i)
      for (int j = 0; j < grid_.count[static_cast<std::size_t>(side.second)]; ++j) vertex(side, i, j);
    for (int i = 0; i + 1 < grid_.count[static_cast<std::size_t>(side.first)]; ++i)
      for (int j = 0; j + 1 < grid_.count[static_cast<std::size_t>(side.second)]; ++j) add_cell(side, i, j);
  }

 private:
  // The number of a point, which is added when it is met first.
  int vertex(const Side& side, int i, int j) {
    std::array<int, 3> at{};
    at[static_cast<std::size_t>(side.across)] = side.high ? grid_.count[static_cast<std::size_t>(side.across)] - 1 : 0;
    at[static_cast<std::size_t>(side.first)] = i;
    at[static_cast<std::size_t>(side.second)] = j;
    const auto [found, is_new] = numbers_.try_emplace(at, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(bent(at));
    return found->second;
  }

  void add_cell(const Side& side, int i, int j) {
    const int a = vertex(side, i, j), b = vertex(side, i + 1, j), c = vertex(side, i + 1, j + 1);
    const int d = vertex(side, i, j + 1);
    if (side.across == 2 && side.flipped) mesh_.faces.insert(mesh_.faces.end(), {{a, c, b}, {a, d, c}});
    else if (side.flipped) mesh_.faces.insert(mesh_.faces.end(), {{b, a, d}, {b, d, c}});
    else mesh_.faces.insert(mesh_.faces.end(), {{a, b, c}, {a, c, d}});
  }

  Vec3d bent(const std::array<int, 3>& at) const {
    Vec3d u;
    for (int k = 0; k < 3; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      u[k] = 2.0 * at[axis] / (grid_.count[axis] - 1) - 1;
    }
    const double wide = std::max(std::abs(u.x), std::abs(u.y)), flat = std::hypot(u.x, u.y);
    if (kind_ == "cylinder" && flat > 0) u = {u.x * wide / flat, u.y * wide / flat, u.z};
    if (kind_ == "ellipsoid") u = u * (std::max(wide, std::abs(u.z)) / length(u));
    const Vec3d half = grid_.half();
    return {u.x * half.x, u.y * half.y, u.z * half.z};
  }

  const Grid& grid_;
  const std::string& kind_;
  RawMesh& mesh_;
  std::map<std::array<int, 3>, int> numbers_;
};

// Solid ones have a point in the middle and are the hull of their points, open ones have no top.
RawMesh around_box(const Grid& grid, const std::string& kind, bool is_solid) {
  RawMesh mesh;
  if (is_solid) mesh.vertices.push_back({0, 0, 0});
  BoxSurface surface(grid, kind, mesh);
  surface.add(kBottom);
  if (is_solid) surface.add(kTop);
  for (const Side& wall : kWalls) surface.add(wall);
  if (is_solid) mesh.faces.clear();
  return mesh;
}

RawMesh solid_grid(const Grid& grid) {
  RawMesh mesh;
  for (int i = 0; i < grid.count[0]; ++i)
    for (int j = 0; j < grid.count[1]; ++j)
      for (int k = 0; k < grid.count[2]; ++k) mesh.vertices.push_back(grid.point(i, j, k));
  return mesh;
}

bool is_flat(const std::string& kind) { return kind == "square" || kind == "disc"; }

int dimension(const BuiltinParams& params) { return params.spec.params.size() > 6 ? params.integer(6, 2, 3) : 3; }

}  // namespace

bool is_builtin_grid(const std::string& kind) {
  constexpr const char* kKinds[] = {"grid", "box", "cylinder", "ellipsoid", "square", "disc"};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

bool is_builtin_surface(const MeshSpec& spec) {
  return is_builtin_grid(spec.builtin) && (is_flat(spec.builtin) || (spec.params.size() > 6 && spec.params[6] < 3));
}

RawMesh builtin_grid(const BuiltinParams& params) {
  const std::string& kind = params.spec.builtin;
  params.expect(6, is_flat(kind) ? 6 : 7);
  const bool sheet = is_flat(kind) || (kind == "grid" && dimension(params) == 2);
  Grid grid;
  double points = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    const int least = sheet && k == 2 ? 1 : 2, most = sheet && k == 2 ? 1 : kMostBuiltinPoints;
    grid.count[k] = params.integer(k, least, most);
    points *= grid.count[k];
    grid.spacing[static_cast<int>(k)] = params.number(3 + k, -1e9, 1e9);
  }
  if (points > kMostBuiltinPoints) params.refuse("has ", points, " points, more than ", kMostBuiltinPoints);
  if (sheet) return flat(grid, kind == "disc");
  return kind == "grid" ? solid_grid(grid) : around_box(grid, kind, dimension(params) == 3);
}

}  // namespace carom::inline CAROM_PRECISION
