// A closed surface that bends outwards at each of its edges and goes round a point once is the surface of a convex body
// (one that goes round it several times may be a star): so it is enough to look at the two triangles of every edge, and
// to add up the solid angles of all triangles (A. van Oosterom, J. Strackee, "The solid angle of a plane triangle",
// 1983).
#include "geometry/finished_hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "geometry/moments.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// How far one triangle may rise over the plane of its neighbour, by the size of the mesh: coordinates that were single
// numbers once, and were turned, have such errors.
constexpr double kRise = 1e-6;

struct DirectedEdge {
  int from, to, opposite;
};

// Each triangle from its lowest corner on, all in rising order.
bool is_in_order(const Mesh& mesh) {
  const auto triangle = [&](std::size_t t) {
    return std::array<int, 3>{mesh.indices[3 * t], mesh.indices[3 * t + 1], mesh.indices[3 * t + 2]};
  };
  const std::size_t count = mesh.indices.size() / 3;
  for (std::size_t t = 0; t < count; ++t) {
    const std::array<int, 3> corners = triangle(t);
    if (corners[0] >= corners[1] || corners[0] >= corners[2] || corners[1] == corners[2]) return false;
    if (t > 0 && !(triangle(t - 1) < corners)) return false;
  }
  return true;
}

std::vector<DirectedEdge> edges_by_ends(const Mesh& mesh) {
  std::vector<DirectedEdge> edges;
  edges.reserve(mesh.indices.size());
  for (std::size_t t = 0; t + 2 < mesh.indices.size(); t += 3)
    for (std::size_t k = 0; k < 3; ++k)
      edges.push_back({mesh.indices[t + k], mesh.indices[t + (k + 1) % 3], mesh.indices[t + (k + 2) % 3]});
  std::sort(edges.begin(), edges.end(), [](const DirectedEdge& a, const DirectedEdge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return edges;
}

double extent_of(const Mesh& mesh) {
  Vec3d low = to_double(mesh.vertices.front()), high = low;
  for (const Vec3& v : mesh.vertices)
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], double{v[k]});
      high[k] = std::max(high[k], double{v[k]});
    }
  return length(high - low);
}

// Seen from the larger of the two triangles at an edge, the other one's corner is below its plane.
bool bends_outwards(const Mesh& mesh, const DirectedEdge& edge, int beyond, double rise) {
  const Vec3d a = to_double(mesh.vertices[static_cast<std::size_t>(edge.from)]);
  const Vec3d along = to_double(mesh.vertices[static_cast<std::size_t>(edge.to)]) - a;
  const Vec3d here = to_double(mesh.vertices[static_cast<std::size_t>(edge.opposite)]) - a;
  const Vec3d there = to_double(mesh.vertices[static_cast<std::size_t>(beyond)]) - a;
  const Vec3d normal = cross(along, here);
  return dot(normal, there) <= rise * std::max(length(normal), length(cross(along, there)));
}

// How often the surface goes round the mean of its vertices.
double turns_round(const Mesh& mesh) {
  Vec3d mean{};
  for (const Vec3& v : mesh.vertices) mean = mean + to_double(v) * (1.0 / static_cast<double>(mesh.vertices.size()));
  double half = 0;  // of the solid angle
  for (std::size_t t = 0; t + 2 < mesh.indices.size(); t += 3) {
    std::array<Vec3d, 3> r;
    for (std::size_t k = 0; k < 3; ++k)
      r[k] = to_double(mesh.vertices[static_cast<std::size_t>(mesh.indices[t + k])]) - mean;
    const double a = length(r[0]), b = length(r[1]), c = length(r[2]);
    half += std::atan2(dot(r[0], cross(r[1], r[2])),
                       a * b * c + dot(r[0], r[1]) * c + dot(r[1], r[2]) * a + dot(r[2], r[0]) * b);
  }
  return half / (2 * std::numbers::pi);
}

}  // namespace

bool is_finished_hull(const Mesh& mesh) {
  const std::size_t corners = mesh.indices.size(), vertices = mesh.vertices.size();
  if (vertices < 4 || corners % 3 != 0 || corners / 3 != 2 * vertices - 4 || !is_in_order(mesh)) return false;  // Euler
  const std::vector<DirectedEdge> edges = edges_by_ends(mesh);
  const double rise = kRise * extent_of(mesh);
  const auto before = [](const DirectedEdge& a, const std::pair<int, int>& b) {
    return a.from != b.first ? a.from < b.first : a.to < b.second;
  };
  std::vector<char> used(vertices, 0);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const DirectedEdge& edge = edges[i];
    used[static_cast<std::size_t>(edge.from)] = 1;
    if (i > 0 && edges[i - 1].from == edge.from && edges[i - 1].to == edge.to) return false;
    const auto back = std::lower_bound(edges.begin(), edges.end(), std::pair(edge.to, edge.from), before);
    if (back == edges.end() || back->from != edge.to || back->to != edge.from) return false;
    if (edge.from < edge.to && !bends_outwards(mesh, edge, back->opposite, rise)) return false;
  }
  const bool all_used = std::all_of(used.begin(), used.end(), [](char u) { return u != 0; });
  return all_used && mesh_volume(mesh) > 0 && std::abs(turns_round(mesh) - 1) < 0.1;
}

}  // namespace carom::inline CAROM_PRECISION
