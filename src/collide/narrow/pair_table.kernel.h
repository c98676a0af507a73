// Which function finds the contacts of which pair of shapes.
#pragma once

#include "collide/broad/shape_box.kernel.h"
#include "collide/contact_point.h"
#include "collide/narrow/capsule_capsule.kernel.h"
#include "collide/narrow/convex_convex.kernel.h"
#include "collide/narrow/convex_triangles.kernel.h"
#include "collide/narrow/plane_any.kernel.h"
#include "collide/narrow/plane_capsule.kernel.h"
#include "collide/narrow/plane_sphere.kernel.h"
#include "collide/narrow/searched_pair.kernel.h"
#include "collide/narrow/sphere_any.kernel.h"
#include "collide/narrow/sphere_capsule.kernel.h"
#include "collide/narrow/sphere_sphere.kernel.h"
#include "collide/narrow/surface_surface.kernel.h"
#include "collide/narrow/type_rank.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

// Most points that a pair can have.
CAROM_HD int most_points(const ShapeView& a, const ShapeView& b) {
  const auto bit = [](ShapeType type) CAROM_HD_LAMBDA { return 1u << static_cast<int>(type); };
  const unsigned types = bit(a.type) | bit(b.type);
  if (types & (bit(ShapeType::kMesh) | bit(ShapeType::kHeightfield) | bit(ShapeType::kSdf))) return kMaxPoints;
  if (types & (bit(ShapeType::kSphere) | bit(ShapeType::kEllipsoid))) return 1;
  if (types & bit(ShapeType::kCapsule)) return 2;
  return kMaxManifold;
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace pair_table {

CAROM_HD PosedShape<Real> posed(const ShapeView& shape, const Transform& X_WS) {
  if (shape.type == ShapeType::kSphere) return {X_WS.p, {0, 0, 1}, shape.scale.x, Real(0)};
  const bool capsule = shape.type == ShapeType::kCapsule;
  return {X_WS.p, axis_z(X_WS.q), capsule ? shape.scale.x : Real(0), capsule ? shape.scale.y : Real(0)};
}

// The points nearer than reach, of up to two hits.
CAROM_HD int keep_hits(const HitT<Real>* hit, bool second, Real reach, ContactPoint* out) {
  int n = 0;
  for (int i = 0; i < (second ? 2 : 1); ++i)
    if (hit[i].distance < reach) out[n++] = {hit[i].point, hit[i].normal, hit[i].distance, i};
  return n;
}

CAROM_HD int round_shapes(const PosedShape<Real>& a, ShapeType type_a, const PosedShape<Real>& b, ShapeType type_b,
                          Real reach, int room, ContactPoint* out) {
  HitT<Real> hit[2];
  bool second = false;
  const bool sphere_b = type_b == ShapeType::kSphere;
  if (type_a == ShapeType::kPlane) second = sphere_b ? plane_sphere(a, b, hit) : plane_capsule(a, b, hit);
  else if (type_a == ShapeType::kSphere) second = sphere_b ? sphere_sphere(a, b, hit) : sphere_capsule(a, b, hit);
  else second = capsule_capsule(a, b, hit);
  return keep_hits(hit, second && room > 1, reach, out);
}

// Both are round or planes: the functions that steps in lanes use, too.
CAROM_HD bool is_round(ShapeType type) { return type == ShapeType::kSphere || type == ShapeType::kCapsule; }
CAROM_HD bool is_convex(ShapeType type) { return type_rank(type) <= type_rank(ShapeType::kEllipsoid); }

CAROM_HD_LARGE int searched(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                            Real reach, int room, ContactPoint* out) {
  const Box box_a = grown(shape_world_box(a, X_WA), reach), box_b = grown(shape_world_box(b, X_WB), reach);
  const Vec3 lower = max(box_a.lower, box_b.lower), upper = min(box_a.upper, box_b.upper);
  if (!overlap(box_a, box_b)) return 0;
  return searched_pair({a, X_WA, b, X_WB, reach, lower, upper}, room, out);
}

// At most `room` of the points of a manifold.
CAROM_HD_LARGE int keep_best(ContactPoint* points, int count, int room, ContactPoint* out) {
  if (count > room && room > 1) count = reduce_points(points, count, room);
  if (count > room) {
    int deepest = 0;
    for (int i = 1; i < count; ++i)
      if (points[i].distance < points[deepest].distance) deepest = i;
    points[0] = points[deepest];
    count = 1;
  }
  for (int i = 0; i < count; ++i) out[i] = points[i];
  return count;
}

// Points beside a plane that has a width or a length are no contacts.
CAROM_HD_LARGE int keep_on_strip(Vec3 scale, const Transform& X_WA, ContactPoint* points, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 p = rotate(conjugate(X_WA.q), points[i].point - X_WA.p);
    if (scale.x > 0 && abs(p.x) > scale.x * Real(0.5)) continue;
    if (scale.y > 0 && abs(p.y) > scale.y * Real(0.5)) continue;
    points[kept++] = points[i];
  }
  return kept;
}

// Pairs that have at most kMaxManifold points.
CAROM_HD_LARGE int whole_manifold(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                                  Real reach, ContactPoint* out) {
  if (is_half_space(a.type, a.scale)) return keep_on_strip(a.scale, X_WA, out, plane_any(X_WA, b, X_WB, reach, out));
  if (a.type == ShapeType::kSphere) return sphere_any(X_WA.p, a.scale.x, b, X_WB, reach, out);
  return convex_convex(a, X_WA, b, X_WB, reach, out);
}
CAROM_HD_LARGE int one_manifold(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                                Real reach, int room, ContactPoint* out) {
  if (room >= kMaxManifold) return whole_manifold(a, X_WA, b, X_WB, reach, out);
  ContactPoint found[kMaxManifold];
  return keep_best(found, whole_manifold(a, X_WA, b, X_WB, reach, found), room, out);
}

// All pairs but those of round shapes; a has the lower rank.
CAROM_HD_LARGE int other_shapes(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                                Real reach, int room, ContactPoint* out) {
  const bool half_space = is_half_space(a.type, a.scale);
  if (a.type == ShapeType::kPlane && (b.type == ShapeType::kPlane || (half_space && b.type == ShapeType::kHeightfield)))
    return 0;
  if (half_space || a.type == ShapeType::kSphere || is_convex(b.type))
    return one_manifold(a, X_WA, b, X_WB, reach, room, out);
  if (is_convex(a.type) && b.type == ShapeType::kMesh)
    return convex_triangles(core_before_triangles(a), X_WA, b.geometry->mesh, X_WB, reach, room, out);
  if (is_convex(a.type) && b.type == ShapeType::kHeightfield)
    return convex_triangles(core_before_triangles(a), X_WA, b.geometry->heightfield, X_WB, reach, room, out);
  if (a.type == ShapeType::kMesh && b.type == ShapeType::kMesh)
    return surface_surface(a.geometry->mesh, X_WA, b.geometry->mesh, X_WB, reach, room, out);
  if (a.type == ShapeType::kMesh && b.type == ShapeType::kHeightfield)
    return surface_surface(a.geometry->mesh, X_WA, b.geometry->heightfield, X_WB, reach, room, out);
  return searched(a, X_WA, b, X_WB, reach, room, out);
}

// The smaller mesh comes first, whose frame keeps more digits; of equal size the one of fewer triangles. As that
// depends on what they are made of alone, swapping them mirrors the points to the bit.
CAROM_HD bool comes_after(const MeshView& a, const MeshView& b) {
  if (is_empty(a) || is_empty(b)) return false;
  const Real size_a = length_squared(a.node[0].upper - a.node[0].lower);
  const Real size_b = length_squared(b.node[0].upper - b.node[0].lower);
  return size_a == size_b ? a.triangle_count > b.triangle_count : size_a > size_b;
}
CAROM_HD bool comes_after(const ShapeView& a, const ShapeView& b) {
  if (a.type == ShapeType::kMesh && b.type == ShapeType::kMesh) return comes_after(a.geometry->mesh, b.geometry->mesh);
  return type_rank(a.type) > type_rank(b.type);
}

}  // namespace pair_table

// The points of two posed shapes that are nearer than `reach`, at most `room` of them, sorted by feature.
CAROM_HD int collide_shapes(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                            Real reach, int room, ContactPoint* out) {
  const bool flipped = pair_table::comes_after(a, b);
  const ShapeView &first = flipped ? b : a, &second = flipped ? a : b;
  const Transform &X_W1 = flipped ? X_WB : X_WA, &X_W2 = flipped ? X_WA : X_WB;
  const bool endless = first.type == ShapeType::kPlane && !(first.scale.x > 0 || first.scale.y > 0);
  const bool round = pair_table::is_round(second.type) && (endless || pair_table::is_round(first.type));
  const int n = round ? pair_table::round_shapes(pair_table::posed(first, X_W1), first.type,
                                                 pair_table::posed(second, X_W2), second.type, reach, room, out)
                      : pair_table::other_shapes(first, X_W1, second, X_W2, reach, room, out);
  if (flipped)
    for (int i = 0; i < n; ++i) out[i].normal = -out[i].normal;
  return n;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
