// Contacts and distance of any two convex shapes: sphere, capsule, ellipsoid, cylinder, box, cone, convex hull, the
// rectangle of a finite plane, and triangles.
#pragma once

#include "collide/narrow/box_box.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ConvexDistance {
  Real distance;          // negative when the shapes overlap [m]
  Vec3 point_a, point_b;  // on the surfaces [m]
  Vec3 normal;            // unit, from a to b
};

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Points where two cores are nearer than `reach`, in the world, with the normal from a to b, sorted by feature. Returns
// how many, at most kMaxManifold.
CAROM_HD_LARGE int core_contacts(const ConvexCore& a, const Transform& X_WA, const ConvexCore& b, const Transform& X_WB,
                                 Real reach, ContactPoint* out) {
  const CorePair pair = core_pair(a, X_WA, b, X_WB);
  if (a.type == CoreType::kBox && b.type == CoreType::kBox) return box_box_contacts(pair, X_WA, reach, out);
  return general_contacts(pair, X_WA, reach, out);
}

CAROM_HD_LARGE int convex_convex(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                                 Real reach, ContactPoint* out) {
  return core_contacts(convex_core(a), X_WA, convex_core(b), X_WB, reach, out);
}

// Whether two shapes are nearer than `grown` (not negative), or overlap.
CAROM_HD_LARGE bool convex_overlap(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                                   Real grown) {
  const ConvexCore core_a = convex_core(a), core_b = convex_core(b);
  return cores_nearer_than(core_pair(core_a, X_WA, core_b, X_WB), core_a.radius + core_b.radius + grown);
}

// Where faces or edges of overlapping cores lie on each other, the middle of the deepest points is one of them.
CAROM_HD void witness_from_overlap(const ConvexFeature& a, const ConvexFeature& b, Real size, CoreContact& contact) {
  const ContactFrame frame = contact_frame(contact.normal);
  FlatManifold m;
  const Real least = overlap_of_features(a, b, frame, contact.distance, m);
  Real x = 0, y = 0, za = 0, zb = 0, count = 0;
  for (int i = 0; i < m.count; ++i) {
    const FlatContact& c = m.point[i];
    if (c.zb - c.za > least + kDeeperBy * size) continue;
    x += c.x, y += c.y, za += c.za, zb += c.zb, count += 1;
  }
  if (count == 0) return;
  const Vec3 across = fma(frame.y, y, frame.x * x);
  contact.point_a = fma(frame.n, za, across) * (1 / count);
  contact.point_b = fma(frame.n, zb, across) * (1 / count);
}

CAROM_HD Real scale_of(const CorePair& pair) { return core_size(pair.a) + core_size(pair.b) + length(pair.p_AB); }
// Cores farther apart than this have points that are good enough for the way between them to be their normal [m].
CAROM_HD Real well_apart(const CorePair& pair) { return Real(1e-2) * scale_of(pair); }

// The distance of curved cores, which searches know to fine_tolerance(), to rounding. B, moved along the normal until
// it is just free of A, is nearest to it along a better normal: its error is less by a ratio that grows with the way
// moved, over the radii of curvature. Where that is nearly one the next normals are foreseen (A. C. Aitken, "On
// Bernoulli's numerical solution of algebraic equations", 1926). The distance errs by the square of what the normal
// does.
CAROM_HD_LARGE void polish_distance(const CorePair& pair, CoreContact& contact) {
  constexpr int kMostRounds = 16;
  if (!is_curved(pair.a) && !is_curved(pair.b)) return;
  const auto separation_along = [&](Vec3 n) CAROM_HD_LAMBDA { return -dot(n, difference_support(pair, n).w); };
  const Real gap = Real(1e-3) * min(core_size(pair.a), core_size(pair.b));
  Vec3 before = contact.normal;
  Real known = separation_along(before), last_gain = 0;
  const Real noise = 8 * kRounding * scale_of(pair);
  // Well apart GJK's points prove that it is no more.
  if (contact.distance > well_apart(pair) && contact.distance - known <= noise) return;
  contact.distance = known;
  for (int round = 0; round < kMostRounds; ++round) {
    const Vec3 way = contact.normal * (gap - known);
    const CorePair moved{pair.a, pair.b, pair.R_AB, pair.p_AB + way};
    const GjkResult g = gjk(moved, std::numeric_limits<Real>::infinity(), contact.normal);
    if (g.end != GjkEnd::kApart) return;
    Vec3 n = unit_of_any_length(-g.v);
    Real separation = separation_along(n);
    const Real gain = separation - known;
    if (!(gain > 0)) return;
    const Vec3 point_a = witness_a(g.simplex);
    if (gain > noise && gain < last_gain) {  // by the square of the ratio of the errors of two normals
      const Real ratio = sqrt(gain / last_gain);
      const Vec3 ahead = normalize(fma(n - before, ratio / (1 - ratio), n));
      const Real farther = separation_along(ahead);
      if (farther > separation) n = ahead, separation = farther;
    }
    before = contact.normal;
    // Apart, both points are where the surfaces are: so far from each other, to the square of the turn of the normal.
    contact = {n, separation, point_a, separation > 0 ? point_a - g.v - way : fma(n, separation, point_a)};
    last_gain = separation - known;
    known = separation;
    if (gain <= noise) return;
  }
}

CAROM_HD_LARGE ConvexDistance convex_distance(const ShapeView& a, const Transform& X_WA, const ShapeView& b,
                                              const Transform& X_WB) {
  const ConvexCore core_a = convex_core(a), core_b = convex_core(b);
  const CorePair pair = core_pair(core_a, X_WA, core_b, X_WB);
  CoreContact contact{};
  core_distance(pair, std::numeric_limits<Real>::infinity(), contact);
  polish_distance(pair, contact);
  ConvexFeature feature_a, feature_b;
  find_features(pair, contact, feature_a, feature_b);
  if (contact.distance <= 0 && !meet_in_a_point(feature_a, feature_b, contact.normal)) {
    witness_from_overlap(feature_a, feature_b, min(core_size(core_a), core_size(core_b)), contact);
  }
  // Apart, the balls are nearest along the way between the points, which a normal of a face may be a little off. Nearer
  // to a curved core that way is rounding, and the normal is good.
  const Vec3 between = contact.point_b - contact.point_a;
  const Real nearest = is_curved(core_a) || is_curved(core_b) ? well_apart(pair) : 0;
  const bool apart = contact.distance > nearest && length_squared(between) > 0;
  const Vec3 way = apart ? unit_of_any_length(between) : contact.normal;
  return {contact.distance - core_a.radius - core_b.radius,
          transform_point(X_WA, fma(way, core_a.radius, contact.point_a)),
          transform_point(X_WA, fma(way, -core_b.radius, contact.point_b)), rotate(X_WA.q, contact.normal)};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
