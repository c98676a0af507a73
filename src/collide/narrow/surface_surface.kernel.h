// Two surfaces of triangles: a mesh and a mesh, or a mesh and a heightfield.
//
// Surfaces that are apart touch where triangles come nearer than the reach: along the normal of a face over faces and
// over flat or concave sides, along directions in between only at convex sides and corners, always before both.
//
// Surfaces that cross share a part of space. Its lid and its floor are faces of the one and of the other that look away
// from each other: such a pair of triangles, seen along the normal of that through which the way out is shorter, gives
// points where they lie over each other, each with its depth. A pair counts when what is between them belongs to both
// solids and there is no much shorter way out: the middle of the overlap is asked for its signed distance. So the far
// side of a plate, or the side walls of two boxes that rest on each other, do not push. Triangles are looked for as far
// away as they are deep.
//
// What two convex parts share has many faces, and along most of their normals it is wider than the way out is long. So
// points that are free once the shapes have gone a shorter way, along the normal of other points, are dropped.
//
// The deepest vertex of one in the solid of the other is always among the points, also where none cross because one is
// all inside of the other. Shapes are at least as deep in each other as any two of their triangles: where the points
// say less, those that overlap most are parted.
#pragma once

#include "collide/narrow/convex_triangles.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD ConvexCore triangle_core(const TriangleCorners& t) {
  return triangle_core(t.corner[0], t.corner[1], t.corner[2]);
}
CAROM_HD void triangle_box(const TriangleCorners& t, Real grown, Vec3& lower, Vec3& upper) {
  const Vec3 by{grown, grown, grown};
  lower = min(t.corner[0], min(t.corner[1], t.corner[2])) - by;
  upper = max(t.corner[0], max(t.corner[1], t.corner[2])) + by;
}
CAROM_HD TriangleCorners moved(const TriangleCorners& t, const Transform& X) {
  return {{transform_point(X, t.corner[0]), transform_point(X, t.corner[1]), transform_point(X, t.corner[2])}};
}

// The box about a turned box.
CAROM_HD void turned_box(const Transform& X, Real grown, Vec3& lower, Vec3& upper) {
  const Mat33 R = mat33_from_quat(X.q);
  const Vec3 center = transform_point(X, (lower + upper) * Real(0.5)), half = (upper - lower) * Real(0.5);
  Vec3 around;
  for (int i = 0; i < 3; ++i) around[i] = dot(abs(R[i]), half) + grown;
  lower = center - around, upper = center + around;
}
CAROM_HD void surface_box(const MeshView& mesh, Vec3& lower, Vec3& upper) {
  lower = mesh.node[0].lower, upper = mesh.node[0].upper;
}
CAROM_HD void surface_box(const HeightfieldView& field, Vec3& lower, Vec3& upper) {
  lower = {-field.hx, -field.hy, field.min_z}, upper = {field.hx, field.hy, field.max_z};
}
CAROM_HD bool is_empty(const MeshView& mesh) { return mesh.node_count == 0; }
CAROM_HD bool is_empty(const HeightfieldView&) { return false; }

// Whether a ball may have a part in the solid of a surface. What lies behind an open mesh is behind it at any depth;
// beside a heightfield the distance to its border says nothing of the solid below.
CAROM_HD bool may_hold(const MeshView& mesh, Vec3 p, Real radius) {
  return nearest_surface(mesh, p, mesh.closed ? radius : kUnbounded).distance < radius;
}
CAROM_HD bool may_hold(const HeightfieldView& field, Vec3 p, Real radius) {
  if (is_over(field, p)) return nearest_surface(field, p, radius).distance < radius;
  return abs(p.x) - field.hx < radius && abs(p.y) - field.hy < radius && p.z - field.max_z < radius;
}
// Calls visit(number, corners) for the triangles that may have a part in the solid of another surface, in whose frame
// this one stands at X. lower, upper: the box of the other one, in the frame of this.
template <class Other, class Visit>
CAROM_HD void triangles_inside(const MeshView& mesh, const Transform& X, const Other& other, Vec3, Vec3, Visit visit) {
  visit_tree(
      mesh,
      [&](const BvhNode& node) CAROM_HD_LAMBDA {
        const Real radius = length(node.upper - node.lower) * Real(0.5);
        return may_hold(other, transform_point(X, (node.lower + node.upper) * Real(0.5)), radius);
      },
      [&](int triangle) CAROM_HD_LAMBDA { visit(triangle, triangle_corners(mesh, triangle)); });
}
template <class Other, class Visit>
CAROM_HD void triangles_inside(const HeightfieldView& field, const Transform&, const Other&, Vec3 lower, Vec3 upper,
                               Visit visit) {
  triangles_in_box(field, lower, upper, visit);
}

// A number for a part of two triangles; the same while they are the same.
CAROM_HD int mixed_feature(int number_a, int number_b, int part) {
  std::uint32_t h = std::uint32_t(number_a) * 0x9e3779b1u ^ (std::uint32_t(number_b) + 0x85ebca6bu) * 0xc2b2ae35u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  return int((h ^ std::uint32_t(part) * 0x297a2d39u) >> 1);
}

// Two triangles of surfaces, in the frame of the first surface.
struct TrianglePair {
  SurfaceTriangle a, b;
  int number_a, number_b;

  // Over which parts they lie along n, from a to b. A triangle that stands upright has a side or a corner there.
  CAROM_HD_LARGE void features_along(Vec3 n, ConvexFeature& of_a, ConvexFeature& of_b) const {
    feature_along(a, n, of_a);
    feature_along(b, -n, of_b);
  }
  CAROM_HD static void feature_along(const SurfaceTriangle& face, Vec3 n, ConvexFeature& feature) {
    constexpr Real kUpright = Real(0.02), kLevel = Real(1e-3);  // [rad], of the face and of its sides
    feature.count = 0;
    const bool upright = !(dot(face.normal, n) > kUpright);
    const Vec3 far = core_support(triangle_core(face.t), n).p;
    for (int k = 0; k < 3 && feature.count < (upright ? 2 : 3); ++k) {
      const Vec3 p = face.t.corner[k];
      if (!upright || dot(n, far - p) <= kLevel * length(far - p)) add_feature_corner(feature, p, k);
    }
    feature.normal = face.normal;
  }
};

// The deepest point of each normal. More normals than there is room for are not compared.
struct WaysOut {
  static constexpr int kRoom = 16;
  static constexpr Real kSameNormal = Real(0.99999);  // within 5e-3 rad
  ContactPoint deepest[kRoom];
  int count = 0;
  bool too_many = false;

  CAROM_HD_LARGE void add(const ContactPoint& p) {
    int at = 0;
    while (at < count && !(dot(deepest[at].normal, p.normal) > kSameNormal)) ++at;
    if (at == kRoom) too_many = true;
    else if (at == count) deepest[count++] = p;
    else if (p.distance < deepest[at].distance) deepest[at] = p;
  }
};

// A vertex of one surface in the solid of the other, in the frame of A.
struct DeepVertex {
  Vec3 middle;        // between the vertex and the other's surface
  Vec3 normal;        // from A to B
  Real distance = 0;  // negative
  int feature = 0;
};

template <class Surface>
struct SurfacePair {
  static constexpr Real kShorter = Real(0.7);  // less than this part of a way out is a much shorter one

  const MeshView& a;
  const Surface& b;
  Transform X_WA, X_AB, X_BA;
  Real reach;
  Real size;  // of the smaller one, for tolerances [m]
  SurfaceManifold manifold;
  WaysOut ways{};      // of triangles that have passed each other
  CoreContact most{};  // of the pairs of triangles that cross: the one that overlaps most
  int most_feature = 0;
  bool most_leads_out = false;
  Real deepest_cut = 0;  // of all of them [m]
  bool meet = false;     // some triangles touch or cross
  Real least = 0;        // distance of all points
  DeepVertex deepest{};

  CAROM_HD int sides_of_a(int number) const { return convex_sides(a, number, triangle_corners(a, number)); }
  CAROM_HD int sides_of_b(int number) const { return convex_sides(b, number, triangle_corners(b, number)); }
  // Which sides are convex is asked for where it matters: of a heightfield it has to be worked out.
  CAROM_HD static SurfaceTriangle face_alone(const TriangleCorners& t_A) { return {t_A, unit_normal(t_A), 0}; }
  CAROM_HD SurfacePoint nearest_of_a(Vec3 p_A, Real within) const { return nearest_surface(a, p_A, within); }
  CAROM_HD SurfacePoint nearest_of_b(Vec3 p_A, Real within) const {
    return nearest_surface(b, transform_point(X_BA, p_A), within);
  }

  CAROM_HD Real tolerance() const { return kDeeperBy * size; }
  CAROM_HD Real rounding_at(Vec3 p_A) const { return 64 * kRounding * (size + length(p_A) + length(X_AB.p)); }

  CAROM_HD void add(const TrianglePair& pair, ContactPoint* points, int count) {
    for (int i = 0; i < count; ++i) {
      points[i].feature = mixed_feature(pair.number_a, pair.number_b, points[i].feature);
      least = min(least, points[i].distance);
      manifold.add(points[i]);
    }
  }

  CAROM_HD int write(const ContactFrame& frame, FlatManifold& flat, ContactPoint* points) const {
    reduce_contacts(flat, reach, tolerance());
    return write_contacts(flat, frame, X_WA, 0, 0, points);
  }

  // -- Triangles nearer than the reach.

  CAROM_HD_STAGE void add_near_triangles() {
    const Real near = reach + tolerance();
    Vec3 lower, upper;
    surface_box(a, lower, upper);
    turned_box(X_BA, near, lower, upper);
    triangles_in_box(b, lower, upper, [&](int k, const TriangleCorners& t_B) CAROM_HD_LAMBDA {
      SurfaceTriangle face_b = face_alone(moved(t_B, X_AB));
      face_b.convex_sides = sides_of_b(k);
      Vec3 low, high;
      triangle_box(face_b.t, near, low, high);
      triangles_in_box(a, low, high, [&](int i, const TriangleCorners& t_A) CAROM_HD_LAMBDA {
        Vec3 low_a, high_a;
        triangle_box(t_A, 0, low_a, high_a);
        if (!boxes_meet(low, high, low_a, high_a)) return;
        near_triangles({{t_A, unit_normal(t_A), sides_of_a(i)}, face_b, i, k}, near);
      });
    });
  }
  CAROM_HD_STAGE void near_triangles(const TrianglePair& pair, Real near) {
    constexpr Real kBehind = Real(-0.02);
    const ConvexCore core_a = triangle_core(pair.a.t), core_b = triangle_core(pair.b.t);
    const CorePair cores{core_a, core_b, mat33_identity<Real>(), {}};
    CoreContact contact;
    if (!core_distance(cores, near, contact)) return;
    if (contact.distance < 0) try_faces(pair, cores, contact);
    if (contact.distance > near) return;
    const Real facing_a = dot(contact.normal, pair.a.normal), facing_b = -dot(contact.normal, pair.b.normal);
    // Surfaces may overlap though none of their triangles cross, as two boxes whose sides lie in the same planes.
    meet = meet || contact.distance < tolerance();
    if (contact.distance < 0) add_cut(pair, contact, facing_a > kBehind && facing_b > kBehind);
    // Whether triangles that touch cross is for rounding to say.
    if (contact.distance < -tolerance() || facing_a < kBehind || facing_b < kBehind) return;
    add_touch(pair, cores, contact, facing_a, facing_b);
  }
  // A search over a small triangle and a very large one, whose corners are coarse, may not see that a face parts them.
  CAROM_HD void try_faces(const TrianglePair& pair, const CorePair& cores, CoreContact& contact) const {
    const Vec3 ways[] = {pair.a.normal, -pair.a.normal, pair.b.normal, -pair.b.normal};
    for (const Vec3& n : ways) try_farther(cores, n, contact);
    settle_points(cores, tolerance(), contact);
  }
  CAROM_HD void add_cut(const TrianglePair& pair, const CoreContact& contact, bool leads_out) {
    deepest_cut = max(deepest_cut, -contact.distance);
    if (most_leads_out && !leads_out) return;
    if (most_leads_out == leads_out && !(contact.distance < most.distance)) return;
    most = contact, most_leads_out = leads_out, most_feature = mixed_feature(pair.number_a, pair.number_b, 0);
  }
  // Along the normal of a face where that is the direction, and where it leads over an inner side.
  CAROM_HD_STAGE void add_touch(const TrianglePair& pair, const CorePair& cores, CoreContact& contact, Real facing_a,
                                Real facing_b) {
    constexpr Real kFaceOn = Real(0.9999995);  // within 1e-3 rad of the face's normal
    const Real distance = contact.distance;
    const Vec3 on_b = fma(contact.normal, distance, contact.point_a);
    const bool on_face_b = facing_b > kFaceOn, on_face_a = facing_a > kFaceOn;
    const bool by_b = on_face_b || pair.b.leads_over_inner_side(on_b, -contact.normal);
    const bool by_a = !by_b && (on_face_a || pair.a.leads_over_inner_side(contact.point_a, contact.normal));
    ConvexFeature feature_a, feature_b;
    if (by_b) contact.normal = -pair.b.normal;
    if (by_a) contact.normal = pair.a.normal;
    if (by_a || by_b) pair.features_along(contact.normal, feature_a, feature_b);
    else find_features(cores, contact, feature_a, feature_b);
    const ContactFrame frame = contact_frame(contact.normal);
    FlatManifold flat;
    overlap_of_features(feature_a, feature_b, frame, -kUnbounded, flat);
    const Real rounding = 64 * kRounding * (distance + length(pair.b.t.corner[0]));
    const Real nearest = drop_nearer(flat, distance - tolerance() - rounding);
    const bool has_nearest = by_b ? on_face_b : !by_a || on_face_a;
    if (has_nearest && nearest > contact.distance + tolerance())
      add_deepest(frame, contact, 2 * kClipSlack * size, flat);
    ContactPoint points[kMaxManifold];
    add(pair, points, write(frame, flat, points));
  }
  // Triangles that do not cross are nowhere nearer to each other than they are: corners that say so are beside one of
  // them, by the slack of the cut. Returns the least distance of the others.
  CAROM_HD static Real drop_nearer(FlatManifold& flat, Real distance) {
    Real least = std::numeric_limits<Real>::max();
    int kept = 0;
    for (int i = 0; i < flat.count; ++i) {
      const Real found = flat.point[i].zb - flat.point[i].za;
      if (!(found >= distance)) continue;
      least = min(least, found);
      flat.point[kept++] = flat.point[i];
    }
    flat.count = kept;
    return least;
  }

  // -- Triangles that have passed each other.

  // Looks for parts of one surface in the solid of the other. Where no triangles meet these are whole pieces of it, and
  // only solids have an inside.
  CAROM_HD_STAGE void add_passed_triangles() {
    const Real far = max(deepest_cut, reach);
    Vec3 lower, upper;
    surface_box(a, lower, upper);
    turned_box(X_BA, 0, lower, upper);
    if (meet || is_solid(b)) {
      triangles_inside(a, X_BA, b, {}, {}, [&](int i, const TriangleCorners& t_A) CAROM_HD_LAMBDA {
        const Real depth = max(far, depth_of(i, t_A, InB{*this}));
        if (!meet) return;
        const SurfaceTriangle face_a = face_alone(t_A);
        Vec3 low, high;
        triangle_box(t_A, depth / kShorter, low, high);
        turned_box(X_BA, 0, low, high);
        triangles_in_box(b, low, high, [&](int k, const TriangleCorners& t_B) CAROM_HD_LAMBDA {
          passed_triangles({face_a, face_alone(moved(t_B, X_AB)), i, k}, depth);
        });
      });
    }
    if (meet || is_solid(a)) {
      triangles_inside(b, X_AB, a, lower, upper, [&](int k, const TriangleCorners& t_B) CAROM_HD_LAMBDA {
        const Real depth = depth_of(k, t_B, InA{*this});
        if (!meet || !(depth > far)) return;  // found from the other side
        const SurfaceTriangle face_b = face_alone(moved(t_B, X_AB));
        Vec3 low, high;
        triangle_box(face_b.t, depth / kShorter, low, high);
        triangles_in_box(a, low, high, [&](int i, const TriangleCorners& t_A) CAROM_HD_LAMBDA {
          passed_triangles({face_alone(t_A), face_b, i, k}, depth);
        });
      });
    }
  }
  // Points of one surface, in its own frame, as the other sees them. What lies behind an open mesh is behind it at any
  // depth.
  struct InB {
    const SurfacePair& pair;
    CAROM_HD SurfacePoint operator()(Vec3 p_A, Real within) const {
      return pair.nearest_of_b(p_A, is_solid(pair.b) ? within : kUnbounded);
    }
    CAROM_HD DeepVertex vertex(Vec3 p_A, const SurfacePoint& at, int number) const {
      const Vec3 normal = -rotate(pair.X_AB.q, at.normal);
      return {fma(normal, Real(0.5) * at.distance, p_A), normal, at.distance, mixed_feature(number, at.feature, -1)};
    }
  };
  struct InA {
    const SurfacePair& pair;
    CAROM_HD SurfacePoint operator()(Vec3 p_B, Real within) const {
      return pair.nearest_of_a(transform_point(pair.X_AB, p_B), is_solid(pair.a) ? within : kUnbounded);
    }
    CAROM_HD DeepVertex vertex(Vec3 p_B, const SurfacePoint& at, int number) const {
      const Vec3 middle = fma(at.normal, Real(-0.5) * at.distance, transform_point(pair.X_AB, p_B));
      return {middle, at.normal, at.distance, mixed_feature(at.feature, number, -1)};
    }
  };
  // Of the corners of a triangle in the solid of the other surface, and of its middle: corners may be on the rim.
  template <class Other>
  CAROM_HD_STAGE Real depth_of(int number, const TriangleCorners& t, const Other& other) {
    Real depth = -other((t.corner[0] + t.corner[1] + t.corner[2]) * Real(1.0 / 3), 0).distance;
    for (int k = 0; k < 3; ++k) {
      const SurfacePoint at = other(t.corner[k], 0);
      depth = max(depth, -at.distance);
      if (at.distance < deepest.distance) deepest = other.vertex(t.corner[k], at, number);
    }
    return depth;
  }

  // Pairs deeper than `limit` may be far away from each other, and are none.
  CAROM_HD_STAGE void passed_triangles(const TrianglePair& pair, Real limit) {
    constexpr Real kOpposed = Real(-0.05);
    if (!(dot(pair.a.normal, pair.b.normal) < kOpposed)) return;
    if (!is_partly_behind(pair.a, pair.b) || !is_partly_behind(pair.b, pair.a)) return;
    const bool over_b = may_lie_over(pair, pair.b.normal), over_a = may_lie_over(pair, pair.a.normal);
    if (!over_a && !over_b) return;
    FlatManifold along_b, along_a;
    const ContactFrame frame_b = contact_frame(-pair.b.normal), frame_a = contact_frame(pair.a.normal);
    const Real depth_b = over_b ? overlap_along(pair, frame_b, along_b) : Real(0);
    const Real depth_a = over_a ? overlap_along(pair, frame_a, along_a) : Real(0);
    if (!(max(depth_a, depth_b) > 0) || add_edges(pair, depth_a, depth_b)) return;
    const bool a_first = goes_through_a(pair, depth_a, depth_b);
    if (a_first && add_passed(pair, frame_a, limit, false, along_a)) return;
    if (depth_b > 0 && add_passed(pair, frame_b, limit, true, along_b)) return;
    if (depth_a > 0 && !a_first) add_passed(pair, frame_a, limit, false, along_a);
  }
  // The shallower way; where both are about as deep, through the larger triangle, which tells more of the surface.
  CAROM_HD static bool goes_through_a(const TrianglePair& pair, Real depth_a, Real depth_b) {
    constexpr Real kClearly = Real(0.95), kLarger = Real(1.01);
    if (!(depth_a > 0) || !(depth_b > 0)) return depth_a > 0;
    const Real area_a = pair.a.doubled_area(), area_b = pair.b.doubled_area();
    if (area_a > kLarger * area_b) return !(depth_b < kClearly * depth_a);
    if (area_b > kLarger * area_a) return depth_a < kClearly * depth_b;
    return depth_a < depth_b;
  }
  // Two convex edges that have passed each other, where that is clearly less deep than through a face.
  CAROM_HD_STAGE bool add_edges(const TrianglePair& pair, Real depth_a, Real depth_b) {
    constexpr Real kClearly = 1 - kFacePreference;
    const ConvexCore core_a = triangle_core(pair.a.t), core_b = triangle_core(pair.b.t);
    const CorePair cores{core_a, core_b, mat33_identity<Real>(), {}};
    CoreContact contact;
    if (!core_distance(cores, 0, contact) || !(contact.distance < 0)) return false;
    const Real depth = depth_a > 0 && (depth_a < depth_b || !(depth_b > 0)) ? depth_a : depth_b;
    if (!(-contact.distance < kClearly * depth)) return false;
    SurfaceTriangle a_side = pair.a, b_side = pair.b;
    a_side.convex_sides = sides_of_a(pair.number_a), b_side.convex_sides = sides_of_b(pair.number_b);
    ConvexFeature edge_a, edge_b;
    if (!a_side.convex_edge_along(contact.normal, edge_a)) return false;
    if (!b_side.convex_edge_along(-contact.normal, edge_b)) return false;
    witness_from_features(edge_a, edge_b, contact);
    ContactPoint point;
    add(pair, &point, write_point(cores, edge_a, edge_b, contact, X_WA, &point));
    ways.add(point);
    return true;
  }
  CAROM_HD_STAGE bool add_passed(const TrianglePair& pair, const ContactFrame& frame, Real limit, bool through_b,
                                 FlatManifold& flat) {
    const Shared shared = what_is_shared(frame, flat, limit, through_b);
    if (shared == Shared::kNone) return false;
    ContactPoint points[kMaxManifold];
    const int count = write(frame, flat, points);
    for (int i = 0; i < count; ++i)
      if (points[i].distance < 0) ways.add(points[i]);
    if (shared == Shared::kShorterAside) return false;
    add(pair, points, count);
    return true;
  }
  // Whether balls about the triangles overlap, seen along n.
  CAROM_HD static bool may_lie_over(const TrianglePair& pair, Vec3 n) {
    const Vec3 middle_a = core_center(triangle_core(pair.a.t)), middle_b = core_center(triangle_core(pair.b.t));
    Real radius_a = 0, radius_b = 0;
    for (int k = 0; k < 3; ++k) {
      radius_a = max(radius_a, length_squared(pair.a.t.corner[k] - middle_a));
      radius_b = max(radius_b, length_squared(pair.b.t.corner[k] - middle_b));
    }
    const Vec3 between = middle_b - middle_a;
    const Real aside = length_squared(between) - square(dot(between, n));
    return aside <= Real(1.01) * square(sqrt(radius_a) + sqrt(radius_b));
  }
  // Whether a corner of the triangle is behind the other one.
  CAROM_HD static bool is_partly_behind(const SurfaceTriangle& face, const SurfaceTriangle& other) {
    for (int k = 0; k < 3; ++k)
      if (dot(face.t.corner[k] - other.t.corner[0], other.normal) < 0) return true;
    return false;
  }
  // Returns the greatest depth.
  CAROM_HD static Real overlap_along(const TrianglePair& pair, const ContactFrame& frame, FlatManifold& flat) {
    ConvexFeature feature_a, feature_b;
    pair.features_along(frame.n, feature_a, feature_b);
    const Real nearest = overlap_of_features(feature_a, feature_b, frame, -kUnbounded, flat);
    return flat.count > 2 ? -nearest : Real(0);
  }
  // Whether the middle of that part of the polygon where the triangles have passed each other is between the surface of
  // the one and that of the other, and whether it has a much shorter way out of the solid of the face that it leaves
  // through.
  enum class Shared { kNone, kShorterAside, kAll };
  CAROM_HD_STAGE Shared what_is_shared(const ContactFrame& frame, const FlatManifold& flat, Real limit,
                                       bool through_b) const {
    Vec3 sum{};
    Real depth = 0, count = 0;
    for (int i = 0; i < flat.count; ++i) {
      const FlatContact &p = flat.point[i], &q = flat.point[i + 1 == flat.count ? 0 : i + 1];
      const Real from = p.za - p.zb, to = q.za - q.zb;
      if (from > 0) sum += {p.x, p.y, p.za}, depth += from, count += 1;
      if ((from > 0) == (to > 0)) continue;
      const Real t = from / (from - to);
      sum += {fma(q.x - p.x, t, p.x), fma(q.y - p.y, t, p.y), fma(q.za - p.za, t, p.za)}, count += 1;
    }
    if (!(count > 0)) return Shared::kNone;
    sum = sum * (1 / count), depth *= 1 / count;
    const Vec3 on_a = fma(frame.n, sum.z, fma(frame.y, sum.y, frame.x * sum.x)), on_b = fma(frame.n, -depth, on_a);
    const Real rounding = rounding_at(on_a);
    if (depth < rounding) return Shared::kAll;
    if (kShorter * depth > limit) return Shared::kNone;
    const Real in_b = -nearest_of_b(on_a, depth + rounding).distance;
    if (!(in_b > -rounding)) return Shared::kNone;
    const Real in_a = -nearest_of_a(on_b, depth + rounding).distance;
    if (!(in_a > -rounding)) return Shared::kNone;
    return (through_b ? in_b : in_a) > kShorter * depth - rounding ? Shared::kAll : Shared::kShorterAside;
  }

  // -- What is left.

  // Leaves the points that no shorter way frees, and the deepest of all of them.
  CAROM_HD_STAGE void drop_needless() {
    if (most_leads_out) ways.add(most_point());
    if (ways.too_many) return;
    int kept = 0, deepest_way = -1;
    least = 0;
    for (int i = 0; i < manifold.count; ++i) {
      if (is_freed(manifold.point[i])) continue;
      least = min(least, manifold.point[i].distance);
      manifold.point[kept++] = manifold.point[i];
    }
    manifold.count = kept;
    for (int i = 0; i < ways.count; ++i) {
      if (!is_deeper(ways.deepest[i].distance) || is_freed(ways.deepest[i])) continue;
      least = ways.deepest[i].distance;
      deepest_way = i;
    }
    if (deepest_way >= 0) manifold.add(ways.deepest[deepest_way]);
  }
  CAROM_HD bool is_freed(const ContactPoint& p) const {
    if (!(p.distance < -tolerance())) return false;
    for (int i = 0; i < ways.count; ++i) {
      const ContactPoint& way = ways.deepest[i];
      if (way.distance > (1 - kFacePreference) * p.distance && is_freed_by(way, p)) return true;
    }
    return false;
  }
  // Whether p is on both surfaces outside of the other solid once B has gone the way.
  CAROM_HD_STAGE bool is_freed_by(const ContactPoint& way, const ContactPoint& p) const {
    const Vec3 to_b = p.normal * (Real(0.5) * p.distance), gone = way.normal * way.distance;
    const Vec3 on_a = rotate_inverse(X_WA.q, p.point - to_b + gone - X_WA.p);
    const Vec3 on_b = rotate_inverse(X_WA.q, p.point + to_b - gone - X_WA.p);
    // Corners of what is shared lie on the surface then, but for rounding.
    const Real inside = kFacePreference * way.distance - rounding_at(on_a) - 8 * kRounding * length(X_WA.p);
    return nearest_of_b(on_a, 0).distance > inside && nearest_of_a(on_b, 0).distance > inside;
  }

  // An overlap of no depth says nothing where there are other points.
  CAROM_HD bool is_deeper(Real distance) const { return distance < (manifold.count > 0 ? least - tolerance() : least); }
  CAROM_HD void add_deepest_vertex() {
    if (!is_deeper(deepest.distance)) return;
    least = deepest.distance;
    manifold.add({transform_point(X_WA, deepest.middle), rotate(X_WA.q, deepest.normal), least, deepest.feature});
  }
  CAROM_HD ContactPoint most_point() const {
    const Vec3 middle = fma(most.normal, Real(0.5) * most.distance, most.point_a);
    return {transform_point(X_WA, middle), rotate(X_WA.q, most.normal), most.distance, most_feature};
  }
  CAROM_HD void add_most() {
    const bool counts = most_leads_out || !(least < -tolerance());
    if (counts && is_deeper((1 - kFacePreference) * most.distance)) manifold.add(most_point());
  }
};

// Points of a mesh (first) and a surface (second), nearer than reach, at most `room`.
template <class Surface>
CAROM_HD_STAGE int surface_surface(const MeshView& a, const Transform& X_WA, const Surface& b, const Transform& X_WB,
                                   Real reach, int room, ContactPoint* out) {
  if (is_empty(a) || is_empty(b)) return 0;
  const Quat q_AW = conjugate(X_WA.q);
  const Transform X_AB{rotate(q_AW, X_WB.p - X_WA.p), q_AW * X_WB.q};
  Vec3 lower_a, upper_a, lower_b, upper_b;
  surface_box(a, lower_a, upper_a);
  surface_box(b, lower_b, upper_b);
  const Real size = Real(0.5) * min(length(upper_a - lower_a), length(upper_b - lower_b));
  SurfacePair<Surface> pair{a, b, X_WA, X_AB, inverse(X_AB), reach, size, SurfaceManifold(Real(1e-3) * size)};
  pair.add_near_triangles();
  pair.add_passed_triangles();
  pair.drop_needless();
  pair.add_deepest_vertex();
  pair.add_most();
  return pair.manifold.write(room, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
