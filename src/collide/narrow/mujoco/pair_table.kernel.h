// Which function finds the contacts of which pair of shapes where they are to be MuJoCo's; all pairs that are not named
// here have those of collide_shapes().
#pragma once

#include "collide/narrow/mujoco/box_box.kernel.h"
#include "collide/narrow/mujoco/capsule_box.kernel.h"
#include "collide/narrow/mujoco/convex_convex.kernel.h"
#include "collide/narrow/mujoco/convex_heightfield.kernel.h"
#include "collide/narrow/mujoco/plane_shapes.kernel.h"
#include "collide/narrow/pair_table.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

// MuJoCo's order of types. Which shape is the first shows in the points.
CAROM_HD int rank(ShapeType type) {
  switch (type) {
    case ShapeType::kPlane: return 0;
    case ShapeType::kCapsule: return 1;
    case ShapeType::kCylinder: return 2;
    case ShapeType::kBox: return 3;
    case ShapeType::kConvexHull: return 4;
    default: return -1;
  }
}

// The pair's points, a having no higher rank than b; -1 where they are those of collide_shapes().
CAROM_HD_LARGE int manifold(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                            Real reach, ContactPoint* out) {
  if (a.type == ShapeType::kPlane && !(a.scale.x > 0 || a.scale.y > 0))
    return plane_shape_as_mujoco(X_WA, b, X_WB, reach, out);
  if (a.type == ShapeType::kCapsule && b.type == ShapeType::kBox)
    return capsule_box_as_mujoco(a, X_WA, b, X_WB, reach, out);
  if (a.type == ShapeType::kPlane || b.type == ShapeType::kCapsule) return -1;
  const ConvexCore core_a = convex_core(a), core_b = convex_core(b);
  const CorePair pair = core_pair(core_a, X_WA, core_b, X_WB);
  if (a.type == ShapeType::kBox && b.type == ShapeType::kBox) return box_box_as_mujoco(pair, X_WA, reach, out);
  return convex_convex_as_mujoco(pair, X_WA, reach, out);
}

CAROM_HD bool meets_heightfields(ShapeType type) {
  return rank(type) > 0 || type == ShapeType::kSphere || type == ShapeType::kEllipsoid;
}

}  // namespace as_mujoco

// As collide_shapes(), with the points that MuJoCo makes.
CAROM_HD_LARGE int collide_shapes_as_mujoco(const ShapeView& a, const Transform& X_WA, const ShapeView& b,
                                            const Transform& X_WB, Real reach, int room, ContactPoint* out) {
  if (a.type == ShapeType::kHeightfield && as_mujoco::meets_heightfields(b.type))
    return convex_heightfield_as_mujoco(a.geometry->heightfield, X_WA, convex_core(b), X_WB, reach, room, out);
  if (b.type == ShapeType::kHeightfield && as_mujoco::meets_heightfields(a.type)) {
    const HeightfieldView& field = b.geometry->heightfield;
    const int n = convex_heightfield_as_mujoco(field, X_WB, convex_core(a), X_WA, reach, room, out);
    for (int i = 0; i < n; ++i) out[i].normal = -out[i].normal;
    return n;
  }
  const int rank_a = as_mujoco::rank(a.type), rank_b = as_mujoco::rank(b.type);
  if (rank_a < 0 || rank_b < 0) return collide_shapes(a, X_WA, b, X_WB, reach, room, out);
  const bool flipped = rank_a > rank_b;
  ContactPoint found[kMaxManifold];
  const int n = flipped ? as_mujoco::manifold(b, X_WB, a, X_WA, reach, found)
                        : as_mujoco::manifold(a, X_WA, b, X_WB, reach, found);
  if (n < 0) return collide_shapes(a, X_WA, b, X_WB, reach, room, out);
  const int kept = pair_table::keep_best(found, n, room, out);
  if (flipped)
    for (int i = 0; i < kept; ++i) out[i].normal = -out[i].normal;
  return kept;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
