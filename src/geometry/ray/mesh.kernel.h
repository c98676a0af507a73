// Rays and triangle meshes, through the tree, nearer boxes first.
#pragma once

#include "geometry/point/mesh.kernel.h"
#include "geometry/ray/triangle.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct MeshHit {
  Real t;
  int triangle;  // -1: none
};

// Divides by nothing smaller, so that zero times infinity does not come up.
CAROM_HD Real inverse_of(Real d) { return copysign(Real(1) / max(abs(d), Real(1e-20)), d); }

// Where the ray enters a box; kRayEnd where it misses. The end grows by the rounding of both (T. Ize, "Robust BVH ray
// traversal", 2013), so that no triangle in the box is lost.
CAROM_HD Real enter_box(const Ray& ray, Vec3 inverse_d, Vec3 lower, Vec3 upper) {
  constexpr Real kGrow = 1 + (sizeof(Real) == 4 ? Real(1e-6) : Real(2e-15));
  Real enter = 0, leave = kRayEnd;
  for (int axis = 0; axis < 3; ++axis) {
    const Real t0 = (lower[axis] - ray.p[axis]) * inverse_d[axis], t1 = (upper[axis] - ray.p[axis]) * inverse_d[axis];
    enter = max(min(t0, t1), enter);
    leave = min(max(t0, t1), leave);
  }
  return enter <= leave * kGrow ? enter : kRayEnd;
}

// The first triangle the ray meets up to max_t, from either side; of equals the lowest number.
CAROM_HD_LARGE MeshHit first_triangle(const MeshView& mesh, const Ray& ray, Real max_t) {
  struct Visit {
    int node;
    Real enter;
  };
  const ShearedRay sheared(ray);
  const Vec3 inverse_d = {inverse_of(ray.d.x), inverse_of(ray.d.y), inverse_of(ray.d.z)};
  const auto enter = [&](int node) CAROM_HD_LAMBDA {
    return enter_box(ray, inverse_d, mesh.node[node].lower, mesh.node[node].upper);
  };
  MeshHit best = {max_t, -1};
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
  return best;
}

// A ray that begins in a closed mesh meets the back of a triangle first; then the distance of p decides, since rays
// that graze an outer edge may meet the back of one, too. Only there must one look beyond max_t.
CAROM_HD_LARGE RayHit ray_mesh(const MeshView& mesh, const Ray& ray) {
  if (mesh.node_count == 0) return no_hit();
  const BvhNode& root = mesh.node[0];
  const bool may_be_inside = mesh.closed && distance_squared_to_box(ray.p, root.lower, root.upper) <= 0;
  const MeshHit hit = first_triangle(mesh, ray, may_be_inside ? kRayEnd : ray.max_t);
  if (hit.triangle < 0) return no_hit();
  const Vec3 normal = unit_normal(triangle_corners(mesh, hit.triangle));
  const bool from_behind = dot(normal, ray.d) > 0;
  if (may_be_inside && from_behind && surface_point_of_mesh(mesh, ray.p, kUnbounded).distance < 0) {
    return hit_from_inside(ray);
  }
  if (hit.t > ray.max_t) return no_hit();
  return {hit.t, from_behind ? -normal : normal, 8 * hit.triangle + kFacePart};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
