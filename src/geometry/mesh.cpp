// Triangle meshes: checks, volume, closedness and the two meshes that are made here (box and sphere).
#include <algorithm>
#include <map>
#include <utility>

#include "base/fail.h"
#include "geometry/moments.h"
#include "geometry/topology.h"

namespace carom::inline CAROM_PRECISION {

Mesh::Mesh(std::vector<Vec3> vertices_in, std::vector<int> indices_in)
    : vertices(std::move(vertices_in)), indices(std::move(indices_in)) {
  if (vertices.empty()) fail("mesh has no vertices: give it at least one");
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3 v = vertices[i];
    if (!is_finite(v)) fail("mesh vertex ", i, " is not finite: (", v.x, ", ", v.y, ", ", v.z, ")");
  }
  if (indices.size() % 3 != 0) fail("mesh has ", indices.size(), " indices: must be three per triangle");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= int(vertices.size())) {
      fail("mesh triangle ", i / 3, " has the index ", indices[i], ": must be from 0 to ", vertices.size() - 1,
           ", the number of the last vertex");
    }
  }
}

bool mesh_is_closed(const Mesh& mesh) { return !find_open_edge(mesh); }

Real mesh_volume(const Mesh& mesh) { return Real(mesh_moments(mesh, {1, 1, 1}).volume); }

Moments mesh_moments(const Mesh& mesh, Vec3d scale) {
  // All tetrahedra share a vertex of the mesh: from a distant origin their volumes would cancel.
  const auto vertex = [&](int i) { return multiply_each(to_double(mesh.vertices[i]), scale); };
  const Vec3d apex = vertex(0);
  Moments sum;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const int* corner = &mesh.indices[3 * t];
    sum = sum + tetrahedron_moments(vertex(corner[0]) - apex, vertex(corner[1]) - apex, vertex(corner[2]) - apex, {});
  }
  return moved(sum, apex);
}

Moments mesh_surface_moments(const Mesh& mesh, Vec3d scale) {
  const auto vertex = [&](int i) { return multiply_each(to_double(mesh.vertices[i]), scale); };
  Moments sum;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const int* corner = &mesh.indices[3 * t];
    sum = sum + triangle_moments(vertex(corner[0]), vertex(corner[1]), vertex(corner[2]));
  }
  return sum;
}

Mesh make_box_mesh(Real hx, Real hy, Real hz) {
  validate_shape_scale(ShapeType::kBox, {hx, hy, hz});
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i) vertices.push_back({i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? hz : -hz});
  return Mesh(std::move(vertices), {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                    2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6});
}

Mesh make_sphere_mesh(Real radius, int subdivisions) {
  validate_shape_scale(ShapeType::kSphere, {radius, 0, 0});
  if (subdivisions < 0 || subdivisions > 10) fail("subdivisions must be from 0 to 10, is ", subdivisions);
  const double golden = (1 + sqrt(5.0)) / 2;
  std::vector<Vec3d> directions = {{-1, golden, 0}, {1, golden, 0}, {-1, -golden, 0}, {1, -golden, 0},
                                   {0, -1, golden}, {0, 1, golden}, {0, -1, -golden}, {0, 1, -golden},
                                   {golden, 0, -1}, {golden, 0, 1}, {-golden, 0, -1}, {-golden, 0, 1}};
  std::vector<int> indices = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                              4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                              6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
  for (int level = 0; level < subdivisions; ++level) {
    std::map<std::pair<int, int>, int> middles;  // of the edges, so that neighbours share them
    const auto middle = [&](int a, int b) {
      const auto [entry, is_new] = middles.try_emplace(std::minmax(a, b), int(directions.size()));
      if (is_new) directions.push_back(normalize(directions[a]) + normalize(directions[b]));
      return entry->second;
    };
    std::vector<int> finer;
    for (std::size_t t = 0; t < indices.size(); t += 3) {
      const int a = indices[t], b = indices[t + 1], c = indices[t + 2];
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca});
    }
    indices = std::move(finer);
  }
  std::vector<Vec3> vertices;
  for (const Vec3d d : directions) vertices.push_back(to_real(normalize(d) * double(radius)));
  return Mesh(std::move(vertices), std::move(indices));
}

}  // namespace carom::inline CAROM_PRECISION
