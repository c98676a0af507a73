#include "geometry/topology.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/fail.h"
#include "geometry/moments.h"

namespace carom::inline CAROM_PRECISION {

std::vector<int> weld_vertices(const std::vector<Vec3>& vertices) {
  const auto place = [&](int i) { return std::tie(vertices[i].x, vertices[i].y, vertices[i].z); };
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return place(a) < place(b); });
  std::vector<int> weld(vertices.size());
  int first = order.front();
  for (const int i : order) {
    if (place(i) != place(first)) first = i;
    weld[i] = first;
  }
  return weld;
}

std::vector<MeshEdge> sorted_edges(const Mesh& mesh, const std::vector<int>& weld) {
  std::vector<MeshEdge> edges;
  edges.reserve(mesh.indices.size());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int side = 0; side < 3; ++side) {
      const int from = weld[mesh.indices[3 * t + side]];
      const int to = weld[mesh.indices[3 * t + (side + 1) % 3]];
      if (from != to) edges.push_back({std::min(from, to), std::max(from, to), t, side, from < to});
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const MeshEdge& a, const MeshEdge& b) {
    return std::tie(a.low, a.high) < std::tie(b.low, b.high);
  });
  return edges;
}

std::optional<MeshEdge> find_open_edge(const Mesh& mesh) {
  const std::vector<MeshEdge> edges = sorted_edges(mesh, weld_vertices(mesh.vertices));
  for (std::size_t i = 0; i < edges.size();) {
    const MeshEdge& edge = edges[i];
    int balance = 0;
    for (; i < edges.size() && edges[i].low == edge.low && edges[i].high == edge.high; ++i) {
      balance += edges[i].ascending ? 1 : -1;
    }
    if (balance != 0) return edge;
  }
  return std::nullopt;
}

void require_solid(const Mesh& mesh, const char* purpose) {
  if (mesh.indices.empty()) fail("mesh has no triangles, so it bounds no volume: ", purpose);
  if (const auto edge = find_open_edge(mesh)) {
    fail("mesh is open: the edge between vertices ", edge->low, " and ", edge->high, " (triangle ", edge->triangle,
         ") is not passed once in each direction: close the surface, orient its triangles alike, or ", purpose);
  }
  // Rounding leaves a sheet that is folded onto itself a volume of about 1e-16 of its bounds cubed.
  Vec3 lower, upper;
  shape_local_bounds(ShapeType::kMesh, {1, 1, 1}, &mesh, nullptr, nullptr, lower, upper);
  const double extent = length(to_double(upper) - to_double(lower));
  const double volume = mesh_moments(mesh, {1, 1, 1}).volume;
  if (volume < -1e-12 * extent * extent * extent) {
    fail("mesh has the negative volume ", volume, " m^3: its triangles are clockwise seen from outside; swap two ",
         "indices of every triangle, or ", purpose);
  }
  if (!(volume > 1e-12 * extent * extent * extent)) fail("mesh has no volume (it is flat): ", purpose);
}

}  // namespace carom::inline CAROM_PRECISION
