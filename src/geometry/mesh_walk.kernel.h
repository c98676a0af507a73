// Walks through the tree of a mesh: all triangles near a box, and the triangle nearest to a point.
#pragma once

#include "geometry/shape_view.h"
#include "geometry/triangle.kernel.h"

namespace carom::inline CAROM_PRECISION {

// No node of a mesh's tree lies deeper below the root: an array of one place more holds all that is left to visit.
inline constexpr int kMeshTreeDepth = 48;

struct NearestTriangle {
  TrianglePoint at;
  int triangle;  // -1: none within reach
};

CAROM_HD TriangleCorners triangle_corners(const MeshView& mesh, int triangle) {
  const auto& index = mesh.triangle[triangle];
  return {{mesh.vertex[index[0]], mesh.vertex[index[1]], mesh.vertex[index[2]]}};
}

CAROM_HD Real distance_squared_to_box(Vec3 p, Vec3 lower, Vec3 upper) {
  return length_squared(p - min(max(p, lower), upper));
}

CAROM_HD bool boxes_meet(Vec3 lower0, Vec3 upper0, Vec3 lower1, Vec3 upper1) {
  return lower0.x <= upper1.x && lower1.x <= upper0.x && lower0.y <= upper1.y && lower1.y <= upper0.y &&
         lower0.z <= upper1.z && lower1.z <= upper0.z;
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Calls visit(triangle) for the triangles of all leaves that `enter(node)` admits, always in the order of the tree.
template <class Enter, class Visit>
CAROM_HD void visit_tree(const MeshView& mesh, Enter enter, Visit visit) {
  int stack[kMeshTreeDepth + 1], depth = 0;
  if (mesh.node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    const BvhNode& node = mesh.node[stack[--depth]];
    if (!enter(node)) continue;
    for (int i = 0; i < node.count; ++i) visit(mesh.bvh_triangle[node.first + i]);
    if (node.count > 0) continue;
    stack[depth++] = node.first + 1;
    stack[depth++] = node.first;
  }
}

// Calls visit(triangle, corners) for every triangle whose leaf meets the box; others may be among them.
template <class Visit>
CAROM_HD void triangles_in_box(const MeshView& mesh, Vec3 lower, Vec3 upper, Visit visit) {
  visit_tree(
      mesh, [&](const BvhNode& node) CAROM_HD_LAMBDA { return boxes_meet(node.lower, node.upper, lower, upper); },
      [&](int triangle) CAROM_HD_LAMBDA { visit(triangle, triangle_corners(mesh, triangle)); });
}

// The nearest triangle that is nearer than reach; of equally near ones, the one with the lowest number.
CAROM_HD_LARGE NearestTriangle nearest_triangle(const MeshView& mesh, Vec3 p, Real reach) {
  struct Visit {
    int node;
    Real distance_squared;
  };
  NearestTriangle best = {{p, reach * reach, kFacePart}, -1};
  Visit stack[kMeshTreeDepth + 1];
  int depth = 0;
  const auto distance_to = [&](int node) CAROM_HD_LAMBDA {
    return distance_squared_to_box(p, mesh.node[node].lower, mesh.node[node].upper);
  };
  if (mesh.node_count > 0) stack[depth++] = {0, distance_to(0)};
  while (depth > 0) {
    const Visit top = stack[--depth];
    if (top.distance_squared > best.at.distance_squared) continue;
    const BvhNode& node = mesh.node[top.node];
    for (int i = node.first; i < node.first + node.count; ++i) {
      const int triangle = mesh.bvh_triangle[i];
      const TrianglePoint at = nearest_of_triangle(triangle_corners(mesh, triangle), p);
      if (is_nearer(p, at, triangle, best.at, best.triangle)) best = {at, triangle};
    }
    if (node.count > 0) continue;
    const Visit left = {node.first, distance_to(node.first)}, right = {node.first + 1, distance_to(node.first + 1)};
    const bool left_first = left.distance_squared <= right.distance_squared;
    stack[depth++] = left_first ? right : left;
    stack[depth++] = left_first ? left : right;
  }
  return best;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
