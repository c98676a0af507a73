// A capsule and a box as MuJoCo sees them: spheres at one or two places of the capsule's axis against the box.
//
// The first place is where the axis is nearest to the box: an end over a face, or the place nearest to one of the
// twelve edges. From there a second one is as far along the axis as it stays over the box, where it leads along a face
// or an edge and not into the box or off it. All in the frame of the box, with the axis as center + s axis, |s| <= 1.
#pragma once

#include "collide/narrow/sphere_any.kernel.h"
#include "collide/narrow/support.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

inline constexpr Real kLeast = Real(1e-15);  // below it numbers count as zero

struct CapsuleOverBox {
  Vec3 center, axis;  // the latter from the centre to an end [m]
  Vec3 half;          // extents of the box [m]

  // Bit k: the axis leads in the direction +k.
  CAROM_HD int directions() const { return (axis.x > 0 ? 1 : 0) | (axis.y > 0 ? 2 : 0) | (axis.z > 0 ? 4 : 0); }
};

// Where the axis is nearest.
struct NearestPlace {
  enum class Part { kFace, kEdge, kCorner };
  Part part = Part::kFace;
  Real s = 0;              // on the axis of the capsule
  Real on_edge = 0;        // of an edge, from its middle: -1 ... 1
  int along = -1;          // of an edge its axis; of a face the axis across, or -1 if the end is inside
  int corner = 0;          // of a corner or an edge, bit k: on the positive side of axis k
  Real square = Real(-1);  // of the distance [m^2]; negative: none yet
};

// The ends that are over a face or inside.
CAROM_HD void look_at_ends(const CapsuleOverBox& c, NearestPlace& nearest) {
  for (int end = -1; end <= 1; end += 2) {
    const Vec3 p = fma(c.axis, Real(end), c.center), inside = max(-c.half, min(p, c.half));
    int outside = 0, across = -1;
    for (int k = 0; k < 3; ++k)
      if (p[k] != inside[k]) ++outside, across = k;
    const Real square = length_squared(p - inside);
    if (outside > 1 || (nearest.square >= 0 && !(square < nearest.square))) continue;
    nearest = {NearestPlace::Part::kFace, Real(end), 0, across, 0, square};
  }
}

// The edge along axis k through a corner on its negative side. A place of the edge that had to be cut off at a corner
// counts as a corner, even if the end of the capsule's axis then is nearest to a place beside it.
CAROM_HD void look_at_edge(const CapsuleOverBox& c, int corner, int k, NearestPlace& nearest) {
  Vec3 middle = box_corner(c.half, corner);
  middle[k] = 0;
  const Real edge = c.half[k], between = -edge * c.axis[k], axis2 = length_squared(c.axis), edge2 = edge * edge;
  const Real det = fma(edge2, axis2, -(between * between));
  if (abs(det) < max(kLeast, 4 * kRounding * edge2 * axis2)) return;
  const Vec3 d = middle - c.center;
  const Real u = -edge * d[k], v = dot(c.axis, d);
  Real x = fma(axis2, u, -(between * v)) / det, s = fma(edge2, v, -(between * u)) / det;
  const auto cut = [](Real t) CAROM_HD_LAMBDA { return clamp(t, Real(-1), Real(1)); };
  Real end = 0;  // of the edge, where it was cut off
  if (abs(x) > 1) end = x = cut(x), s = fma(-between, x, v) / axis2;
  if (abs(s) > 1) {
    s = cut(s);
    x = fma(-between, s, u) / edge2;
    if (abs(x) > 1) end = x = cut(x);
  }
  Vec3 p = middle;
  p[k] = edge * x;
  const Real square = length_squared(fma(c.axis, -s, p - c.center));
  if (nearest.square >= 0 && !(square < nearest.square - kLeast)) return;
  const auto part = end == 0 ? NearestPlace::Part::kEdge : NearestPlace::Part::kCorner;
  nearest = {part, s, x, k, corner | (end > 0 ? 1 << k : 0), square};
}

CAROM_HD bool is_one_bit(int bits) { return bits != 0 && (bits & (bits - 1)) == 0; }

// How far along the axis the second place is, 0 ... 2 with the sign of the way; false where there is none.

// From a face: from the end to where the axis leaves the box seen from above.
CAROM_HD bool second_from_face(const CapsuleOverBox& c, const NearestPlace& at, Real& step) {
  const Vec3 p = fma(c.axis, at.s, c.center);
  Real most = 2;
  for (int k = 0; k < 3; ++k) {
    if (k == at.along || c.axis[k] == 0) continue;
    const Real to_positive = -at.s * (c.half[k] - p[k]) / c.axis[k],
               to_negative = -at.s * (-c.half[k] - p[k]) / c.axis[k];
    if (to_positive > 0) most = min(most, to_positive);
    if (to_negative > 0) most = min(most, to_negative);
  }
  step = -at.s * most;
  return true;
}
// What is left of the axis that way; what of it passes a length along axis k, and the whole box.
CAROM_HD Real left_of_axis(const NearestPlace& at, Real way) { return 1 - way * at.s; }
CAROM_HD Real passing(const CapsuleOverBox& c, Real length, int k) {
  return c.axis[k] == 0 ? Real(2) : length / abs(c.axis[k]);
}
CAROM_HD Real along_box(const CapsuleOverBox& c, int k) { return passing(c, 2 * c.half[k], k); }

// From a corner: one way leads inwards along one axis alone. It is taken if it is mostly along that edge; otherwise the
// other way, over the face of the other two axes.
CAROM_HD bool second_from_corner(const CapsuleOverBox& c, const NearestPlace& at, Real& step) {
  const int inwards = c.directions() ^ at.corner;
  if (inwards == 0 || inwards == 7) return false;
  const bool forward = is_one_bit(inwards);
  const int bit = forward ? inwards : 7 - inwards, k = bit >> 1;  // 1, 2, 4: axes 0, 1, 2
  const bool along_edge = square(c.axis[k]) > Real(0.5) * length_squared(c.axis);
  const Real way = forward == along_edge ? Real(1) : Real(-1);
  const Real on_face = min(along_box(c, (k + 1) % 3), along_box(c, (k + 2) % 3));
  step = way * min(left_of_axis(at, way), along_edge ? along_box(c, k) : on_face);
  return true;
}
// From within an edge: over the face that the axis is nearer to, to its far side or the end of the edge.
CAROM_HD bool second_from_edge(const CapsuleOverBox& c, const NearestPlace& at, Real& step) {
  const int k = at.along, i = (k + 1) % 3, j = (k + 2) % 3;
  const int directions = c.directions(), inwards = (directions ^ at.corner) & ~(1 << k);
  if (!is_one_bit(inwards)) return false;
  const int over = abs(c.axis[i]) > abs(c.axis[j]) ? i : j;
  const bool forward = (inwards >> over & 1) != 0, to_positive = (directions >> k & 1) == (forward ? 1 : 0);
  const Real way = forward ? Real(1) : Real(-1), left_of_edge = to_positive ? 1 - at.on_edge : 1 + at.on_edge;
  step = way * min(min(left_of_axis(at, way), along_box(c, over)), passing(c, c.half[k] * left_of_edge, k));
  return true;
}

CAROM_HD bool second_place(const CapsuleOverBox& c, const NearestPlace& at, Real& step) {
  switch (at.part) {
    case NearestPlace::Part::kFace: return second_from_face(c, at, step);
    case NearestPlace::Part::kEdge: return second_from_edge(c, at, step);
    case NearestPlace::Part::kCorner: break;
  }
  return second_from_corner(c, at, step);
}

}  // namespace as_mujoco

// A capsule (first) and a box. Features: 0 the nearest place, 1 the second one.
CAROM_HD_LARGE int capsule_box_as_mujoco(const ShapeView& capsule, const Transform& X_WA, const ShapeView& box,
                                         const Transform& X_WB, Real reach, ContactPoint* out) {
  using namespace as_mujoco;
  const Mat33 R_BW = transpose(mat33_from_quat(X_WB.q));  // whose zeros are zeros, so that directions() is not noise
  const Vec3 axis_W = axis_z(X_WA.q) * capsule.scale.y;
  const CapsuleOverBox c{R_BW * (X_WA.p - X_WB.p), R_BW * axis_W, box.scale};
  NearestPlace nearest;
  look_at_ends(c, nearest);
  for (int corner = 0; corner < 8; ++corner)
    for (int k = 0; k < 3; ++k)
      if ((corner >> k & 1) == 0) look_at_edge(c, corner, k, nearest);
  int count = 0;
  const auto add = [&](Real s, int feature) CAROM_HD_LAMBDA {
    const int n = sphere_any(fma(axis_W, s, X_WA.p), capsule.scale.x, box, X_WB, reach, out + count);
    if (n > 0) out[count].feature = feature;
    count += n;
  };
  add(nearest.s, 0);
  Real step = 0;
  const bool second = nearest.square >= 0 && second_place(c, nearest, step);  // none: a sphere beside an edge
  if (second) add(nearest.s + step, 1);
  return count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
