// Contacts of two boxes by the 15 separating axes: three face normals each and nine cross products of edges
// (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", 1996). The axis of greatest separation is the normal; where boxes
// overlap that is the least depth. Boxes that are apart, but not along one of these axes, are left to GJK.
#pragma once

#include "collide/narrow/box_manifold.kernel.h"
#include "collide/narrow/general_contacts.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The best of the six face normals. Those of B must win by more than rounding.
CAROM_HD SeparatingAxis best_box_face(const CorePair& pair, const Mat33& abs_R, Real rounding) {
  const Vec3 half_a = pair.a.size, half_b = pair.b.size, t = pair.p_AB, t_B = to_b(pair, t);
  SeparatingAxis best{{}, -std::numeric_limits<Real>::max()};
  CAROM_UNROLL
  for (int i = 0; i < 3; ++i) {
    const Real separation = abs(t[i]) - half_a[i] - dot(abs_R[i], half_b);
    if (separation <= best.separation) continue;
    best = {{}, separation};
    best.normal[i] = t[i] < 0 ? Real(-1) : Real(1);
  }
  CAROM_UNROLL
  for (int j = 0; j < 3; ++j) {
    const Vec3 column{abs_R.row0[j], abs_R.row1[j], abs_R.row2[j]};
    const Real separation = abs(t_B[j]) - half_b[j] - dot(column, half_a);
    if (separation <= best.separation + rounding) continue;
    const Real sign = t_B[j] < 0 ? Real(-1) : Real(1);
    best = {{pair.R_AB.row0[j] * sign, pair.R_AB.row1[j] * sign, pair.R_AB.row2[j] * sign}, separation};
  }
  return best;
}

// True when separation / length, length the root of `square_length` > 0, is greater than `limit`; without the root.
CAROM_HD bool exceeds(Real separation, Real square_length, Real limit) {
  const Real left = separation * abs(separation), right = limit * abs(limit) * square_length;
  return left > right;
}

// Improves the axis by the nine cross products of edges. Nearly parallel edges are judged by more than their rounding,
// which their short product magnifies.
CAROM_HD void improve_by_box_edges(const CorePair& pair, const Mat33& abs_R, Real rounding, SeparatingAxis& best) {
  const Vec3 half_a = pair.a.size, half_b = pair.b.size, t = pair.p_AB;
  CAROM_UNROLL
  for (int i = 0; i < 3; ++i) {
    const int u = (i + 1) % 3, v = (i + 2) % 3;
    CAROM_UNROLL
    for (int j = 0; j < 3; ++j) {
      const int k = (j + 1) % 3, m = (j + 2) % 3;
      const Real cu = pair.R_AB[u][j], cv = pair.R_AB[v][j];  // the product of axis i and edge j is (0, -cv, cu)
      const Real square_length = fma(cu, cu, cv * cv);
      const Real along = fma(t[v], cu, -(t[u] * cv));
      const Real extents =
          fma(half_a[u], abs_R[v][j], half_a[v] * abs_R[u][j]) + fma(half_b[k], abs_R[i][m], half_b[m] * abs_R[i][k]);
      const Real separation = abs(along) - extents - rounding;
      if (square_length <= 16 * kRounding || !exceeds(separation, square_length, best.separation)) continue;
      const Real inv = 1 / sqrt(square_length), sign = along < 0 ? -inv : inv;
      best = {{}, (separation + rounding) * inv};
      best.normal[u] = -cv * sign;
      best.normal[v] = cu * sign;
    }
  }
}

// Whether the axis of two edges is so little better than a face beside it that the face is taken (take_face_normal()).
CAROM_HD bool is_hardly_better(const SeparatingAxis& edges, const SeparatingAxis& face) {
  return dot(edges.normal, face.normal) > Real(0.99) && edges.separation <= 0 &&
         face.separation >= (1 + kFacePreference) * edges.separation;
}

CAROM_HD_LARGE int box_box_contacts(const CorePair& pair, const Transform& X_WA, Real reach, ContactPoint* out) {
  const Mat33 abs_R{abs(pair.R_AB.row0), abs(pair.R_AB.row1), abs(pair.R_AB.row2)};
  const Vec3 sizes = pair.a.size + pair.b.size + abs(pair.p_AB);
  const Real size = max(sizes.x, max(sizes.y, sizes.z)), rounding = 4 * kRounding * size;
  const SeparatingAxis face = best_box_face(pair, abs_R, rounding);
  if (face.separation >= reach) return 0;
  SeparatingAxis axis = face;
  improve_by_box_edges(pair, abs_R, rounding, axis);
  if (axis.separation >= reach) return 0;
  Real least = 0;
  if (is_hardly_better(axis, face)) {
    const int n = box_manifold(pair, face, X_WA, reach, out, least);
    if (n > 0 && least <= axis.separation + rounding) return n;
  }
  const int n = box_manifold(pair, axis, X_WA, reach, out, least);
  // Where the faces have no point as near as the boxes are, these are apart, but not along one of the axes.
  return n > 0 && least <= axis.separation + kDeeperBy * size ? n : general_contacts(pair, X_WA, reach, out);
}

CAROM_HD_LARGE int box_box(Vec3 half_a, const Transform& X_WA, Vec3 half_b, const Transform& X_WB, Real reach,
                           ContactPoint* out) {
  const ConvexCore a{CoreKind::kBox, 0, half_a, nullptr, {}}, b{CoreKind::kBox, 0, half_b, nullptr, {}};
  return box_box_contacts(core_pair(a, X_WA, b, X_WB), X_WA, reach, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
