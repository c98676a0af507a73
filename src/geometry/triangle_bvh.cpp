#include "geometry/triangle_bvh.h"

#include <algorithm>
#include <tuple>

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr int kLeafSize = 4;

// Plain products in the inner loop: on x86-64 without FMA instructions, the fma of math/vec.h is a library call.
double plain_dot(Vec3d a, Vec3d b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

double distance_squared_to_box(Vec3d p, Vec3d lower, Vec3d upper) {
  const Vec3d gap = p - min(max(p, lower), upper);
  return plain_dot(gap, gap);
}

}  // namespace

NearestPoint nearest_on_triangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
  const auto result = [&](Vec3d point, TriangleFeature feature) {
    return NearestPoint{point, plain_dot(p - point, p - point), -1, feature};
  };
  // d1 ... d6: p seen from each corner along the two sides at a. va, vb, vc: barycentric coordinates times a factor.
  const Vec3d ab = b - a, ac = c - a;
  const double d1 = plain_dot(ab, p - a), d2 = plain_dot(ac, p - a);
  if (d1 <= 0 && d2 <= 0) return result(a, TriangleFeature::kCorner0);
  const double d3 = plain_dot(ab, p - b), d4 = plain_dot(ac, p - b);
  if (d3 >= 0 && d4 <= d3) return result(b, TriangleFeature::kCorner1);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return result(a + ab * (d1 / (d1 - d3)), TriangleFeature::kSide0);
  const double d5 = plain_dot(ab, p - c), d6 = plain_dot(ac, p - c);
  if (d6 >= 0 && d5 <= d6) return result(c, TriangleFeature::kCorner2);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return result(a + ac * (d2 / (d2 - d6)), TriangleFeature::kSide2);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    return result(b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), TriangleFeature::kSide1);
  }
  const double sum = va + vb + vc;
  return result(a + ab * (vb / sum) + ac * (vc / sum), TriangleFeature::kFace);
}

TriangleBvh::TriangleBvh(const Mesh& mesh) {
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const auto corner = [&](int k) { return to_double(mesh.vertices[mesh.indices[3 * t + k]]); };
    const Triangle triangle = {corner(0), corner(1), corner(2), t};
    const Vec3d normal = cross(triangle.b - triangle.a, triangle.c - triangle.a);
    if (length_squared(normal) > 0) triangles_.push_back(triangle);
  }
  if (!triangles_.empty()) build(0, int(triangles_.size()));
}

// Splits at the median of the centres along the longest side of their box; returns the node's number.
int TriangleBvh::build(int first, int last) {
  Node node = {triangles_[first].a, triangles_[first].a, first, last - first, 0};
  Vec3d centre_lower = node.lower, centre_upper = node.upper;
  const auto centre = [](const Triangle& t) { return (t.a + t.b + t.c) / 3.0; };
  for (int i = first; i < last; ++i) {
    const Triangle& t = triangles_[i];
    node.lower = min(node.lower, min(t.a, min(t.b, t.c)));
    node.upper = max(node.upper, max(t.a, max(t.b, t.c)));
    centre_lower = i == first ? centre(t) : min(centre_lower, centre(t));
    centre_upper = i == first ? centre(t) : max(centre_upper, centre(t));
  }
  const int number = int(nodes_.size());
  nodes_.push_back(node);
  if (node.count <= kLeafSize) return number;

  const Vec3d extent = centre_upper - centre_lower;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const int middle = (first + last) / 2;
  std::nth_element(triangles_.begin() + first, triangles_.begin() + middle, triangles_.begin() + last,
                   [&](const Triangle& s, const Triangle& t) {
                     return std::make_tuple(centre(s)[axis], s.number) < std::make_tuple(centre(t)[axis], t.number);
                   });
  build(first, middle);
  const int right = build(middle, last);
  nodes_[number].count = 0;
  nodes_[number].right = right;
  return number;
}

NearestPoint TriangleBvh::nearest(Vec3d p, double reach) const {
  NearestPoint best = {p, reach * reach, -1, TriangleFeature::kFace};
  struct Visit {
    int node;
    double distance_squared;
  };
  const auto visit = [&](int n) { return Visit{n, distance_squared_to_box(p, nodes_[n].lower, nodes_[n].upper)}; };
  Visit stack[64];  // median splits: the depth is the binary logarithm of the triangles' number
  int depth = 0;
  stack[depth++] = visit(0);
  while (depth > 0) {
    const Visit top = stack[--depth];
    if (top.distance_squared > best.distance_squared) continue;
    const Node& node = nodes_[top.node];
    for (int i = node.first; i < node.first + node.count; ++i) {
      const Triangle& t = triangles_[i];
      NearestPoint candidate = nearest_on_triangle(p, t.a, t.b, t.c);
      candidate.triangle = t.number;
      const bool nearer = candidate.distance_squared < best.distance_squared;
      if (nearer || (best.triangle < 0 && candidate.distance_squared == best.distance_squared)) best = candidate;
    }
    if (node.count > 0) continue;
    const Visit left = visit(top.node + 1), right = visit(node.right);
    const bool left_is_nearer = left.distance_squared <= right.distance_squared;
    stack[depth++] = left_is_nearer ? right : left;
    stack[depth++] = left_is_nearer ? left : right;
  }
  return best;
}

}  // namespace carom::inline CAROM_PRECISION
