// Two boxes as MuJoCo sees them: the best of the 15 separating axes, apart or not. Along the normal of a face the
// corners of the overlap of two faces, along an axis of two edges the one point between them.
#pragma once

#include "collide/narrow/box_box.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

inline constexpr Real kSamePlace =
    sizeof(Real) == 8 ? Real(1e-7) : Real(4e-6);  // of the size: corners nearer than that are one

// The middle of the edge along axis k that is farthest along n.
CAROM_HD Vec3 middle_of_edge(Vec3 half, Vec3 n, int k) {
  Vec3 p{copysign(half.x, n.x), copysign(half.y, n.y), copysign(half.z, n.z)};
  p[k] = 0;
  return p;
}
CAROM_HD int axis_most_across(Vec3 n) {
  const Vec3 size = abs(n);
  if (size.x <= size.y) return size.x <= size.z ? 0 : 2;
  return size.y <= size.z ? 1 : 2;
}

// Between the nearest places of the two edges that the normal stands on.
CAROM_HD_LARGE int point_of_edges(const CorePair& pair, const SeparatingAxis& axis, const Transform& X_WA,
                                  ContactPoint* out) {
  const Vec3 n = axis.normal, n_B = to_b(pair, n);
  const int i = axis_most_across(n), j = axis_most_across(n_B);
  const Vec3 p = middle_of_edge(pair.a.size, n, i), q = point_from_b(pair, middle_of_edge(pair.b.size, -n_B, j));
  Vec3 e{};
  e[i] = 1;
  const Vec3 f{pair.R_AB.row0[j], pair.R_AB.row1[j], pair.R_AB.row2[j]}, across = cross(e, f), between = q - p;
  const Real inv = 1 / length_squared(across);
  const Real s = clamp(dot(cross(between, f), across) * inv, -pair.a.size[i], pair.a.size[i]);
  const Real t = clamp(dot(cross(between, e), across) * inv, -pair.b.size[j], pair.b.size[j]);
  const Vec3 middle = (fma(e, s, p) + fma(f, t, q)) * Real(0.5);
  *out = {transform_point(X_WA, middle), rotate(X_WA.q, n), axis.separation, 3 * i + j};
  return 1;
}

// Whether the axis of two edges is better than the best face by more than 5 % of that one's depth or distance, or leads
// elsewhere.
CAROM_HD bool is_clearly_better(const SeparatingAxis& edges, const SeparatingAxis& face) {
  const Real gain = edges.separation - face.separation;
  if (dot(edges.normal, face.normal) > Real(0.99)) return gain > kFacePreference * abs(face.separation);
  return gain > 0;
}

}  // namespace as_mujoco

CAROM_HD_LARGE int box_box_as_mujoco(const CorePair& pair, const Transform& X_WA, Real reach, ContactPoint* out) {
  BoxAxes found;
  if (!find_box_axes(pair, reach, found)) return 0;
  Real least = 0;
  return as_mujoco::is_clearly_better(found.axis, found.face)
             ? as_mujoco::point_of_edges(pair, found.axis, X_WA, out)
             : box_manifold(pair, found.face, X_WA, reach, out, least, as_mujoco::kSamePlace);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
