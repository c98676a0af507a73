// The distance of two shapes of any types, with the points where they are nearest. Two that are solid below without end
// have none.
#pragma once

#include "collide/narrow/pair_table.kernel.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD bool have_distance(ShapeType a, ShapeType b) {
  const auto is_ground = [](ShapeType type)
                             CAROM_HD_LAMBDA { return type == ShapeType::kPlane || type == ShapeType::kHeightfield; };
  return !is_ground(a) || !is_ground(b);
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD bool is_convex_solid(ShapeType type) { return type != ShapeType::kPlane && pair_table::is_convex(type); }

// The nearest of all points that a pair has within its reach.
CAROM_HD_LARGE ConvexDistance nearest_contact(const ShapeView& a, const Transform& X_WA, const ShapeView& b,
                                              const Transform& X_WB) {
  ContactPoint point[kMaxPoints];
  // Whatever is between the shapes is nearer than their boxes are apart, corner to corner.
  const Box box_a = shape_world_box(a, X_WA), box_b = shape_world_box(b, X_WB);
  const Real reach = min(length(max(box_a.upper, box_b.upper) - min(box_a.lower, box_b.lower)), kUnbounded);
  const int n = collide_shapes(a, X_WA, b, X_WB, reach, kMaxPoints, point);
  if (n == 0) return {kUnbounded, X_WA.p, X_WB.p, {0, 0, 1}};
  const ContactPoint* nearest = point;
  for (int i = 1; i < n; ++i)
    if (point[i].distance < nearest->distance) nearest = point + i;
  const Vec3 half = nearest->normal * (Real(0.5) * nearest->distance);
  return {nearest->distance, nearest->point - half, nearest->point + half, nearest->normal};
}

// thickness: of each.
CAROM_HD_LARGE ConvexDistance shape_distance(const ShapeView& a, const Transform& X_WA, Real thickness_a,
                                             const ShapeView& b, const Transform& X_WB, Real thickness_b) {
  const bool convex = is_convex_solid(a.type) && is_convex_solid(b.type);
  const ConvexDistance bare = convex ? convex_distance(a, X_WA, b, X_WB) : nearest_contact(a, X_WA, b, X_WB);
  return {bare.distance - thickness_a - thickness_b, fma(bare.normal, thickness_a, bare.point_a),
          fma(bare.normal, -thickness_b, bare.point_b), bare.normal};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
