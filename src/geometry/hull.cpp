// Convex hulls by qhull (C. B. Barber, D. Dobkin, H. Huhdanpaa, "The Quickhull algorithm for convex hulls", 1996).
// qhull merges coplanar facets into polygons; each is cut here into a fan from its lowest vertex, so the triangles
// follow from the facets alone and not from the order in which qhull met the points.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "base/fail.h"
#include "geometry/finished_hull.h"
#include "geometry/hull.h"
#include "geometry/topology.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace carom::inline CAROM_PRECISION {

namespace {

// One run of qhull; silent.
class Quickhull {
 public:
  // `most` > 0: the furthest points first (Q9), until there are so many corners, with the 4 that it begins with.
  Quickhull(std::vector<coordT>& points, int most) : silence_(std::fopen("/dev/null", "w")) {
    if (!silence_) fail("convex hull: /dev/null cannot be opened, qhull needs it for its messages");
    qh_zero(&qh_, silence_);
    std::string options = most >= 4 ? "qhull Q9 TA" + std::to_string(most - 4) : "qhull";
    exit_code_ =
        qh_new_qhull(&qh_, 3, int(points.size() / 3), points.data(), False, options.data(), silence_, silence_);
  }
  ~Quickhull() {
    int long_blocks, long_bytes;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &long_blocks, &long_bytes);
    std::fclose(silence_);
  }
  Quickhull(const Quickhull&) = delete;
  Quickhull& operator=(const Quickhull&) = delete;

  int exit_code() const { return exit_code_; }

  // The corners of every facet, counter-clockwise seen from outside, as numbers of points.
  std::vector<std::vector<int>> polygons() {
    std::vector<std::vector<int>> all;
    for (facetT* facet = qh_.facet_list; facet && facet->next; facet = facet->next) {
      all.push_back(facet->simplicial ? triangle(facet) : polygon(facet));
    }
    return all;
  }

 private:
  int number(void* vertex) { return qh_pointid(&qh_, static_cast<vertexT*>(vertex)->point); }

  std::vector<int> triangle(facetT* facet) {
    void** corner = &facet->vertices->e[0].p;
    std::vector<int> corners = {number(corner[0]), number(corner[1]), number(corner[2])};
    if (facet->toporient ^ qh_ORIENTclock) std::swap(corners[0], corners[1]);
    return corners;
  }

  // A merged facet knows its edges (ridges), not their order: each corner leads to the next.
  std::vector<int> polygon(facetT* facet) {
    std::map<int, int> next;
    ridgeT *ridge, **ridgep;
    FOREACHridge_(facet->ridges) {
      int from = number(ridge->vertices->e[0].p), to = number(ridge->vertices->e[1].p);
      if ((ridge->top == facet) ^ qh_ORIENTclock) std::swap(from, to);
      next[from] = to;
    }
    std::vector<int> corners;
    for (int i = next.begin()->first; corners.size() < next.size(); i = next[i]) corners.push_back(i);
    return corners;
  }

  FILE* silence_;
  qhT qh_;
  int exit_code_;
};

// Fans from the lowest corner of each polygon, in ascending order.
std::vector<std::array<int, 3>> triangulate(std::vector<std::vector<int>> polygons) {
  std::vector<std::array<int, 3>> triangles;
  for (std::vector<int>& corners : polygons) {
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    for (std::size_t i = 2; i < corners.size(); ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
  }
  std::sort(triangles.begin(), triangles.end());
  return triangles;
}

// The mesh of the vertices that are used, in their order.
Mesh compact(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  std::vector<int> number(vertices.size(), -1);
  for (const auto& triangle : triangles) {
    for (const int i : triangle) number[i] = 0;
  }
  std::vector<Vec3> used;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = int(used.size());
    used.push_back(vertices[i]);
  }
  std::vector<int> indices;
  for (const auto& triangle : triangles) {
    for (const int i : triangle) indices.push_back(number[i]);
  }
  return Mesh(std::move(used), std::move(indices));
}

}  // namespace

std::vector<std::array<int, 3>> hull_triangles(std::vector<double> points, int most) {
  const std::size_t count = points.size() / 3;
  Quickhull quickhull(points, most);
  if (quickhull.exit_code() == qh_ERRsingular) {
    fail("convex hull: the ", count, " points of the mesh lie in a plane or on a line, so their hull has no volume: ",
         "move a point out of it, or use a box or a mesh");
  }
  if (quickhull.exit_code() != qh_ERRnone) fail("convex hull: qhull gave up with its error ", quickhull.exit_code());
  return triangulate(quickhull.polygons());
}

Mesh convex_hull(const Mesh& mesh) {
  if (is_finished_hull(mesh)) return mesh;
  const std::vector<int> weld = weld_vertices(mesh.vertices);
  int count = 0;  // of different points
  for (std::size_t i = 0; i < weld.size(); ++i) count += weld[i] == int(i);
  if (count < 4) fail("convex hull needs at least 4 different points, the mesh has ", count);
  std::vector<double> points;
  for (const Vec3 v : mesh.vertices) points.insert(points.end(), {v.x, v.y, v.z});
  Mesh hull = compact(mesh.vertices, hull_triangles(std::move(points)));
  if (!mesh_is_closed(hull) || !(mesh_volume(hull) > 0)) {
    fail("convex hull: the ", count,
         " points of the mesh are so nearly flat that no closed hull was found: ", "use a box or a mesh");
  }
  return hull;
}

}  // namespace carom::inline CAROM_PRECISION
