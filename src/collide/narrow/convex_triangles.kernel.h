// A convex core against a surface of triangles, a mesh or a heightfield: triangle by triangle, each with its manifold.
//
// The surface has an outside: the face of a triangle pushes along its normal. Between two faces it may push along
// directions in between where they form a convex edge; over flat and concave edges there are none, so a contact found
// there belongs to the face (the "internal edges" over which shapes would stumble otherwise). A core that cuts
// triangles but has no point over any of their faces, as across a corner, is pushed out of the one that it overlaps
// most.
#pragma once

#include "collide/narrow/general_contacts.kernel.h"
#include "collide/narrow/surface_manifold.kernel.h"
#include "geometry/heightfield_cells.kernel.h"
#include "geometry/mesh_walk.kernel.h"
#include "geometry/point/heightfield.kernel.h"
#include "geometry/point/mesh.kernel.h"

namespace carom::inline CAROM_PRECISION {

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
    // n.(other - a) is the sine of the bend times both heights over the side, which may be a small part of its length.
    const Vec3 side = t.corner[(k + 1) % 3] - a, across = cross(side, other - a);
    if (!inside || dot(n, other - a) * length(side) < Real(-1e-4) * length(n) * length(across))
      flags |= kConvexSide0 << k;
  }
  return flags;
}

// A shape inside of a closed mesh is pushed out by the faces before it, not by those behind it; below a heightfield
// there is solid down to any depth. p: a point of the shape in the frame of the surface.
CAROM_HD bool is_solid_below(const MeshView&) { return false; }
CAROM_HD bool is_solid_below(const HeightfieldView&) { return true; }
CAROM_HD bool is_solid(const MeshView& mesh) { return mesh.closed; }
CAROM_HD bool is_solid(const HeightfieldView&) { return true; }
CAROM_HD bool is_below(const MeshView&, Vec3) { return false; }
CAROM_HD bool is_below(const HeightfieldView& field, Vec3 p) {
  return is_over(field, p) && p.z < surface_height(field, p.x, p.y);
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// A triangle of a surface, in any frame.
struct SurfaceTriangle {
  static constexpr Real kOnSide = Real(1e-4);   // of the triangle's height
  static constexpr Real kUpright = Real(5e-4);  // [rad]

  TriangleCorners t;
  Vec3 normal;  // of the face
  int convex_sides;

  // How far a point of the plane is inside of side k, over the height of the triangle there.
  CAROM_HD Real inside_of_side(Vec3 p, int k) const {
    const Vec3 a = t.corner[k], b = t.corner[(k + 1) % 3], c = t.corner[(k + 2) % 3];
    return dot(cross(b - a, p - a), normal) / dot(cross(b - a, c - a), normal);
  }
  // Whether the direction `away` from p, a point of the triangle, leads over a flat or concave side that p is on: there
  // the surface goes on, and only faces push. In a corner where such a side ends at a convex one, directions that lean
  // over the convex one alone are free.
  CAROM_HD bool leads_over_inner_side(Vec3 p, Vec3 away) const {
    for (int k = 0; k < 3; ++k) {
      if (convex_sides & kConvexSide0 << k || !(inside_of_side(p, k) < kOnSide)) continue;
      const Vec3 side = t.corner[(k + 1) % 3] - t.corner[k];
      if (dot(cross(side, normal), away) > kUpright * length(side)) return true;
    }
    return false;
  }
  // Whether the direction n, before the face, leads over one convex side, and that side.
  CAROM_HD bool convex_edge_along(Vec3 n, ConvexFeature& edge) const {
    constexpr Real kAside = Real(0.02);
    const int far = core_support(triangle_core(t.corner[0], t.corner[1], t.corner[2]), n).id;
    const Real before = dot(n, t.corner[far] - t.corner[(far + 2) % 3]),
               after = dot(n, t.corner[far] - t.corner[(far + 1) % 3]);
    const int k = after < before ? far : (far + 2) % 3;
    const Vec3 from = t.corner[k], to = t.corner[(k + 1) % 3], side = to - from;
    if (!(convex_sides & kConvexSide0 << k) || !(dot(n, normal) > kAside)) return false;
    if (!(dot(cross(side, normal), n) > kAside * length(side))) return false;
    if (abs(dot(n, side)) > kUpright * length(side)) return false;
    edge.count = 0;
    add_feature_corner(edge, from, k);
    add_feature_corner(edge, to, (k + 1) % 3);
    return true;
  }
  CAROM_HD Real doubled_area() const { return length(cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0])); }
  // Points on a side belong to both of its triangles.
  CAROM_HD bool covers(Vec3 p) const {
    return inside_of_side(p, 0) > -kOnSide && inside_of_side(p, 1) > -kOnSide && inside_of_side(p, 2) > -kOnSide;
  }
};

// One triangle before a core; all in the frame of the core.
struct FacingTriangle {
  const CorePair& pair;  // the core and the triangle
  SurfaceTriangle face;
  bool below;  // the core is in the solid below a heightfield

  CAROM_HD Real rounding() const { return 16 * kRounding * length(face.t.corner[0]); }  // of distances [m]
  // The face pushes what is before it, and all that is below a heightfield. Of a flat core in its plane, touched by
  // rounding, nobody knows.
  CAROM_HD bool pushes() const {
    return below || dot(core_center(pair.a) - face.t.corner[0], face.normal) >= -rounding();
  }
};

// Points over the face, along its normal.
CAROM_HD_LARGE int face_points(const FacingTriangle& facing, Real core_reach, const Transform& X_WA,
                               ContactPoint* out) {
  const CorePair& pair = facing.pair;
  const Vec3 n = -facing.face.normal;
  if (!facing.pushes()) return 0;
  const Vec3 deepest = core_support(pair.a, n).p;
  const Real separation = dot(facing.face.t.corner[0] - deepest, n);
  if (!(separation < core_reach)) return 0;
  ConvexFeature a, b;
  core_feature(pair.a, n, kOutline, a);
  for (int k = 0; k < 3; ++k) add_feature_corner(b, facing.face.t.corner[k], k);
  b.normal = facing.face.normal;
  const ContactFrame frame = contact_frame(n);
  FlatManifold manifold;
  const Real least = overlap_of_features(a, b, frame, separation, manifold), size = core_size(pair.a);
  const Real tolerance = kDeeperBy * size;
  if (least > separation + tolerance && facing.face.covers(deepest)) {
    add_deepest(frame, {n, separation, deepest, fma(n, separation, deepest)}, 2 * kClipSlack * size, manifold);
  }
  reduce_contacts(manifold, core_reach, tolerance);
  return write_contacts(manifold, frame, X_WA, pair.a.radius, 0, out);
}

// What is left to be said of triangles that overlap a core or its ball but have no point: the way out of the one that
// overlaps most.
struct WayOut {
  Vec3 normal, deepest;  // of the way; the farthest point against it, frame of the core
  Real distance = 0;     // negative
  int triangle = -1;

  // Across the face, if it pushes, or the shortest way, if it does not lead behind the triangle: the lesser of the two.
  // A face that is only touched does not push a large core all the way across.
  CAROM_HD_LARGE void add(const FacingTriangle& facing, const CoreContact& contact, int number) {
    const Real radius = facing.pair.a.radius, least = -std::numeric_limits<Real>::max();
    const Vec3 p = fma(facing.face.normal, -radius, core_support(facing.pair.a, -facing.face.normal).p);
    const Real shortest = contact.distance - radius, across = dot(p - facing.face.t.corner[0], facing.face.normal);
    const Real by_face = facing.pushes() && across > 1000 * shortest ? across : least;
    const bool before = dot(contact.normal, facing.face.normal) < SurfaceTriangle::kUpright;  // or beside it
    const Real straight = before ? shortest : least;
    const Real overlap = max(by_face, straight);
    if (overlap == least || !(overlap < distance)) return;
    if (straight > by_face) *this = {-contact.normal, fma(contact.normal, radius, contact.point_a), overlap, number};
    else *this = {facing.face.normal, p, overlap, number};
  }
};

// A core that does not cut a triangle is before or behind it as far as it is over it: points nearer to the plane than
// the triangle itself are those of a core behind.
CAROM_HD int keep_before(Real nearest, ContactPoint* points, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i)
    if (points[i].distance >= nearest) points[kept++] = points[i];
  return kept;
}

CAROM_HD bool any_overlaps(const ContactPoint* points, int count) {
  for (int i = 0; i < count; ++i)
    if (points[i].distance < 0) return true;
  return false;
}

// Of triangles that a core does not cut, the one that it is nearest to and before. Over the corner of a surface that is
// hollow on one side its direction may lean over an inner side; of the whole surface the nearest point counts.
struct NearestBefore {
  Vec3 normal, point;  // from the core; of the core
  Real distance = kUnbounded;
  int triangle = -1;
};

// The contact of a core and one triangle of a surface.
CAROM_HD_LARGE int triangle_points(const FacingTriangle& facing, int number, Real core_reach, const Transform& X_WA,
                                   NearestBefore& nearest_before, WayOut& way_out, ContactPoint* out) {
  constexpr Real kFaceOn = Real(0.9999995);  // within 1e-3 rad of the face's normal
  constexpr Real kCutAside = Real(0.5);      // cut triangles push within 60 degrees of it
  constexpr Real kBeyond = 2, kSeam = 16;    // times deeper along the face's normal than another way out
  constexpr Real kShallow = Real(0.1);       // of the core's size
  const CorePair& pair = facing.pair;
  CoreContact contact;
  const bool near = core_distance(pair, core_reach, contact);
  if (facing.below && !(near && contact.distance < 0)) return face_points(facing, core_reach, X_WA, out);
  if (!near) return 0;
  const Real against = -dot(contact.normal, facing.face.normal);
  if (contact.distance >= 0 && against > 0 && contact.distance < nearest_before.distance)
    nearest_before = {contact.normal, contact.point_a, contact.distance, number};
  const Vec3 touched = fma(contact.normal, contact.distance, contact.point_a);
  const bool inner = facing.face.leads_over_inner_side(touched, -contact.normal);
  const bool on_face = against > kFaceOn || (against < -kFaceOn && contact.distance <= facing.rounding());
  if (contact.distance < 0) {
    // A core that leaves this triangle sooner over a convex side belongs to the face beyond it, which it overlaps less,
    // though its farthest point may be over this one; one that has no more than a seam of it belongs to the neighbours.
    const Vec3 farthest = core_support(pair.a, -facing.face.normal).p;
    const Real depth = dot(farthest - facing.face.t.corner[0], facing.face.normal);
    // Of corners equally far rounding chooses one, so it counts for cores alone that stand on the seam, not for those
    // that reach far behind it.
    const bool stands = facing.face.covers(farthest) && depth > -kShallow * core_size(pair.a);
    const bool beyond_side = inner ? depth < kSeam * contact.distance && !stands : depth < kBeyond * contact.distance;
    // Before the face there may be points that do not overlap though a rim between its corners does.
    const int n = beyond_side ? 0 : face_points(facing, core_reach, X_WA, out);
    if (any_overlaps(out, n)) return n;
    way_out.add(facing, contact, number);
    if (inner || against < kCutAside) return n;
  } else if (on_face || inner) {
    constexpr Real kSlack = sizeof(Real) == 8 ? Real(1e-7) : Real(1e-5);  // of the size: well above rounding
    const Real rounding = 64 * kRounding * (contact.distance + length(facing.face.t.corner[0]));
    const Real nearest = contact.distance - pair.a.radius - kSlack * core_size(pair.a) - rounding;
    const int n = keep_before(nearest, out, face_points(facing, core_reach, X_WA, out));
    if (n == 0 && contact.distance < pair.a.radius) way_out.add(facing, contact, number);
    return n;
  }
  if (against > 0) return manifold_points(pair, contact, core_reach, X_WA, out);
  if (contact.distance < pair.a.radius) way_out.add(facing, contact, number);  // from behind
  return 0;
}

// The box of a core in the frame of another shape.
CAROM_HD void core_box(const ConvexCore& core, const Transform& X_BA, Real grown, Vec3& lower, Vec3& upper) {
  const Mat33 R = mat33_from_quat(X_BA.q);
  for (int i = 0; i < 3; ++i) {
    const Vec3 d = R[i];  // axis i of B in the frame of A
    upper[i] = dot(d, core_support(core, d).p) + X_BA.p[i] + core.radius + grown;
    lower[i] = dot(d, core_support(core, -d).p) + X_BA.p[i] - core.radius - grown;
  }
}

CAROM_HD SurfacePoint nearest_surface(const MeshView& mesh, Vec3 p, Real reach) {
  return surface_point_of_mesh(mesh, p, reach);
}
CAROM_HD SurfacePoint nearest_surface(const HeightfieldView& field, Vec3 p, Real reach) {
  return surface_point_of_heightfield(field, p, reach);
}

// A core that overlaps the solid though no face says so: it leaves the triangle that it overlaps most, or through the
// one nearest to its centre.
template <class Surface>
CAROM_HD_STAGE void add_way_out(const ConvexCore& core, const Transform& X_WA, const Surface& surface,
                                const Transform& X_AB, WayOut way, SurfaceManifold& manifold) {
  if (way.triangle < 0) {
    const Vec3 center = core_center(core);
    const SurfacePoint nearest = nearest_surface(surface, rotate(conjugate(X_AB.q), center - X_AB.p), 0);
    if (!is_solid(surface) || !(nearest.distance < 0)) return;
    const Vec3 normal = rotate(X_AB.q, nearest.normal);
    const Vec3 deepest = fma(normal, -core.radius, core_support(core, -normal).p);
    way = {normal, deepest, dot(deepest - transform_point(X_AB, nearest.point), normal), nearest.feature / 8};
  }
  const Vec3 p_A = fma(way.normal, Real(-0.5) * way.distance, way.deepest);
  manifold.add({transform_point(X_WA, p_A), -rotate(X_WA.q, way.normal), way.distance, kMaxManifold * way.triangle});
}

// Points of a core (first) and a surface (second), nearer than reach, at most `room`. Features: 8 triangle + point.
template <class Surface>
CAROM_HD_STAGE int convex_triangles(const ConvexCore& core, const Transform& X_WA, const Surface& surface,
                                    const Transform& X_WB, Real reach, int room, ContactPoint* out) {
  const Quat q_AW = conjugate(X_WA.q);
  const Transform X_AB{rotate(q_AW, X_WB.p - X_WA.p), q_AW * X_WB.q}, X_BA = inverse(X_AB);
  Vec3 lower, upper;
  core_box(core, X_BA, reach, lower, upper);
  if (is_solid_below(surface)) upper.z = kUnbounded;
  const bool below = is_below(surface, transform_point(X_BA, core_center(core)));
  SurfaceManifold manifold(Real(1e-3) * (core_size(core) + core.radius));
  NearestBefore nearest;
  WayOut way_out;
  Real least = kUnbounded;  // distance of all points
  triangles_in_box(surface, lower, upper, [&](int number, const TriangleCorners& t) CAROM_HD_LAMBDA {
    TriangleCorners t_A;
    for (int k = 0; k < 3; ++k) t_A.corner[k] = transform_point(X_AB, t.corner[k]);
    const ConvexCore triangle = triangle_core(t_A.corner[0], t_A.corner[1], t_A.corner[2]);
    const CorePair pair{core, triangle, mat33_identity<Real>(), {}};
    const FacingTriangle facing{pair, {t_A, unit_normal(t_A), convex_sides(surface, number, t)}, below};
    ContactPoint found[kMaxManifold];
    const int n = triangle_points(facing, number, reach + core.radius, X_WA, nearest, way_out, found);
    for (int i = 0; i < n; ++i) {
      found[i].feature = kMaxManifold * number + i;
      least = min(least, found[i].distance);
      manifold.add(found[i]);
    }
  });
  const Real tolerance = kDeeperBy * (core_size(core) + core.radius) + 64 * kRounding * length(X_AB.p);
  if (!below && least > nearest.distance - core.radius + tolerance && nearest.distance < reach + core.radius) {
    least = nearest.distance - core.radius;
    const Vec3 middle = fma(nearest.normal, Real(0.5) * (nearest.distance + core.radius), nearest.point);
    manifold.add(
        {transform_point(X_WA, middle), rotate(X_WA.q, nearest.normal), least, kMaxManifold * nearest.triangle});
  }
  if (!(least < 0)) add_way_out(core, X_WA, surface, X_AB, way_out, manifold);
  return manifold.write(room, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
