// Signed distance of two convex cores: GJK while they are apart, EPA where they overlap or nearly touch.
//
// The signed distance is the greatest separation s(n) = min n.b - max n.a over all unit vectors n, apart or not
// (S. Cameron, R. K. Culley, "Determining the minimum translational distance between two convex polyhedra", 1986).
// Any n gives a lower bound, so two candidates are compared by their s(n).
#pragma once

#include "collide/narrow/epa.kernel.h"
#include "collide/narrow/hull_axis.kernel.h"
#include "collide/narrow/mpr.kernel.h"
#include "collide/narrow/valley_search.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// GJK's normal is v / |v|, and v has the rounding of the coordinates: below this many roundings EPA is asked, too,
// unless v is along the normal of a triangle.
inline constexpr Real kTouchingBand = 1024;

CAROM_HD Vec3 least_axis(Vec3 v) {
  const Vec3 size = abs(v);
  if (size.x <= size.y && size.x <= size.z) return {1, 0, 0};
  return size.y <= size.z ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
}

// v / |v|, also where the square of |v| is too small a number to have all its digits.
CAROM_HD Vec3 unit_of_any_length(Vec3 v) {
  const Vec3 size = abs(v);
  const Real largest = max(size.x, max(size.y, size.z));
  return normalize(largest < Real(1e-12) ? v * (1 / largest) : v);
}

// n or -n, whichever leads from the centre of A to that of B.
CAROM_HD Vec3 from_a_to_b(const CorePair& pair, Vec3 n) {
  const Vec3 between = point_from_b(pair, core_center(pair.b)) - core_center(pair.a);
  return dot(between, n) < 0 ? -n : n;
}

// Adds a corner off the point, line or plane of the simplex. Returns false when A - B has none.
CAROM_HD_LARGE bool add_corner(const CorePair& pair, Simplex& s, Real tolerance) {
  const Vec3 p = s.point[0].w;
  const Vec3 e = s.count > 1 ? s.point[1].w - p : Vec3{};
  const Vec3 axis = s.count == 2 ? normalize(e) : Vec3{};
  Vec3 direction[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (s.count == 2) {
    direction[0] = normalize(cross(axis, least_axis(axis)));
    direction[1] = cross(axis, direction[0]);
  } else if (s.count == 3) {
    direction[0] = normalize(cross(e, s.point[2].w - p));
  }
  for (int k = 0; k < 2 * (4 - s.count); ++k) {
    const Vec3 d = k % 2 ? -direction[k / 2] : direction[k / 2];
    const DifferencePoint q = difference_support(pair, d);
    if (dot(d, q.w - p) <= tolerance) continue;
    s.point[s.count++] = q;
    return true;
  }
  return false;
}

// A - B has no volume: the cores overlap by nothing, across the plane, line or point that it is.
CAROM_HD CoreContact flat_contact(const CorePair& pair, const Simplex& s, Vec3 point_a, Real tolerance) {
  Vec3 n{1, 0, 0};
  const Vec3 e = s.count > 1 ? s.point[1].w - s.point[0].w : Vec3{};
  if (s.count == 2) n = cross(e, least_axis(e));
  else if (s.count == 3) n = cross(e, s.point[2].w - s.point[0].w);
  n = from_a_to_b(pair, normalize(n));
  const Real h = dot(n, difference_support(pair, n).w);
  const Real opposite = -dot(n, difference_support(pair, -n).w);
  if (opposite < h - tolerance) return {-n, -opposite, point_a, fma(n, opposite, point_a)};
  return {n, -h, point_a, fma(n, -h, point_a)};
}

// Touching faces, found from a flat simplex near the origin: one side of its plane has nothing of A - B.
CAROM_HD bool one_sided(const CorePair& pair, const Simplex& s, Real tolerance, Vec3 point_a, CoreContact& contact) {
  const Vec3 p = s.point[0].w;
  const Vec3 n = from_a_to_b(pair, normalize(cross(s.point[1].w - p, s.point[2].w - p)));
  for (int k = 0; k < 2; ++k) {
    const Vec3 d = k ? -n : n;
    const Real h = dot(d, difference_support(pair, d).w);
    if (h > tolerance) continue;
    contact = {d, -h, point_a, fma(d, -h, point_a)};
    return true;
  }
  return false;
}

// The corners of a simplex that are off the point, line and plane of those before them.
CAROM_HD Simplex independent_corners(const Simplex& s, Real tolerance) {
  Simplex t;
  t.point[0] = s.point[0];
  t.count = 1;
  for (int i = 1; i < s.count; ++i) {
    const Vec3 q = s.point[i].w - t.point[0].w;
    Real off = length(q);
    if (t.count == 2) off = length(cross(normalize(t.point[1].w - t.point[0].w), q));
    if (t.count == 3) {
      off = abs(dot(normalize(cross(t.point[1].w - t.point[0].w, t.point[2].w - t.point[0].w)), q));
    }
    if (off > tolerance) t.point[t.count++] = s.point[i];
  }
  return t;
}

// Takes n for the normal if it separates the cores farther than the one found. The points stay where they are.
CAROM_HD void try_farther(const CorePair& pair, Vec3 n, CoreContact& contact) {
  const Real separation = -dot(n, difference_support(pair, n).w);
  if (!(separation > contact.distance)) return;
  contact.normal = n;
  contact.distance = separation;
}

// Tries the flat ends of cylinders and cones and the faces of boxes, which a search that was busy with the round parts
// of the other shape may never have looked at.
CAROM_HD void try_flat_parts(const CorePair& pair, CoreContact& contact) {
  for (int k = 0; k < 2; ++k) {
    const CoreType type = k ? pair.b.type : pair.a.type;
    if (type != CoreType::kCylinder && type != CoreType::kCone && type != CoreType::kBox) continue;
    for (int axis = type == CoreType::kBox ? 0 : 2; axis < 3; ++axis) {
      Vec3 n{};
      n[axis] = 1;
      if (k) n = pair.R_AB * n;
      try_farther(pair, n, contact);
      try_farther(pair, -n, contact);
    }
  }
}

// Follows the valleys of round shapes, see valley_search.kernel.h.
CAROM_HD_LARGE void try_valleys(const CorePair& pair, CoreContact& contact) {
  Vec3 n{};
  Real least = -contact.distance;
  for (int k = 0; k < 2; ++k) {
    Valley valley;
    if (valley_of(pair, k == 1, valley)) follow_valley(pair, valley, n, least);
  }
  if (least < -contact.distance) try_farther(pair, n, contact);
}

// GJK's last direction, and downhill from there: almost the normal where a small core grazes a very large one, whose
// polytope is too coarse for that.
CAROM_HD void try_last_direction(const CorePair& pair, const GjkResult& g, Real rounding, Real tolerance,
                                 CoreContact& contact) {
  if (!(length_squared(g.v) > 0)) return;
  CoreContact other = contact;
  try_farther(pair, unit_of_any_length(-g.v), other);
  if (!(other.distance > contact.distance + rounding)) return;
  contact = other;
  Real h = -other.distance;
  descend(pair, tolerance, other.normal, h);
  try_farther(pair, other.normal, contact);
}

// Where overlapping cores would touch if B came free of A along the normal, found by GJK when B has moved a little
// farther. The points farthest along the normal would move far with its small errors on a rim or a line.
CAROM_HD_LARGE void find_touching_points(const CorePair& pair, CoreContact& contact) {
  const Real small = min(core_size(pair.a), core_size(pair.b));
  const Real scale = core_size(pair.a) + core_size(pair.b) + length(pair.p_AB);
  const Real gap = max(Real(1e-3) * small, kTouchingBand * kRounding * scale);
  const CorePair moved{pair.a, pair.b, pair.R_AB, fma(contact.normal, gap - contact.distance, pair.p_AB)};
  const GjkResult g = gjk(moved, std::numeric_limits<Real>::infinity(), contact.normal);
  if (g.end == GjkEnd::kApart) contact.point_a = witness_a(g.simplex);
}

// Points that do not belong to the normal, since a search went on without them or it was another one, are found anew.
CAROM_HD void settle_points(const CorePair& pair, Real tolerance, CoreContact& contact) {
  const Vec3 off = fma(contact.normal, contact.distance, contact.point_a) - contact.point_b;
  if (length_squared(off) > square(2 * tolerance)) find_touching_points(pair, contact);
  contact.point_b = fma(contact.normal, contact.distance, contact.point_a);
}

// From the simplex where GJK ended, near the origin or around it.
CAROM_HD_LARGE CoreContact penetration(const CorePair& pair, const GjkResult& g) {
  const Real rounding = 8 * kRounding * g.scale;
  const bool around = g.simplex.count == 4;  // the origin: no point of the simplex is known to be nearest
  const Vec3 point_a = around ? g.simplex.point[0].a : witness_a(g.simplex);
  const Vec3 point_b = point_a - (around ? g.simplex.point[0].w : g.v);
  const auto with_points = [&](CoreContact flat) CAROM_HD_LAMBDA {
    flat.point_b = point_b;
    settle_points(pair, rounding, flat);
    return flat;
  };
  Simplex s = independent_corners(g.simplex, rounding);
  CoreContact contact;
  if (s.count == 3 && one_sided(pair, s, rounding, point_a, contact)) return with_points(contact);
  while (s.count < 4) {
    if (!add_corner(pair, s, rounding)) return with_points(flat_contact(pair, s, point_a, rounding));
  }
  EpaPolytope polytope;
  polytope.vertex_count = polytope.face_count = polytope.free_count = 0;
  for (int i = 0; i < 4; ++i) add_vertex(polytope, s.point[i]);
  if (!add_tetrahedron(polytope)) return with_points(flat_contact(pair, s, point_a, rounding));
  const bool curved = is_curved(pair.a) || is_curved(pair.b);
  const Real fine = fine_tolerance(pair), tolerance = max(rounding, curved ? fine : Real(0));
  if (!expand_polytope(pair, polytope, rounding, tolerance, contact)) {
    try_flat_parts(pair, contact);
    try_valleys(pair, contact);
  }
  try_last_direction(pair, g, rounding, fine, contact);
  settle_points(pair, tolerance, contact);
  return contact;
}

// The overlap of small hulls, and whether they are surely farther apart than `reach`.
enum class HullsAre { kBeyond, kOverlapping, kNear };
CAROM_HD_LARGE HullsAre hull_overlap(const CorePair& pair, Real reach, CoreContact& contact) {
  const HullAxis axis = hull_axis(pair, max(reach, Real(0)));
  if (axis.separation > max(reach, Real(0))) return HullsAre::kBeyond;
  if (axis.separation > 0) return HullsAre::kNear;
  contact = {axis.normal, axis.separation, axis.point_a, fma(axis.normal, axis.separation, axis.point_a)};
  return HullsAre::kOverlapping;
}

// From the centre of A to that of B, or anywhere when they are in one place.
CAROM_HD Vec3 toward_b(const CorePair& pair) {
  const Vec3 toward = point_from_b(pair, core_center(pair.b)) - core_center(pair.a);
  return length_squared(toward) == 0 ? Vec3{1, 0, 0} : toward;
}

// Whether the cores are nearer than `distance`, or overlap: sooner known than how far. GJK takes 105 to 600 ns a pair,
// all kinds, where portals take 145 to 830 ns; they are asked where it ends without a proof, near touching.
CAROM_HD_LARGE bool cores_nearer_than(const CorePair& pair, Real distance) {
  const GjkResult g = gjk(pair, distance, toward_b(pair), distance);
  return g.end == GjkEnd::kApart ? mpr(pair, distance, MprGoal::kOverlap).overlap : g.end == GjkEnd::kOverlap;
}

// v, which leads from a long edge to the origin near it, without the rounding that it has along the edge.
CAROM_HD Vec3 across_edge(const Simplex& s, Vec3 v) {
  const Vec3 e = s.point[1].w - s.point[0].w;
  return fma(e, -dot(v, e) / length_squared(e), v);
}

// The signed distance. Returns false when it is surely greater than `reach`.
CAROM_HD_LARGE bool core_distance(const CorePair& pair, Real reach, CoreContact& contact) {
  if (is_small_hull(pair.a) && is_small_hull(pair.b)) {
    const HullsAre hulls = hull_overlap(pair, reach, contact);
    if (hulls != HullsAre::kNear) return hulls == HullsAre::kOverlapping;
  }
  const GjkResult g = gjk(pair, max(reach, Real(0)), toward_b(pair));
  if (g.end == GjkEnd::kBeyond) return false;
  if (g.end == GjkEnd::kOverlap) {
    contact = penetration(pair, g);
    return true;
  }
  const Vec3 v = g.simplex.count == 2 ? across_edge(g.simplex, g.v) : g.v;
  const Real distance = length(v), rounding = 8 * kRounding * g.scale;
  const Vec3 point_a = witness_a(g.simplex);
  contact = {unit_of_any_length(-v), distance, point_a, point_a - v};
  const bool settled = distance - g.bound <= max(rounding, 2 * kGjkTolerance * distance);
  const bool touching = g.simplex.count < 3 && distance < kTouchingBand * kRounding * g.scale;
  if (touching || (!settled && distance < Real(1e-2) * g.scale)) {
    const Real separation = -dot(contact.normal, difference_support(pair, contact.normal).w);
    if (!touching && distance - separation <= rounding) return true;
    const CoreContact other = penetration(pair, g);
    if (!(other.distance > separation + (touching ? Real(0) : rounding))) return true;
    // Apart, the points of GJK are near each other, and those of a direction alone may be any two of flat parts.
    const CoreContact apart{other.normal, other.distance, contact.point_a, contact.point_b};
    contact = other.distance > 0 ? apart : other;
  }
  return true;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
