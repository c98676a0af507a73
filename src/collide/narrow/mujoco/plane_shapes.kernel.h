// An infinite plane against a box, a cylinder or a convex hull: the points that MuJoCo lists, each with its height over
// the plane. Of boxes up to four corners of the lower half, of cylinders the lowest points of both rims and a triangle
// on the lower one, of hulls the lowest vertex and up to four of the lowest face that it belongs to.
#pragma once

#include "collide/narrow/convex_features.kernel.h"
#include "collide/narrow/mujoco/widest_quad.kernel.h"
#include "collide/narrow/plane_any.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

using planes::PlaneContacts;

// The first four, in the order of their numbers.
CAROM_HD void add_box(PlaneContacts& c, Vec3 half) {
  for (int i = 0; i < 8 && c.count < 4; ++i) {
    const Vec3 p = box_corner(half, i);
    if (dot(c.normal_B, p) <= 0) c.add(p, i);
  }
}

// Features: 0 and 1 the lowest points of the lower and the upper rim, 2 and 3 the others of the triangle.
CAROM_HD void add_cylinder(PlaneContacts& c, Real radius, Real half_height) {
  constexpr Real kFlat = Real(1e-15), kHalfRoot3 = Real(0.86602540378443864676);
  const Vec3 n = c.normal_B;
  const Real lower = n.z > 0 ? -half_height : half_height, tilt = sqrt(fma(n.x, n.x, n.y * n.y));
  const Vec3 down = tilt < kFlat ? Vec3{1, 0, 0} : Vec3{-n.x / tilt, -n.y / tilt, 0};  // along the rim's disc
  const auto rim = [&](Vec3 direction, Real z) CAROM_HD_LAMBDA { return fma(direction, radius, Vec3{0, 0, z}); };
  const Vec3 lowest = rim(down, lower);
  if (!(c.height(lowest) < c.reach)) return;
  c.add(lowest, 0);
  c.add(rim(down, -lower), 1);
  const Vec3 across{down.y * kHalfRoot3, -down.x * kHalfRoot3, 0};
  c.add(rim(fma(down, Real(-0.5), across), lower), 2);
  c.add(rim(fma(down, Real(-0.5), -across), lower), 3);
}

// Of vertices that are equally low the first.
CAROM_HD_LARGE int lowest_vertex(const PlaneContacts& c, const HullView& hull) {
  const ConvexCore core{CoreType::kHull, 0, {}, &hull, {}};
  const Vec3 down = -c.normal_B;
  const Real same = 8 * kRounding * (hull.outer_radius + length(hull.center));
  const Real least = dot(down, core_support(core, down).p) - same;
  int v = 0;
  while (v + 1 < hull.vertex_count && dot(down, hull.vertex[v]) < least) ++v;
  return v;
}

CAROM_HD_LARGE void add_hull(PlaneContacts& c, const HullView& hull) {
  const int lowest = lowest_vertex(c, hull);
  if (!(c.height(hull.vertex[lowest]) < c.reach)) return;
  c.add(hull.vertex[lowest], lowest);
  const int found = face_through(hull, hull.vertex[lowest], hull.vertex[lowest], -c.normal_B);
  if (found < 0) return;
  const HullFace face = hull.face[found];
  int first = 0;
  while (first + 1 < face.count && hull.face_vertex[face.first + first] != lowest) ++first;
  const auto vertex_at = [&](int i) CAROM_HD_LAMBDA { return hull.face_vertex[face.first + (first + i) % face.count]; };
  Quad quad{{0, 1, 2, 3}, 0};
  if (face.count > 4) quad = widest_quad(face.count, [&](int i) CAROM_HD_LAMBDA { return hull.vertex[vertex_at(i)]; });
  for (int k = 1; k < 4 && k < face.count; ++k) {
    const int v = vertex_at(quad.corner[k]);
    if (dot(c.normal_B, hull.vertex[v] - hull.center) <= 0) c.add(hull.vertex[v], v);
  }
  sort_by_feature(c.out, c.count);
}

}  // namespace as_mujoco

// The plane without end (first) and shape b, whose points nearer than reach are listed in `out`, sorted by feature.
// Returns their number, or -1 for shapes whose points are those of plane_any().
CAROM_HD_LARGE int plane_shape_as_mujoco(const Transform& X_WA, const ShapeView& b, const Transform& X_WB, Real reach,
                                         ContactPoint* out) {
  planes::PlaneContacts c(X_WA, X_WB, reach, out);
  switch (b.type) {
    case ShapeType::kBox: as_mujoco::add_box(c, b.scale); break;
    case ShapeType::kCylinder: as_mujoco::add_cylinder(c, b.scale.x, b.scale.y); break;
    case ShapeType::kConvexHull: as_mujoco::add_hull(c, b.geometry->hull); break;
    default: return -1;
  }
  return c.count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
