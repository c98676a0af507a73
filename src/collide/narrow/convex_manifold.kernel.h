// Contact points of two convex cores along one normal: where the features that face each other lie on each other.
//
// Face on face and edge on face are cut against each other at whatever tilt, each corner of the overlap being a point
// with its own distance along the normal; parallel edges touch at the ends of their overlap; everything else touches at
// the one nearest point. The deepest point is always among them, and none is listed twice.
#pragma once

#include "collide/contact_point.h"
#include "collide/narrow/core_distance.kernel.h"
#include "collide/narrow/polygon_clip.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr Real kParallelAngle = Real(1e-3);  // [rad], of edges
// Points of a curved rim between the corners of its octagon count only when deeper by this part of the size.
inline constexpr Real kDeeperBy = sizeof(Real) == 8 ? Real(1e-7) : Real(1e-5);

// A point of a manifold in the contact frame.
struct FlatContact {
  Real x, y;
  Real za, zb;  // heights of the surfaces of A and B
  int feature;
};
inline constexpr int kMaxFlatContacts = kMaxClip + 1;

struct FlatManifold {
  FlatContact point[kMaxFlatContacts];
  int count;
};

// A frame with the normal as z, in the frame of A.
struct ContactFrame {
  Vec3 x, y, n;
};

CAROM_HD ContactFrame contact_frame(Vec3 n) {
  const Vec3 x = normalize(cross(n, abs(n.x) < Real(0.6) ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
  return {x, cross(n, x), n};
}
CAROM_HD Vec3 to_contact(const ContactFrame& frame, Vec3 v) {
  return {dot(frame.x, v), dot(frame.y, v), dot(frame.n, v)};
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD void flatten(const ConvexFeature& feature, const ContactFrame& frame, bool first, FlatFeature& flat) {
  flat.count = feature.count;
  flat.first = first;
  flat.normal = to_contact(frame, feature.normal);
  for (int i = 0; i < feature.count; ++i) {
    flat.corner[i] = to_contact(frame, feature.corner[i]);
    flat.id[i] = feature.id[i];
  }
}

// Height of the plane of a face over the point (x, y).
CAROM_HD Real height_of_face(const FlatFeature& face, Real x, Real y) {
  const Vec3 p = face.corner[0], n = face.normal;
  return p.z - (n.x * (x - p.x) + n.y * (y - p.y)) / n.z;
}

CAROM_HD void add_point(FlatManifold& m, Real x, Real y, Real za, Real zb, int feature) {
  m.point[m.count++] = {x, y, za, zb, feature};
}

CAROM_HD bool is_near(const FlatContact& c, Vec3 p, Real distance) {
  return abs(c.x - p.x) + abs(c.y - p.y) < distance;
}
CAROM_HD bool is_listed(const FlatManifold& m, Vec3 p, Real distance) {
  for (int i = 0; i < m.count; ++i)
    if (is_near(m.point[i], p, distance)) return true;
  return false;
}

// One of them a face, the other a face or an edge. The larger one cuts: that is a property of the shapes, not of noise.
CAROM_HD_LARGE void face_contacts(const FlatFeature& a, const FlatFeature& b, FlatManifold& m) {
  const Real area_a = abs(doubled_area(a)), area_b = abs(doubled_area(b));
  const bool cut_a = a.count < 3 || (b.count >= 3 && area_a < area_b * Real(1 - 1e-3));
  const FlatFeature& subject = cut_a ? a : b;
  const FlatFeature& clipper = cut_a ? b : a;
  const Vec3 diagonal = subject.corner[subject.count / 2] - subject.corner[0];
  ClipPolygon polygon;
  const Vec3 other = clipper.corner[clipper.count / 2] - clipper.corner[0];
  const Real slack = kClipSlack * min(abs(diagonal.x) + abs(diagonal.y), abs(other.x) + abs(other.y));
  clip_features(subject, clipper, slack, polygon);
  for (int i = 0; i < polygon.count; ++i) {
    const ClipVertex& v = polygon.vertex[i];
    if (is_listed(m, v.p, 2 * slack)) continue;
    const Real z = height_of_face(clipper, v.p.x, v.p.y);
    add_point(m, v.p.x, v.p.y, cut_a ? v.p.z : z, cut_a ? z : v.p.z, v.label);
  }
}

// A point of edge a where it is `along` edge b, and the point of b there.
CAROM_HD void add_edge_contact(const FlatFeature& a, const FlatFeature& b, Real ta, Real tb, int label,
                               FlatManifold& m) {
  const Vec3 p = fma(a.corner[1] - a.corner[0], ta, a.corner[0]), q = fma(b.corner[1] - b.corner[0], tb, b.corner[0]);
  add_point(m, (p.x + q.x) / 2, (p.y + q.y) / 2, p.z, q.z, label);
}

// Two edges; no points unless one lies along the other. The ends of the overlap are ends of a, or of b where b's are
// well inside.
CAROM_HD_LARGE void edge_contacts(const FlatFeature& a, const FlatFeature& b, FlatManifold& m) {
  const Vec3 u = a.corner[1] - a.corner[0], v = b.corner[1] - b.corner[0], between = b.corner[0] - a.corner[0];
  const Real uu = fma(u.x, u.x, u.y * u.y), vv = fma(v.x, v.x, v.y * v.y);
  if (square(fma(u.x, v.y, -(u.y * v.x))) > square(kParallelAngle) * uu * vv) return;
  if (square(fma(u.x, between.y, -(u.y * between.x))) > square(2 * kParallelAngle) * uu * min(uu, vv)) return;
  const Real t0 = fma(u.x, between.x, u.y * between.y) / uu, step = fma(u.x, v.x, u.y * v.y) / uu;
  const int low_end = step < 0 ? 1 : 0;
  const Real low = step < 0 ? t0 + step : t0, high = step < 0 ? t0 : t0 + step;
  const bool low_is_b = low > kClipSlack, high_is_b = high < 1 - kClipSlack;
  const Real from = low_is_b ? low : Real(0), to = high_is_b ? high : Real(1);
  if (to - from < kClipSlack) return;
  const auto along_b = [&](Real t) CAROM_HD_LAMBDA { return clamp((t - t0) / step, Real(0), Real(1)); };
  add_edge_contact(a, b, from, along_b(from), low_is_b ? feature_label(-1, b.id[low_end]) : feature_label(a.id[0], -1),
                   m);
  add_edge_contact(a, b, to, along_b(to), high_is_b ? feature_label(-1, b.id[1 - low_end]) : feature_label(a.id[1], -1),
                   m);
}

// What touches where there is but one point.
CAROM_HD int single_label(const ConvexFeature& a, const ConvexFeature& b) {
  return feature_label(a.count < 3 ? a.id[0] : -1, b.count < 3 ? b.id[0] : -1);
}

// The point deeper than all others by the tolerance; -1 if there is none.
CAROM_HD int deepest_by(const FlatManifold& m, int count, Real tolerance) {
  int deepest = 0;
  Real first = m.point[0].zb - m.point[0].za, second = std::numeric_limits<Real>::max();
  for (int i = 1; i < count; ++i) {
    const Real distance = m.point[i].zb - m.point[i].za;
    if (distance < first) second = first, first = distance, deepest = i;
    else second = min(second, distance);
  }
  return first < second - tolerance ? deepest : -1;
}

// Leaves the points nearer than `reach`, and at most kMaxManifold of them: one by one, that goes whose loss costs the
// least area, but not one that is deeper than all others by the tolerance. Of about equal losses the first goes, so
// that noise does not choose.
CAROM_HD_LARGE void reduce_contacts(FlatManifold& m, Real reach, Real tolerance) {
  int count = 0;
  for (int i = 0; i < m.count; ++i) {
    if (m.point[i].zb - m.point[i].za < reach) m.point[count++] = m.point[i];
  }
  for (; count > kMaxManifold; --count) {
    const int kept = deepest_by(m, count, tolerance);
    Real loss[kMaxFlatContacts], least = std::numeric_limits<Real>::max();
    for (int i = 0; i < count; ++i) {
      const FlatContact &p = m.point[(i + count - 1) % count], &q = m.point[i], &r = m.point[(i + 1) % count];
      loss[i] = abs((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
      if (i != kept) least = min(least, loss[i]);
    }
    int gone = 0;
    while (gone == kept || loss[gone] > least * Real(1.001)) ++gone;
    for (int i = gone; i + 1 < count; ++i) m.point[i] = m.point[i + 1];
  }
  m.count = count;
}

// Whether the features meet in one point: a corner, or the crossing of two edges.
CAROM_HD bool meet_in_a_point(const ConvexFeature& a, const ConvexFeature& b, Vec3 n) {
  if (a.count == 1 || b.count == 1) return true;
  if (a.count > 2 || b.count > 2) return false;
  const Vec3 u = a.corner[1] - a.corner[0], v = b.corner[1] - b.corner[0];
  return square(dot(n, cross(u, v))) > square(kParallelAngle) * length_squared(u) * length_squared(v);
}

// Where two features lie on each other. Distances are those of the cores. Returns the least of them. A corner that is
// taken though it lies a little outside may seem deeper than the cores are along the normal, which is `separation`.
CAROM_HD_LARGE Real overlap_of_features(const ConvexFeature& a, const ConvexFeature& b, const ContactFrame& frame,
                                        Real separation, FlatManifold& m) {
  m.count = 0;
  if (a.count > 1 && b.count > 1) {
    FlatFeature flat_a, flat_b;
    flatten(a, frame, true, flat_a);
    flatten(b, frame, false, flat_b);
    if (a.count > 2 || b.count > 2) face_contacts(flat_a, flat_b, m);
    else edge_contacts(flat_a, flat_b, m);
  }
  Real least = std::numeric_limits<Real>::max();
  for (int i = 0; i < m.count; ++i) {
    FlatContact& c = m.point[i];
    const Real excess = separation - (c.zb - c.za);
    if (excess > 0) c.za -= excess / 2, c.zb += excess / 2;
    least = min(least, c.zb - c.za);
  }
  return least;
}

// The points that belong to the normal where they follow from the features: a corner, or the crossing of two edges.
CAROM_HD_LARGE void witness_from_features(const ConvexFeature& a, const ConvexFeature& b, CoreContact& contact) {
  if (a.count == 1) contact.point_a = a.corner[0];
  if (b.count == 1) contact.point_b = b.corner[0];
  if (a.count == 1 && b.count > 1) contact.point_b = fma(contact.normal, contact.distance, contact.point_a);
  if (b.count == 1 && a.count > 1) contact.point_a = fma(contact.normal, -contact.distance, contact.point_b);
  if (a.count != 2 || b.count != 2) return;
  const Vec3 u = a.corner[1] - a.corner[0], v = b.corner[1] - b.corner[0], between = b.corner[0] - a.corner[0];
  const Vec3 n = cross(u, v);
  const Real nn = length_squared(n);
  if (nn <= square(kParallelAngle) * length_squared(u) * length_squared(v)) return;
  const Real s = clamp(dot(cross(between, v), n) / nn, Real(0), Real(1));
  const Real t = clamp(dot(cross(between, u), n) / nn, Real(0), Real(1));
  const Vec3 p = fma(u, s, a.corner[0]), q = fma(v, t, b.corner[0]);
  // Lines of curved sides that are nearly parallel cross far from where the shapes are nearest.
  const Real off = length_squared(fma(contact.normal, contact.distance, p) - q);
  if (off > square(kClipSlack) * (length_squared(u) + length_squared(v))) return;
  contact.point_a = p;
  contact.point_b = q;
}

// Adds the nearest or deepest point itself, or moves the point there that is next to it.
CAROM_HD void add_deepest(const ContactFrame& frame, const CoreContact& contact, Real same_place, FlatManifold& m) {
  const Vec3 p = to_contact(frame, contact.point_a), q = to_contact(frame, contact.point_b),
             middle = (p + q) * Real(0.5);
  const Real z = middle.z - contact.distance / 2;  // the heights differ by the distance, whatever rounding did
  FlatContact deepest{middle.x, middle.y, z, z + contact.distance, feature_label(-1, -1)};
  for (int i = 0; i < m.count; ++i) {
    if (!is_near(m.point[i], middle, same_place)) continue;
    deepest.feature = m.point[i].feature;
    m.point[i] = deepest;
    return;
  }
  m.point[m.count++] = deepest;
}

// The contact of features that meet in one point.
CAROM_HD int write_point(const CorePair& pair, const ConvexFeature& a, const ConvexFeature& b,
                         const CoreContact& contact, const Transform& X_WA, ContactPoint* out) {
  const Vec3 middle =
      fma(contact.normal, Real(0.5) * (pair.a.radius - pair.b.radius), (contact.point_a + contact.point_b) * Real(0.5));
  *out = {transform_point(X_WA, middle), rotate(X_WA.q, contact.normal),
          contact.distance - pair.a.radius - pair.b.radius, single_label(a, b)};
  return 1;
}

// Puts a point where its feature belongs among those before it.
CAROM_HD void insert_by_feature(const ContactPoint& point, ContactPoint* out, int& count) {
  int at = count++;
  for (; at > 0 && out[at - 1].feature > point.feature; --at) out[at] = out[at - 1];
  out[at] = point;
}

// Into the world, sorted by feature, no feature twice.
CAROM_HD_LARGE int write_contacts(const FlatManifold& m, const ContactFrame& frame, const Transform& X_WA,
                                  Real radius_a, Real radius_b, ContactPoint* out) {
  const Vec3 normal = rotate(X_WA.q, frame.n);
  int count = 0;
  for (int i = 0; i < m.count; ++i) {
    const FlatContact& c = m.point[i];
    const Real z = Real(0.5) * ((c.za + radius_a) + (c.zb - radius_b));
    const Vec3 p_A = fma(frame.n, z, fma(frame.y, c.y, frame.x * c.x));
    insert_by_feature({transform_point(X_WA, p_A), normal, c.zb - c.za - radius_a - radius_b, c.feature}, out, count);
  }
  for (int i = 1; i < count; ++i) {
    if (out[i].feature <= out[i - 1].feature) out[i].feature = out[i - 1].feature + 1;
  }
  return count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
