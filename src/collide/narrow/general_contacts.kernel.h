// Contacts of two convex cores of any kind: distance, features, manifold.
#pragma once

#include "collide/narrow/convex_manifold.kernel.h"

namespace carom::inline CAROM_PRECISION {

// By this part of the depth an axis between faces must be better than a face beside it.
inline constexpr Real kFacePreference = Real(0.05);

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// How far GJK's direction may be off: v has the rounding of the coordinates, and the search a tolerance.
CAROM_HD Real squared_angle_error(Real distance, Real rounding) {
  return max(square(4 * rounding / distance), 4 * kGjkTolerance);
}

// The normal of a face beside the normal found is taken where it is the same but for rounding, or for the tolerance of
// a search over curved shapes; and of cores that overlap, where it is hardly worse: within 0.14 rad, and the part
// `preference` of the depth. So a face that is pressed on another one keeps its normal while the bodies rock. Of two
// such faces the better one is taken.
CAROM_HD void take_face_normal(const CorePair& pair, const ConvexFeature& a, const ConvexFeature& b, Real preference,
                               CoreContact& contact) {
  const Real rounding = 4 * kRounding * (length(contact.point_a) + abs(contact.distance) + length(pair.p_AB));
  const bool apart = contact.distance > 0;
  const Real angle2 = apart ? squared_angle_error(contact.distance, rounding) : Real(0.02);
  Real least = contact.distance - (apart ? rounding : max(rounding, -preference * contact.distance));
  const Vec3 found = contact.normal;
  const auto try_face = [&](Vec3 n) CAROM_HD_LAMBDA {
    if (length_squared(n - found) > angle2) return;
    const Real separation = -dot(n, difference_support(pair, n).w);
    if (!(separation >= least)) return;
    contact.normal = n;
    contact.distance = separation;
    least = separation + rounding;  // the other must be better
  };
  if (a.count > 2) try_face(a.normal);
  if (b.count > 2) try_face(-b.normal);
}

// The features that are farthest along the normal, and the points of the contact from them.
CAROM_HD_LARGE void find_features(const CorePair& pair, CoreContact& contact, ConvexFeature& a, ConvexFeature& b) {
  core_feature(pair.a, contact.normal, kExact, a);
  feature_of_b(pair, -contact.normal, kExact, b);
  take_face_normal(pair, a, b, 0, contact);
  if (is_curved(pair.a) || is_curved(pair.b)) {  // the search has the points, but for another normal
    if (contact.distance <= 0) settle_points(pair, fine_tolerance(pair), contact);
    return;
  }
  // Of cores that are apart the search has the points, but for edges that cross at a small angle.
  const bool edges = a.count == 2 && b.count == 2;
  if (contact.distance <= 0 || edges) witness_from_features(a, b, contact);
}

// The points of two cores, whose signed distance is known, where the distance along the normal is less than `reach`.
CAROM_HD_LARGE int manifold_points(const CorePair& pair, CoreContact contact, Real reach, const Transform& X_WA,
                                   ContactPoint* out) {
  const Real size = min(core_size(pair.a), core_size(pair.b));
  const Real tolerance = kDeeperBy * size;
  ConvexFeature a, b;
  core_feature(pair.a, contact.normal, kOutline, a);
  feature_of_b(pair, -contact.normal, kOutline, b);
  FlatManifold manifold;
  const auto write = [&](const ContactFrame& frame) CAROM_HD_LAMBDA {
    reduce_contacts(manifold, reach, tolerance);
    return write_contacts(manifold, frame, X_WA, pair.a.radius, pair.b.radius, out);
  };
  CoreContact along = contact;
  take_face_normal(pair, a, b, a.count > 1 && b.count > 1 ? kFacePreference : Real(0), along);
  ContactFrame frame = contact_frame(along.normal);
  if (overlap_of_features(a, b, frame, along.distance, manifold) <= contact.distance + tolerance) return write(frame);
  // The nearest points are not among the corners of the overlap, or lie beside it along the normal of the face.
  ConvexFeature near_a, near_b;
  find_features(pair, contact, near_a, near_b);
  if (!(contact.distance < reach)) return 0;
  frame = contact_frame(contact.normal);
  const Real least = overlap_of_features(a, b, frame, contact.distance, manifold);
  if (manifold.count == 0) return write_point(pair, near_a, near_b, contact, X_WA, out);
  if (least > contact.distance + tolerance) add_deepest(frame, contact, 2 * kClipSlack * size, manifold);
  return write(frame);
}

CAROM_HD_LARGE int general_contacts(const CorePair& pair, const Transform& X_WA, Real reach, ContactPoint* out) {
  const Real core_reach = reach + pair.a.radius + pair.b.radius;
  CoreContact contact;
  if (!core_distance(pair, core_reach, contact) || !(contact.distance < core_reach)) return 0;
  return manifold_points(pair, contact, core_reach, X_WA, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
