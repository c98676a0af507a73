// Two convex cores as MuJoCo sees them: the nearest or deepest point of GJK and EPA and, where flat parts around it lie
// on each other, up to four points of their overlap instead.
//
// Of the faces around the points the two that are most opposed, within 5 degrees; otherwise a face and an edge along
// it. The second face or the edge is laid on the other face and cut by its sides. All points have the normal of the
// second face, or of the one that an edge lies on, and distances of their own along it.
#pragma once

#include "collide/narrow/general_contacts.kernel.h"
#include "collide/narrow/mujoco/flat_parts.kernel.h"
#include "collide/narrow/mujoco/widest_quad.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

inline constexpr Real kOpposed = Real(-0.99605), kAlong = Real(0.0888);  // cosines: 5.09 degrees off
inline constexpr int kMostOfFaces = 4;
inline constexpr Real kSameCorner = sizeof(Real) == 8 ? Real(1e-7) : Real(4e-6);  // of the size

// What is cut by what, in the frame of A.
struct Overlay {
  ConvexFeature clipper, subject;  // a face; a face or an edge
  bool clipper_is_a;
  Vec3 normal;     // of the contact, from A to B
  Real grown = 0;  // by which the subject is outside of its shape [m]
};

CAROM_HD void into_frame_of_a(const CorePair& pair, ConvexFeature& feature) {
  for (int k = 0; k < feature.count; ++k) feature.corner[k] = point_from_b(pair, feature.corner[k]);
  feature.normal = pair.R_AB * feature.normal;
}
CAROM_HD void edge_of(const FlatParts& parts, int i, ConvexFeature& feature) {
  feature.count = 0;
  feature.normal = {};
  add_feature_corner(feature, parts.tail[i], parts.tail_id[i]);
  add_feature_corner(feature, parts.head[i], parts.head_id[i]);
}

// The most opposed faces.
CAROM_HD bool two_faces(const CorePair& pair, const FlatParts& a, const FlatParts& b, Overlay& overlay) {
  Real least = kOpposed;
  int face_a = -1, face_b = -1;
  for (int i = 0; i < a.faces; ++i) {
    const Vec3 n_B = to_b(pair, a.normal[i]);
    for (int j = 0; j < b.faces; ++j)
      if (const Real cosine = dot(n_B, b.normal[j]); cosine < least) least = cosine, face_a = i, face_b = j;
  }
  if (face_a < 0) return false;
  face_polygon(pair.a, a.face[face_a], a.normal[face_a], overlay.clipper);
  face_polygon(pair.b, b.face[face_b], b.normal[face_b], overlay.subject);
  into_frame_of_a(pair, overlay.subject);
  overlay.clipper_is_a = true;
  overlay.normal = -overlay.subject.normal;
  return true;
}

// The first face of one core (A, or B) along which there is an edge of the other.
CAROM_HD bool face_and_edge(const CorePair& pair, const FlatParts& a, const FlatParts& b, bool face_is_a,
                            Overlay& overlay) {
  const FlatParts &with_face = face_is_a ? a : b, &with_edge = face_is_a ? b : a;
  int face = -1, edge = -1;
  for (int i = 0; i < with_edge.edges && face < 0; ++i) {
    const Vec3 e = normalize(with_edge.head[i] - with_edge.tail[i]);
    const Vec3 other = face_is_a ? pair.R_AB * e : to_b(pair, e);
    for (int j = 0; j < with_face.faces && face < 0; ++j)
      if (abs(dot(other, with_face.normal[j])) < kAlong) face = j, edge = i;
  }
  if (face < 0) return false;
  face_polygon(face_is_a ? pair.a : pair.b, with_face.face[face], with_face.normal[face], overlay.clipper);
  edge_of(with_edge, edge, overlay.subject);
  into_frame_of_a(pair, face_is_a ? overlay.subject : overlay.clipper);
  overlay.clipper_is_a = face_is_a;
  overlay.grown = with_edge.grown;
  overlay.normal = face_is_a ? overlay.clipper.normal : -overlay.clipper.normal;
  return true;
}

// Of a polygon at most four corners.
CAROM_HD_LARGE int keep_quad(ContactPoint* points, int count) {
  if (count <= kMostOfFaces) return count;
  Quad best{{0, 1, 2, 3}, Real(-1)};
  for (int first = 0; first < count; ++first) {
    Quad quad = widest_quad(count, [&](int i) CAROM_HD_LAMBDA { return points[(first + i) % count].point; });
    for (int& corner : quad.corner) corner = (corner + first) % count;
    if (quad.square_area > best.square_area) best = quad;
  }
  const ContactPoint kept[kMostOfFaces] = {points[best.corner[0]], points[best.corner[1]], points[best.corner[2]],
                                           points[best.corner[3]]};
  for (int k = 0; k < kMostOfFaces; ++k) points[k] = kept[k];
  return kMostOfFaces;
}

// Of the points along an edge the two that are farthest apart.
CAROM_HD int keep_ends(ContactPoint* points, int count) {
  int from = 0, to = 1;
  for (int i = 0; i < count; ++i)
    for (int k = i + 1; k < count; ++k)
      if (length_squared(points[k].point - points[i].point) > length_squared(points[to].point - points[from].point))
        from = i, to = k;
  if (count <= 2) return count;
  const ContactPoint ends[2] = {points[from], points[to]};
  points[0] = ends[0], points[1] = ends[1];
  return 2;
}

CAROM_HD bool is_listed(const ClipPolygon& polygon, int vertex, Real same) {
  for (int k = 0; k < vertex; ++k)
    if (length_squared(polygon.vertex[vertex].p - polygon.vertex[k].p) <= square(same)) return true;
  return false;
}

// The points of the overlap where the distance is less than reach, sorted by feature. The place where an edge leaves a
// face is there twice, as the edge is cut there and back, and where it alone is near enough, there are two contacts.
CAROM_HD_LARGE int overlay_points(const CorePair& pair, const Overlay& overlay, const Transform& X_WA, Real reach,
                                  ContactPoint* out) {
  const ContactFrame frame = contact_frame(overlay.clipper.normal);
  FlatFeature clipper, subject;
  flatten(overlay.clipper, frame, overlay.clipper_is_a, clipper);
  flatten(overlay.subject, frame, !overlay.clipper_is_a, subject);
  const bool edge = subject.count == 2;
  const Real same = kSameCorner * min(core_size(pair.a), core_size(pair.b));
  ClipPolygon polygon;
  clip_features(subject, clipper, same, polygon);
  const Vec3 normal_W = rotate(X_WA.q, overlay.normal), normal = to_contact(frame, overlay.normal);
  const Vec3 half = overlay.normal * (overlay.clipper_is_a ? Real(0.5) : Real(-0.5));
  ContactPoint found[kMaxClip];
  int count = 0;
  for (int i = 0; i < polygon.count; ++i) {
    const Vec3 p = polygon.vertex[i].p, foot{p.x, p.y, clipper.corner[0].z};  // on the face below
    const Real distance = edge ? p.z - foot.z + overlay.grown : dot(normal, subject.corner[0] - foot);
    if (!(distance < reach) || (!edge && is_listed(polygon, i, same))) continue;
    const Vec3 foot_A = fma(frame.n, foot.z, fma(frame.y, foot.y, frame.x * foot.x));
    found[count++] = {transform_point(X_WA, fma(half, distance, foot_A)), normal_W, distance, polygon.vertex[i].label};
  }
  count = edge ? keep_ends(found, count) : keep_quad(found, count);
  sort_by_feature(found, count);
  for (int i = 0; i < count; ++i) {
    out[i] = found[i];
    if (i > 0 && out[i].feature <= out[i - 1].feature) out[i].feature = out[i - 1].feature + 1;
  }
  return count;
}

CAROM_HD_LARGE int several_points(const CorePair& pair, Vec3 normal, const Transform& X_WA, Real reach,
                                  ContactPoint* out) {
  FlatParts a, b;
  flat_parts(pair.a, normal, reach / 2, a);
  flat_parts(pair.b, -to_b(pair, normal), reach / 2, b);
  Overlay overlay;
  bool found = two_faces(pair, a, b, overlay);
  if (!found) found = face_and_edge(pair, a, b, false, overlay);
  if (!found) found = face_and_edge(pair, a, b, true, overlay);
  return found ? overlay_points(pair, overlay, X_WA, reach, out) : 0;
}

}  // namespace as_mujoco

CAROM_HD_LARGE int convex_convex_as_mujoco(const CorePair& pair, const Transform& X_WA, Real reach, ContactPoint* out) {
  const Real core_reach = reach + pair.a.radius + pair.b.radius;
  CoreContact contact;
  if (!core_distance(pair, core_reach, contact) || !(contact.distance < core_reach)) return 0;
  const int n = as_mujoco::several_points(pair, contact.normal, X_WA, reach, out);
  if (n > 0) return n;
  ConvexFeature a, b;
  find_features(pair, contact, a, b);
  return write_point(pair, a, b, contact, X_WA, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
