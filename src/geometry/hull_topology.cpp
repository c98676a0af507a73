#include "geometry/hull_topology.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

using Point = std::array<double, 3>;
using Triangle = std::array<int, 3>;

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point cross_of(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot_of(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Plane {
  Point normal;
  double offset;
};

// Works on the scaled vertices in double; the arrays are rounded at the end.
class Builder {
 public:
  Builder(const Mesh& hull, Vec3 scale) : mirrored_(scale.x * scale.y * scale.z < 0) {
    for (const Vec3& v : hull.vertices) {
      arrays_.vertex.push_back({v.x * scale.x, v.y * scale.y, v.z * scale.z});
      const Vec3& p = arrays_.vertex.back();
      point_.push_back({double(p.x), double(p.y), double(p.z)});
    }
    for (int t = 0; t < hull.triangle_count(); ++t) {
      const int* const c = &hull.indices[std::size_t(t) * 3];
      triangle_.push_back(mirrored_ ? Triangle{c[0], c[2], c[1]} : Triangle{c[0], c[1], c[2]});
    }
  }

  HullArrays build() {
    find_center();
    find_sides();
    merge_triangles();
    trace_faces();
    join_edges();
    join_neighbors();
    find_radii();
    describe_edges();
    fill_rows();
    arrays_.directions = build_hull_directions(arrays_.vertex);
    return std::move(arrays_);
  }

 private:
  void find_center() {
    Point sum{};
    for (const Point& p : point_) {
      for (int k = 0; k < 3; ++k) sum[k] += p[k] / double(point_.size());
    }
    for (const Point& p : point_) size_ = std::max(size_, std::sqrt(dot_of(minus(p, sum), minus(p, sum))));
    arrays_.center = {Real(sum[0]), Real(sum[1]), Real(sum[2])};
  }

  void find_sides() {
    for (int t = 0; t < int(triangle_.size()); ++t) {
      for (int k = 0; k < 3; ++k) side_[{triangle_[t][k], triangle_[t][(k + 1) % 3]}] = t;
    }
  }
  int triangle_across(int from, int to) const {
    const auto found = side_.find({to, from});
    if (found == side_.end()) fail("convex hull: triangles are not closed at edge ", from, "-", to);
    return found->second;
  }

  Point doubled_normal(int t) const {
    const auto& [i, j, k] = triangle_[t];
    return cross_of(minus(point_[j], point_[i]), minus(point_[k], point_[i]));
  }

  // Every group grows from its largest triangle, whose plane is known best, over neighbours in that plane.
  void merge_triangles() {
    std::vector<double> area(triangle_.size());
    std::vector<int> order(triangle_.size());
    for (int t = 0; t < int(order.size()); ++t) {
      order[t] = t;
      area[t] = dot_of(doubled_normal(t), doubled_normal(t));
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return area[a] > area[b]; });
    group_.assign(triangle_.size(), -1);
    for (const int seed : order) {
      if (group_[seed] < 0) grow_group(seed);
    }
  }
  void grow_group(int seed) {
    const Point n = doubled_normal(seed);
    const double length = std::sqrt(dot_of(n, n));
    const double tolerance = kFlatFace * size_;
    const auto in_plane = [&](int t) {
      return std::ranges::all_of(triangle_[t], [&](int v) {
        return std::abs(dot_of(n, minus(point_[v], point_[triangle_[seed][0]]))) <= tolerance * length;
      });
    };
    std::vector<int> open = {seed};
    group_[seed] = seed;
    while (!open.empty()) {
      const int t = open.back();
      open.pop_back();
      for (int k = 0; k < 3; ++k) {
        const int next = triangle_across(triangle_[t][k], triangle_[t][(k + 1) % 3]);
        if (group_[next] >= 0 || !in_plane(next)) continue;
        if (dot_of(doubled_normal(next), n) < 0) continue;  // the other side of a very flat hull
        group_[next] = seed;
        open.push_back(next);
      }
    }
  }

  // The border of each group in the order of its first triangle, from its lowest corner.
  void trace_faces() {
    std::map<int, std::map<int, int>> border;  // of each group: from corner to corner
    for (int t = 0; t < int(triangle_.size()); ++t) {
      for (int k = 0; k < 3; ++k) {
        const int from = triangle_[t][k], to = triangle_[t][(k + 1) % 3];
        if (group_[triangle_across(from, to)] != group_[t]) border[group_[t]][from] = to;
      }
    }
    std::vector<char> traced(triangle_.size(), 0);
    for (const int group : group_) {
      if (std::exchange(traced[group], 1)) continue;
      const std::map<int, int>& next = border.at(group);
      const int first = int(arrays_.face_vertex.size()), start = next.begin()->first;
      const int count = int(next.size());
      int corner = start;
      for (int k = 0; k < count; ++k) {
        arrays_.face_vertex.push_back(corner);
        corner = next.at(corner);
      }
      if (corner != start) fail("convex hull: the border of a face is not one line");
      const Plane plane = plane_of(first, count);
      const Point& n = plane.normal;
      arrays_.face.push_back({{Real(n[0]), Real(n[1]), Real(n[2])}, Real(plane.offset), first, count});
    }
  }

  // Newell's normal, and the farthest of all vertices along it: no corner of a merged face stands out of its plane.
  Plane plane_of(int first, int count) const {
    const auto corner = [&](int k) { return point_[arrays_.face_vertex[first + k % count]]; };
    Point n{};
    for (int k = 1; k + 1 < count; ++k) {
      const Point fan = cross_of(minus(corner(k), corner(0)), minus(corner(k + 1), corner(0)));
      for (int c = 0; c < 3; ++c) n[c] += fan[c];
    }
    const double length = std::sqrt(dot_of(n, n));
    if (!(length > 0)) fail("convex hull: a face has no area");
    for (double& c : n) c /= length;
    double offset = dot_of(n, corner(0));
    for (const Point& p : point_) offset = std::max(offset, dot_of(n, p));
    return {n, offset};
  }

  void join_edges() {
    std::map<std::pair<int, int>, int> face_of;
    for (int f = 0; f < int(arrays_.face.size()); ++f) {
      const HullFace& face = arrays_.face[f];
      for (int k = 0; k < face.count; ++k) {
        const int from = arrays_.face_vertex[face.first + k];
        face_of[{from, arrays_.face_vertex[face.first + (k + 1) % face.count]}] = f;
      }
    }
    for (const auto& [ends, left] : face_of) {
      const auto& [tail, head] = ends;
      if (tail < head) arrays_.edge.push_back({tail, head, left, face_of.at({head, tail})});
    }
  }

  void join_neighbors() {
    std::vector<std::vector<int>> all(point_.size());
    for (const HullEdge& e : arrays_.edge) {
      all[e.tail].push_back(e.head);
      all[e.head].push_back(e.tail);
    }
    // A vertex inside of a merged face, or between two in their common line, has fewer than three edges, although it is
    // raised by something below the tolerance. It gets the sides of its triangles: what looks for a feature from there
    // must be able to leave in every direction.
    for (std::size_t v = 0; v < all.size(); ++v) {
      if (all[v].size() >= 3) continue;
      all[v].clear();
      for (auto side = side_.lower_bound({int(v), 0}); side != side_.end() && side->first.first == int(v); ++side)
        all[v].push_back(side->first.second);
    }
    arrays_.neighbor_start.push_back(0);
    for (std::vector<int>& list : all) {
      std::sort(list.begin(), list.end());
      arrays_.neighbor.insert(arrays_.neighbor.end(), list.begin(), list.end());
      arrays_.neighbor_start.push_back(int(arrays_.neighbor.size()));
    }
  }

  // The inner one is less than the distance to the nearest face, and the outer one more than that to the farthest
  // vertex, by what rounding and merged triangles may have moved the faces.
  void find_radii() {
    const double moved = (sizeof(Real) == 8 ? 2e-6 : 2e-5) * size_;
    double radius = size_;
    for (const HullFace& face : arrays_.face)
      radius = std::min(radius, double(face.offset - dot(face.normal, arrays_.center)));
    arrays_.inner_radius = Real(std::max(0.0, radius - moved));
    arrays_.outer_radius = Real(size_ + moved);
    arrays_.face_rise = 0;
    for (const HullFace& face : arrays_.face) {
      for (int k = face.first; k < face.first + face.count; ++k) {
        const Real height = dot(face.normal, arrays_.vertex[arrays_.face_vertex[k]]);
        arrays_.face_rise = std::max(arrays_.face_rise, face.offset - height);
      }
    }
  }

  void fill_rows() {
    arrays_.vertex_rows = rows(arrays_.vertex, 3, [](const Vec3& p, int k) { return p[k]; });
    arrays_.face_rows = rows(arrays_.face, 4, [](const HullFace& f, int k) { return k < 3 ? f.normal[k] : f.offset; });
  }
  void describe_edges() {
    const bool in_sets = arrays_.edge.size() <= HullEdgeSet::kMost;
    arrays_.face_edges.resize(in_sets ? arrays_.face.size() : 0);
    arrays_.half_cosine = 1;
    for (std::size_t i = 0; i < arrays_.edge.size(); ++i) {
      const HullEdge& e = arrays_.edge[i];
      const Vec3 tail = arrays_.vertex[e.tail], head = arrays_.vertex[e.head];
      const Vec3 left = arrays_.face[e.left].normal, right = arrays_.face[e.right].normal;
      arrays_.edge_parts.push_back({tail, normalize(head - tail), left, right});
      arrays_.half_cosine = std::min(arrays_.half_cosine, length(left + right) / 2);
      if (!in_sets) continue;
      for (const int face : {e.left, e.right}) arrays_.face_edges[face].word[i / 64] |= std::uint64_t{1} << i % 64;
    }
    static_assert(sizeof(HullEdgeParts) == kHullEdgeNumbers * sizeof(Real));
  }
  template <class T, class Number>
  static std::vector<Real> rows(const std::vector<T>& entries, int row_count, Number number) {
    const std::size_t stride = hull_row_stride(entries.size());
    std::vector<Real> all;
    for (int k = 0; k < row_count; ++k) {
      for (std::size_t i = 0; i < stride; ++i) all.push_back(number(entries[i < entries.size() ? i : 0], k));
    }
    return all;
  }

  HullArrays arrays_;
  bool mirrored_;
  double size_ = 0;
  std::vector<Point> point_;
  std::vector<Triangle> triangle_;
  std::map<std::pair<int, int>, int> side_;  // from corner to corner -> triangle
  std::vector<int> group_;                   // of each triangle: the seed of its group
};

}  // namespace

HullView HullArrays::view() const {
  return {.vertex = vertex.data(),
          .face = face.data(),
          .face_vertex = face_vertex.data(),
          .edge = edge.data(),
          .edge_parts = edge_parts.data(),
          .face_edges = face_edges.data(),
          .neighbor_start = neighbor_start.data(),
          .neighbor = neighbor.data(),
          .vertex_count = int(vertex.size()),
          .face_count = int(face.size()),
          .edge_count = int(edge.size()),
          .center = center,
          .inner_radius = inner_radius,
          .outer_radius = outer_radius,
          .face_rise = face_rise,
          .half_cosine = half_cosine,
          .rows = {.vertex = vertex_rows.data(),
                   .face = face_rows.data(),
                   .vertex_stride = int(hull_row_stride(vertex.size())),
                   .face_stride = int(hull_row_stride(face.size()))},
          .directions = directions.view()};
}

HullArrays build_hull_arrays(const Mesh& hull, Vec3 scale) { return Builder(hull, scale).build(); }

}  // namespace carom::inline CAROM_PRECISION
