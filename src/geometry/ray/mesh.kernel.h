// Rays and triangle meshes, through the tree, nearer boxes first.
#pragma once

#include "geometry/mesh_walk.kernel.h"
#include "geometry/ray/triangle.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Where the ray enters a box; kRayEnd where it misses. The end grows by the rounding of both (T. Ize, "Robust BVH ray
// traversal", 2013), so that no triangle in the box is lost.
CAROM_HD Real enter_box(const Ray& ray, Vec3 inverse_d, Vec3 lower, Vec3 upper) {
  const RaySpan span = span_of_box(ray, inverse_d, lower, upper);
  const Real enter = max(span.enter, Real(0));
  return enter <= span.leave * kRayRounding ? enter : kRayEnd;
}

// The first triangle that the ray meets, from either side; of equals the lowest number.
CAROM_HD_LARGE RayHit ray_mesh(const MeshView& mesh, const Ray& ray) {
  struct Visit {
    int node;
    Real enter;
  };
  const ShearedRay sheared(ray);
  const Vec3 inverse_d = {inverse_of(ray.d.x), inverse_of(ray.d.y), inverse_of(ray.d.z)};
  const auto enter = [&](int node) CAROM_HD_LAMBDA {
    return enter_box(ray, inverse_d, mesh.node[node].lower, mesh.node[node].upper);
  };
  RayHit best = {ray.max_t, -1};
  Visit stack[kMeshTreeDepth + 1];
  int depth = 0;
  if (mesh.node_count > 0) stack[depth++] = {0, enter(0)};
  while (depth > 0) {
    const Visit top = stack[--depth];
    if (top.enter >= kRayEnd || top.enter > best.t) continue;
    const BvhNode& node = mesh.node[top.node];
    for (int i = node.first; i < node.first + node.count; ++i) {
      const int triangle = mesh.bvh_triangle[i];
      const Real t = meet_triangle(sheared, triangle_corners(mesh, triangle));
      const bool tie = t == best.t && (best.triangle < 0 || triangle < best.triangle);
      if (t >= 0 && (t < best.t || tie)) best = {t, triangle};
    }
    if (node.count > 0) continue;
    const Visit left = {node.first, enter(node.first)}, right = {node.first + 1, enter(node.first + 1)};
    const bool left_first = left.enter <= right.enter;
    stack[depth++] = left_first ? right : left;
    stack[depth++] = left_first ? left : right;
  }
  return best.triangle < 0 ? no_hit() : best;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
