// A convex core against a surface of triangles, a mesh or a heightfield: triangle by triangle, each with its manifold.
//
// The surface has an outside: the face of a triangle pushes along its normal. Between two faces it may push along
// directions in between where they form a convex edge; over flat and concave edges there are none, so a contact found
// there belongs to the face (the "internal edges" over which shapes would stumble otherwise).
#pragma once

#include "collide/narrow/general_contacts.kernel.h"
#include "collide/narrow/surface_manifold.kernel.h"
#include "geometry/heightfield_cells.kernel.h"
#include "geometry/mesh_walk.kernel.h"
#include "geometry/point/mesh.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kAllSidesConvex = kConvexSide0 | kConvexSide1 | kConvexSide2;

// Which sides of a triangle are convex; see TriangleFlag.
CAROM_HD int convex_sides(const MeshView& mesh, int triangle, const TriangleCorners&) {
  return mesh.triangle_flags[triangle];
}
// The neighbour across a side of a heightfield's triangle is its mirror image about the middle of the side.
CAROM_HD int convex_sides(const HeightfieldView& field, int, const TriangleCorners& t) {
  const Vec3 n = cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
  int flags = 0;
  for (int k = 0; k < 3; ++k) {
    const Vec3 a = t.corner[k], mirrored = a + t.corner[(k + 1) % 3] - t.corner[(k + 2) % 3];
    const Real slack = Real(1e-4);  // of a cell, for the rounding of the border
    const bool inside = abs(mirrored.x) <= field.hx * (1 + slack) && abs(mirrored.y) <= field.hy * (1 + slack);
    Vec3 other = mirrored;
    if (inside)
      other.z = surface_height(field, clamp(mirrored.x, -field.hx, field.hx), clamp(mirrored.y, -field.hy, field.hy));
    const Real bend = dot(n, other - a), size = length(n) * length(t.corner[(k + 1) % 3] - a);
    if (!inside || bend < Real(-1e-4) * size) flags |= kConvexSide0 << k;
  }
  return flags;
}

// A shape inside of a closed mesh is pushed out by the faces before it, not by those behind it; below a heightfield
// there is solid down to any depth.
CAROM_HD bool is_solid_below(const MeshView&) { return false; }
CAROM_HD bool is_solid_below(const HeightfieldView&) { return true; }

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// One triangle before a core; all in the frame of the core.
struct FacingTriangle {
  static constexpr Real kOnSide = Real(1e-4);  // of the triangle's height

  const CorePair& pair;  // the core and the triangle
  TriangleCorners t;
  Vec3 normal;  // of the face
  int convex_sides;
  bool solid_below;

  // How far a point of the plane is inside of side k, over the height of the triangle there.
  CAROM_HD Real inside_of_side(Vec3 p, int k) const {
    const Vec3 a = t.corner[k], b = t.corner[(k + 1) % 3], c = t.corner[(k + 2) % 3];
    return dot(cross(b - a, p - a), normal) / dot(cross(b - a, c - a), normal);
  }
  // Whether a point of the triangle is on a side that must not push by itself.
  CAROM_HD bool on_inner_side(Vec3 p) const {
    for (int k = 0; k < 3; ++k)
      if (!(convex_sides & kConvexSide0 << k) && inside_of_side(p, k) < kOnSide) return true;
    return false;
  }
  // Points on a side belong to both of its triangles.
  CAROM_HD bool covers(Vec3 p) const {
    return inside_of_side(p, 0) > -kOnSide && inside_of_side(p, 1) > -kOnSide && inside_of_side(p, 2) > -kOnSide;
  }
};

// Points over the face, along its normal.
CAROM_HD_LARGE int face_points(const FacingTriangle& facing, Real core_reach, const Transform& X_WA,
                               ContactPoint* out) {
  const CorePair& pair = facing.pair;
  const Vec3 n = -facing.normal;
  if (!facing.solid_below && dot(core_center(pair.a) - facing.t.corner[0], facing.normal) < 0) return 0;
  const Vec3 deepest = core_support(pair.a, n, 0).p;
  const Real separation = dot(facing.t.corner[0] - deepest, n);
  if (!(separation < core_reach)) return 0;
  Feature a, b;
  core_feature(pair.a, n, a);
  for (int k = 0; k < 3; ++k) add_feature_corner(b, facing.t.corner[k], k);
  b.normal = facing.normal;
  const ContactFrame frame = contact_frame(n);
  FlatManifold manifold;
  const Real least = overlap_of_features(a, b, frame, manifold), tolerance = kDeeperBy * core_size(pair.a);
  if (facing.covers(deepest))
    add_deepest(a, b, frame, {n, separation, deepest, fma(n, separation, deepest)}, tolerance, least, manifold);
  reduce_contacts(manifold, core_reach, tolerance);
  return write_contacts(manifold, frame, X_WA, pair.a.radius, 0, out);
}

// The contact of a core and one triangle of a surface.
CAROM_HD_LARGE int triangle_points(const FacingTriangle& facing, Real core_reach, const Transform& X_WA,
                                   ContactPoint* out) {
  constexpr Real kFaceOn = Real(0.9999);  // within 0.8 degrees of the face's normal
  const CorePair& pair = facing.pair;
  CoreContact contact;
  const bool near = core_distance(pair, core_reach, contact);
  if (!near && !facing.solid_below) return 0;
  const Real against = near ? -dot(contact.normal, facing.normal) : Real(1);
  const Vec3 touched = near ? fma(contact.normal, contact.distance, contact.point_a) : Vec3{};
  const bool by_face = !near || against > kFaceOn || contact.distance < 0 || facing.on_inner_side(touched);
  if (by_face) return face_points(facing, core_reach, X_WA, out);
  if (against <= 0) return 0;  // from behind
  Feature a, b;
  find_features(pair, contact, a, b);
  const ContactFrame frame = contact_frame(contact.normal);
  FlatManifold manifold;
  const Real least = overlap_of_features(a, b, frame, manifold), tolerance = kDeeperBy * core_size(pair.a);
  add_deepest(a, b, frame, contact, tolerance, least, manifold);
  reduce_contacts(manifold, core_reach, tolerance);
  return write_contacts(manifold, frame, X_WA, pair.a.radius, 0, out);
}

// The box of a core in the frame of another shape.
CAROM_HD void core_box(const ConvexCore& core, const Transform& X_BA, Real grown, Vec3& lower, Vec3& upper) {
  const Mat33 R = mat33_from_quat(X_BA.q);
  for (int i = 0; i < 3; ++i) {
    const Vec3 d = R[i];  // axis i of B in the frame of A
    upper[i] = dot(d, core_support(core, d, 0).p) + X_BA.p[i] + core.radius + grown;
    lower[i] = dot(d, core_support(core, -d, 0).p) + X_BA.p[i] - core.radius - grown;
  }
}

// A core that is deep in a closed mesh, before all of its faces: it leaves through the nearest one.
CAROM_HD_LARGE void add_buried(const ConvexCore& core, const Transform& X_WA, const MeshView& mesh,
                               const Transform& X_AB, SurfaceManifold& manifold) {
  if (!mesh.closed) return;
  const Vec3 center = core_center(core);
  const SurfacePoint nearest = surface_point_of_mesh(mesh, rotate(conjugate(X_AB.q), center - X_AB.p), 0);
  if (!(nearest.distance < 0)) return;
  const Vec3 n = -rotate(X_AB.q, nearest.normal), on_b = transform_point(X_AB, nearest.point);
  const Vec3 deepest = fma(n, core.radius, core_support(core, n, 0).p);
  const Real distance = dot(on_b - deepest, n);
  const Vec3 p_A = fma(n, Real(0.5) * distance, deepest);
  manifold.add({transform_point(X_WA, p_A), rotate(X_WA.q, n), distance, kMaxManifold * nearest.feature / 8});
}
CAROM_HD void add_buried(const ConvexCore&, const Transform&, const HeightfieldView&, const Transform&,
                         SurfaceManifold&) {}

// Points of a core (first) and a surface (second), nearer than reach, at most `room`. Features: 8 triangle + point.
template <class Surface>
CAROM_HD_STAGE int convex_triangles(const ConvexCore& core, const Transform& X_WA, const Surface& surface,
                                    const Transform& X_WB, Real reach, int room, ContactPoint* out) {
  const Transform X_AB = inverse(X_WA) * X_WB;
  Vec3 lower, upper;
  core_box(core, inverse(X_AB), reach, lower, upper);
  if (is_solid_below(surface)) upper.z = kUnbounded;
  SurfaceManifold manifold(Real(1e-3) * (core_size(core) + core.radius));
  triangles_in_box(surface, lower, upper, [&](int number, const TriangleCorners& t) CAROM_HD_LAMBDA {
    TriangleCorners t_A;
    for (int k = 0; k < 3; ++k) t_A.corner[k] = transform_point(X_AB, t.corner[k]);
    const ConvexCore triangle = triangle_core(t_A.corner[0], t_A.corner[1], t_A.corner[2]);
    const CorePair pair{core, triangle, mat33_identity<Real>(), {}};
    const FacingTriangle facing{pair, t_A, unit_normal(t_A), convex_sides(surface, number, t), is_solid_below(surface)};
    ContactPoint found[kMaxManifold];
    const int n = triangle_points(facing, reach + core.radius, X_WA, found);
    for (int i = 0; i < n; ++i) {
      found[i].feature = kMaxManifold * number + i;
      manifold.add(found[i]);
    }
  });
  if (manifold.count == 0) add_buried(core, X_WA, surface, X_AB, manifold);
  return manifold.write(room, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
