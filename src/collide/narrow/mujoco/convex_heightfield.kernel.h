// A convex shape and a heightfield as MuJoCo sees them: a prism below each triangle of the cells under the box around
// the shape, and of each prism that is near enough the one nearest or deepest point. Neighbouring prisms know nothing
// of each other, so a shape over a side of two triangles has two points there, and one beside a cell may be pushed
// along a wall inside of the ground.
//
// All in axes of the heightfield about the centre of the shape, so that far from the middle of the field no digits are
// lost.
#pragma once

#include "collide/narrow/convex_triangles.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kMostOnHeightfield = 50;  // points of a pair that MuJoCo makes

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

// Cells [first, end) along one side of the field, whose nodes [0, nodes) reach from -half to half.
struct CellRange {
  int first, end;
};
CAROM_HD CellRange cells_under(Real lower, Real upper, Real half, int nodes) {
  const auto place = [&](Real x) CAROM_HD_LAMBDA {
    return clamp((x + half) / (half + half) * Real(nodes - 1), Real(0), Real(nodes - 1));
  };
  const Real end = place(upper);
  return {int(place(lower)), int(end) + (end > Real(int(end)) ? 1 : 0)};
}

// Triangles in MuJoCo's order: the one of the next row first.
CAROM_HD TriangleCorners triangle_in_turn(const HeightfieldView& field, int row, int column, int turn, Vec3 center) {
  TriangleCorners t = cell_triangle(field, row, column, 1 - turn);
  for (Vec3& corner : t.corner) corner = corner - center;
  return t;
}

CAROM_HD_LARGE bool prism_point(const ConvexCore& prism, const ConvexCore& core, const Mat33& R_FS,
                                const Transform& X_WF, Real reach, ContactPoint& out) {
  const CorePair pair{prism, core, R_FS, {}};
  CoreContact contact;
  if (!core_distance(pair, reach + core.radius, contact) || !(contact.distance < reach + core.radius)) return false;
  const Vec3 middle = fma(contact.normal, Real(-0.5) * core.radius, (contact.point_a + contact.point_b) * Real(0.5));
  out.point = transform_point(X_WF, middle);
  out.normal = rotate(X_WF.q, contact.normal);
  out.distance = contact.distance - core.radius;
  return true;
}

}  // namespace as_mujoco

// A heightfield (first) and a convex shape. At most `room` points, the first ones. Features: 2 cell + turn.
CAROM_HD_LARGE int convex_heightfield_as_mujoco(const HeightfieldView& field, const Transform& X_WA,
                                                const ConvexCore& core, const Transform& X_WB, Real reach, int room,
                                                ContactPoint* out) {
  using namespace as_mujoco;
  const Quat q_AW = conjugate(X_WA.q);
  const Vec3 center = rotate(q_AW, X_WB.p - X_WA.p);
  const Quat q_AB = q_AW * X_WB.q;
  const Mat33 R_AB = mat33_from_quat(q_AB);
  const Transform X_WF{X_WB.p, X_WA.q};
  Vec3 lower, upper;
  core_box(core, {{}, q_AB}, reach, lower, upper);
  const CellRange rows = cells_under(lower.y + center.y, upper.y + center.y, field.hy, field.nrow);
  const CellRange columns = cells_under(lower.x + center.x, upper.x + center.x, field.hx, field.ncol);
  int count = 0;
  for (int row = rows.first; row < rows.end; ++row) {
    for (int k = 2 * columns.first; k < 2 * columns.end && count < room; ++k) {
      const TriangleCorners t = triangle_in_turn(field, row, k / 2, k % 2, center);
      const Real top = max(t.corner[0].z, max(t.corner[1].z, t.corner[2].z));
      const Real low = min(lower.z, min(t.corner[0].z, min(t.corner[1].z, t.corner[2].z)));
      if (top < lower.z) continue;
      const Real bottom = 2 * low - max(top, upper.z);  // so deep that no shortest way out leads through it
      if (!prism_point(prism_core(t.corner, bottom), core, R_AB, X_WF, reach, out[count])) continue;
      out[count++].feature = 2 * cell_number(field, row, k / 2) + k % 2;
    }
  }
  return count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
