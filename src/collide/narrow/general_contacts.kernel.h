// Contacts of two convex cores of any kind: distance, features, manifold.
#pragma once

#include "collide/narrow/convex_manifold.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// How far GJK's direction may be off: v has the rounding of the coordinates, and the search a tolerance.
CAROM_HD Real squared_angle_error(Real distance, Real rounding) {
  return max(square(4 * rounding / distance), 4 * kGjkTolerance);
}

// Takes the normal n of a face for the normal if it separates the cores as far as the one found, up to rounding.
CAROM_HD bool try_normal(const CorePair& pair, Vec3 n, Real rounding, CoreContact& contact) {
  if (n.x == contact.normal.x && n.y == contact.normal.y && n.z == contact.normal.z) return true;
  const bool apart = contact.distance > 0;
  if (apart && length_squared(n - contact.normal) > squared_angle_error(contact.distance, rounding)) return false;
  const Real separation = -dot(n, difference_support(pair, n, 0, 0).w);
  if (!(separation >= contact.distance - rounding)) return false;
  contact.normal = n;
  contact.distance = separation;
  return true;
}

// The features that face each other along the normal. A normal that is that of a face but for rounding, or for the
// tolerance of a search over curved shapes, becomes that of the face.
CAROM_HD_LARGE void find_features(const CorePair& pair, CoreContact& contact, Feature& a, Feature& b) {
  core_feature(pair.a, contact.normal, a);
  feature_of_b(pair, -contact.normal, b);
  const Real rounding = 4 * kRounding * (length(contact.point_a) + abs(contact.distance) + length(pair.p_AB));
  if (!(a.count > 2 && try_normal(pair, a.normal, rounding, contact)) && b.count > 2) {
    try_normal(pair, -b.normal, rounding, contact);
  }
  if (contact.distance <= 0) witness_from_features(a, b, contact);
}

CAROM_HD_LARGE int general_contacts(const CorePair& pair, const Transform& X_WA, Real reach, ContactPoint* out) {
  const Real core_reach = reach + pair.a.radius + pair.b.radius;
  CoreContact contact;
  if (!core_distance(pair, core_reach, contact)) return 0;
  Feature a, b;
  find_features(pair, contact, a, b);
  if (!(contact.distance < core_reach)) return 0;
  if (meet_in_a_point(a, b, contact.normal)) return write_point(pair, a, b, contact, X_WA, out);
  const ContactFrame frame = contact_frame(contact.normal);
  FlatManifold manifold;
  const Real least = overlap_of_features(a, b, frame, manifold);
  const Real tolerance = kDeeperBy * min(core_size(pair.a), core_size(pair.b));
  add_deepest(a, b, frame, contact, tolerance, least, manifold);
  reduce_contacts(manifold, core_reach, tolerance);
  return write_contacts(manifold, frame, X_WA, pair.a.radius, pair.b.radius, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
