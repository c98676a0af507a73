#include "geometry/mesh_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "geometry/moments.h"
#include "geometry/topology.h"

namespace carom::inline CAROM_PRECISION {

namespace {

Mesh scaled(const Mesh& mesh, Vec3 scale) {
  std::vector<Vec3> vertices;
  for (const Vec3 v : mesh.vertices) vertices.push_back({v.x * scale.x, v.y * scale.y, v.z * scale.z});
  std::vector<int> indices = mesh.indices;
  const bool mirrored = (scale.x < 0) != ((scale.y < 0) != (scale.z < 0));
  for (std::size_t i = 0; mirrored && i < indices.size(); i += 3) std::swap(indices[i + 1], indices[i + 2]);
  return Mesh(std::move(vertices), std::move(indices));
}

Vec3d corner(const Mesh& mesh, int triangle, int k) {
  return to_double(mesh.vertices[mesh.indices[3 * triangle + k % 3]]);
}

// Twice the area along the normal. In double the products of Real coordinates keep their digits, so that triangles
// whose corners lie on a line come out with (almost) nothing.
Vec3d area_vector(const Mesh& mesh, int triangle) {
  const Vec3d a = corner(mesh, triangle, 0);
  return cross(corner(mesh, triangle, 1) - a, corner(mesh, triangle, 2) - a);
}

// Whether kernels can tell the triangle's plane: its height must stand out of the rounding of its longest side.
bool has_area(const Mesh& mesh, int triangle) {
  double longest_squared = 0;
  for (int k = 0; k < 3; ++k) {
    longest_squared = max(longest_squared, length_squared(corner(mesh, triangle, k + 1) - corner(mesh, triangle, k)));
  }
  return length(area_vector(mesh, triangle)) > 4 * std::numeric_limits<Real>::epsilon() * longest_squared;
}

// Bends of less than 1e-4 rad count as flat, and so do those that rounding of the vertices explains.
constexpr double kFlatBend = 1e-4;

bool side_is_convex(const Mesh& mesh, const MeshEdge& side, const MeshEdge& other, double rounding) {
  const Vec3d from = corner(mesh, side.triangle, side.side);
  const Vec3d along = normalize(corner(mesh, side.triangle, side.side + 1) - from);
  const Vec3d across = corner(mesh, other.triangle, other.side + 2) - from;  // to the other triangle's third corner
  const double height = length(cross(along, across));
  const double rise = dot(normalize(area_vector(mesh, side.triangle)), across);
  return rise < -(kFlatBend * height + rounding);
}

std::vector<int> convex_sides(const Mesh& mesh, const std::vector<bool>& solid, double rounding) {
  std::vector<int> flags(mesh.triangle_count(), 0);
  std::vector<MeshEdge> edges = sorted_edges(mesh, weld_vertices(mesh.vertices));
  std::erase_if(edges, [&](const MeshEdge& edge) { return !solid[edge.triangle]; });
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    while (last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high) ++last;
    // A border, or more than two triangles: no one neighbour that could tell flat from convex.
    const bool paired = last - first == 2 && edges[first].ascending != edges[first + 1].ascending;
    for (std::size_t i = first; i < last; ++i) {
      const MeshEdge& other = edges[first + last - 1 - i];
      if (!paired || side_is_convex(mesh, edges[i], other, rounding)) flags[edges[i].triangle] |= 1 << edges[i].side;
    }
  }
  return flags;
}

struct Box {
  Vec3 lower{kMost, kMost, kMost}, upper{-kMost, -kMost, -kMost};
  static constexpr Real kMost = std::numeric_limits<Real>::max();

  void add(const Box& b) { lower = min(lower, b.lower), upper = max(upper, b.upper); }
  void add(Vec3 p) { lower = min(lower, p), upper = max(upper, p); }
  double area() const {
    const Vec3d d = to_double(upper) - to_double(lower);
    return d.x * d.y + d.y * d.z + d.z * d.x;
  }
};

class TreeBuilder {
 public:
  TreeBuilder(const Mesh& mesh, std::vector<BvhNode>& nodes, std::vector<int>& triangles)
      : nodes_(nodes), triangles_(triangles), box_(mesh.triangle_count()) {
    for (const int t : triangles) {
      for (int k = 0; k < 3; ++k) box_[t].add(mesh.vertices[mesh.indices[3 * t + k]]);
    }
  }

  void build() {
    if (triangles_.empty()) return;
    nodes_.push_back({});
    build_node(0, 0, int(triangles_.size()), 0);
  }

 private:
  static constexpr int kBins = 16;
  struct Bin {
    Box box;
    int count = 0;
  };

  double center(int triangle, int axis) const {
    return 0.5 * (double(box_[triangle].lower[axis]) + box_[triangle].upper[axis]);
  }

  void build_node(int number, int first, int last, int depth) {
    Box box;
    for (int i = first; i < last; ++i) box.add(box_[triangles_[i]]);
    const int count = last - first;
    nodes_[number] = {box.lower, box.upper, first, count};
    if (count <= kMeshTreeLeaf) return;

    // Halving ends after `halvings` levels; as long as there is room for them, the heuristic may be lopsided.
    const int halvings = int(std::bit_width(unsigned(count - 1) / kMeshTreeLeaf));
    int middle = depth + halvings < kMeshTreeDepth ? split_by_area(first, last) : first;
    if (middle == first) middle = split_in_half(box, first, last);
    const int children = int(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    nodes_[number].first = children;
    nodes_[number].count = 0;
    build_node(children, first, middle, depth + 1);
    build_node(children + 1, middle, last, depth + 1);
  }

  int split_in_half(const Box& box, int first, int last) {
    const Vec3 d = box.upper - box.lower;
    const int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    std::stable_sort(triangles_.begin() + first, triangles_.begin() + last,
                     [&](int s, int t) { return center(s, axis) < center(t, axis); });
    return (first + last) / 2;
  }

  // The split with the least sum of area times count over both sides, of all axes; `first` where there is none.
  int split_by_area(int first, int last) {
    double best_cost = std::numeric_limits<double>::infinity(), best_low = 0, best_scale = 0;
    int best_axis = -1, best_bin = 0;
    for (int axis = 0; axis < 3; ++axis) {
      double low = center(triangles_[first], axis), high = low;
      for (int i = first; i < last; ++i) {
        low = std::min(low, center(triangles_[i], axis)), high = std::max(high, center(triangles_[i], axis));
      }
      if (!(high > low)) continue;
      const double scale = kBins / (high - low);
      const auto [cost, bin] = best_of_axis(first, last, axis, low, scale);
      if (cost >= best_cost) continue;
      best_cost = cost, best_axis = axis, best_bin = bin, best_low = low, best_scale = scale;
    }
    if (best_axis < 0) return first;
    const auto middle = std::stable_partition(triangles_.begin() + first, triangles_.begin() + last, [&](int t) {
      return bin_of(center(t, best_axis), best_low, best_scale) <= best_bin;
    });
    return int(middle - triangles_.begin());
  }

  static int bin_of(double c, double low, double scale) { return std::min(int((c - low) * scale), kBins - 1); }

  // Cost of the best split along one axis, and the last bin of its left side. The outermost bins are never empty.
  std::pair<double, int> best_of_axis(int first, int last, int axis, double low, double scale) const {
    std::array<Bin, kBins> bins;
    for (int i = first; i < last; ++i) {
      Bin& bin = bins[bin_of(center(triangles_[i], axis), low, scale)];
      bin.box.add(box_[triangles_[i]]);
      ++bin.count;
    }
    std::array<double, kBins> right_cost;
    Bin side;
    for (int b = kBins - 1; b > 0; --b) {
      side.box.add(bins[b].box), side.count += bins[b].count;
      right_cost[b] = side.box.area() * side.count;
    }
    side = {};
    std::pair<double, int> best{std::numeric_limits<double>::infinity(), 0};
    for (int b = 0; b + 1 < kBins; ++b) {
      side.box.add(bins[b].box), side.count += bins[b].count;
      const double cost = side.box.area() * side.count + right_cost[b + 1];
      if (cost < best.first) best = {cost, b};
    }
    return best;
  }

  std::vector<BvhNode>& nodes_;
  std::vector<int>& triangles_;
  std::vector<Box> box_;
};

}  // namespace

MeshArrays::MeshArrays(const Mesh& unscaled, Vec3 scale) {
  const Mesh mesh = scaled(unscaled, scale);
  vertex = mesh.vertices;
  Box box;
  for (const Vec3 v : vertex) box.add(v);
  const double extent = length(to_double(box.upper) - to_double(box.lower));
  const double farthest = length(to_double(max(abs(box.lower), abs(box.upper))));

  std::vector<bool> solid(mesh.triangle_count());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    triangle.push_back({mesh.indices[3 * t], mesh.indices[3 * t + 1], mesh.indices[3 * t + 2]});
    solid[t] = has_area(mesh, t);
    if (solid[t]) bvh_triangle.push_back(t);
  }
  degenerate_count = mesh.triangle_count() - int(bvh_triangle.size());
  triangle_flags = convex_sides(mesh, solid, 4 * std::numeric_limits<Real>::epsilon() * farthest);
  TreeBuilder(mesh, node, bvh_triangle).build();
  const double volume = mesh_moments(mesh, {1, 1, 1}).volume;
  closed = !bvh_triangle.empty() && mesh_is_closed(mesh) && volume > 1e-12 * extent * extent * extent;
}

MeshView MeshArrays::view() const {
  return {vertex.data(),      triangle.data(),      triangle_flags.data(), node.data(), bvh_triangle.data(),
          int(vertex.size()), int(triangle.size()), int(node.size()),      closed};
}

}  // namespace carom::inline CAROM_PRECISION
