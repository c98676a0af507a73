// Contacts of two boxes by the 15 separating axes: three face normals each and nine cross products of edges
// (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", 1996). The axis of greatest separation is the normal; where boxes
// overlap that is the least depth. Boxes that are apart, but not along one of these axes, are left to GJK.
#pragma once

#include "collide/narrow/box_manifold.kernel.h"
#include "collide/narrow/general_contacts.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The best of the six face normals. Those of B must win by more than rounding. Which one wins nobody can foretell, so
// that the rest waits until it is known.
CAROM_HD SeparatingAxis best_box_face(const CorePair& pair, const Mat33& abs_R, Real rounding) {
  const Vec3 half_a = pair.a.size, half_b = pair.b.size, t = pair.p_AB, t_B = to_b(pair, t);
  const Real along[6] = {t.x, t.y, t.z, t_B.x, t_B.y, t_B.z};
  Real most = -std::numeric_limits<Real>::max();
  std::uint64_t winners = 1;  // so far, by bit: the last one is it
  CAROM_UNROLL
  for (int k = 0; k < 6; ++k) {
    const int j = k % 3;
    const Vec3 column{abs_R.row0[j], abs_R.row1[j], abs_R.row2[j]};
    const Real extents = k < 3 ? half_a[j] : half_b[j];
    const Real separation = abs(along[k]) - extents - (k < 3 ? dot(abs_R[j], half_b) : dot(column, half_a));
    const bool wins = separation > (k < 3 ? most : most + rounding);
    most = wins ? separation : most;
    winners |= std::uint64_t(wins) << k;
  }
  const int best = highest_bit(winners);
  const Real sign = along[best] < 0 ? Real(-1) : Real(1);
  if (best >= 3) {
    const int j = best - 3;
    return {{pair.R_AB.row0[j] * sign, pair.R_AB.row1[j] * sign, pair.R_AB.row2[j] * sign}, most};
  }
  SeparatingAxis axis{{}, most};
  axis.normal[best] = sign;
  return axis;
}

// The nine cross products of edges, not unit vectors: axis i of A with axis j of B is number 4 i + j.
struct BoxEdges {
  using F = FourPlaces;
  Real square_length[12];
  Real along[12];       // of the way between the centres, times the length
  Real separation[12];  // times the length, and less by the rounding
  std::uint64_t better = 0;

  // Finds those that separate more than `limit`, without the root. Nearly parallel edges are judged by more than their
  // rounding, which their short product magnifies.
  CAROM_HD BoxEdges(const CorePair& pair, const Mat33& abs_R, Real rounding, Real limit) {
    const Vec3 half_a = pair.a.size, half_b = pair.b.size, t = pair.p_AB;
    CAROM_UNROLL
    for (int i = 0; i < 3; ++i) {
      const int u = (i + 1) % 3, v = (i + 2) % 3;
      const Vec3 r = abs_R[i];
      for (int j = 0; j < 3; j += ScalarTraits<F>::kWidth) {
        const F cu = places_of(pair.R_AB[u], j), cv = places_of(pair.R_AB[v], j);  // the product is (0, -cv, cu)
        const F square = fma(cu, cu, cv * cv), way = fma(F(t[v]), cu, -(F(t[u]) * cv));
        const F of_a = fma(F(half_a[u]), abs(cv), F(half_a[v]) * abs(cu));
        const F of_b = fma(places_of({half_b.y, half_b.z, half_b.x}, j), places_of({r.z, r.x, r.y}, j),
                           places_of({half_b.z, half_b.x, half_b.y}, j) * places_of({r.y, r.z, r.x}, j));
        const F apart = abs(way) - (of_a + of_b) - F(rounding);
        const int first = 4 * i + j;
        store_places(square, square_length + first);
        store_places(way, along + first);
        store_places(apart, separation + first);
        better |= bits_of_places(square > F(16 * kRounding) && apart * abs(apart) > F(limit * abs(limit)) * square)
                  << first;
      }
    }
    better &= 0x777;  // the lanes left over repeat the last edge
  }
};

// Improves the axis by products of edges: by those that are better than the faces, one after the other.
CAROM_HD void improve_by_box_edges(const CorePair& pair, const Mat33& abs_R, Real rounding, SeparatingAxis& best) {
  const BoxEdges edges(pair, abs_R, rounding, best.separation);
  each_bit(edges.better, [&](int k) CAROM_HD_LAMBDA {
    const Real separation = edges.separation[k], square_length = edges.square_length[k];
    if (!(separation * abs(separation) > best.separation * abs(best.separation) * square_length)) return;
    const int i = k / 4, j = k % 4, u = i == 2 ? 0 : i + 1, v = u == 2 ? 0 : u + 1;
    const Real inv = 1 / sqrt(square_length), sign = edges.along[k] < 0 ? -inv : inv;
    best = {{}, (separation + rounding) * inv};
    best.normal[u] = -pair.R_AB[v][j] * sign;
    best.normal[v] = pair.R_AB[u][j] * sign;
  });
}

// Whether the axis of two edges is so little better than a face beside it that the face is taken (take_face_normal()).
CAROM_HD bool is_hardly_better(const SeparatingAxis& edges, const SeparatingAxis& face) {
  return dot(edges.normal, face.normal) > Real(0.99) && edges.separation <= 0 &&
         face.separation >= (1 + kFacePreference) * edges.separation;
}

// The best face, and what is best of faces and edges.
struct BoxAxes {
  SeparatingAxis face, axis;
  Real size;  // half extents of both and what is between: four of the larger box [m]

  CAROM_HD Real rounding() const { return 4 * kRounding * size; }
};
// Whether they are within reach.
CAROM_HD bool find_box_axes(const CorePair& pair, Real reach, BoxAxes& found) {
  const Mat33 abs_R{abs(pair.R_AB.row0), abs(pair.R_AB.row1), abs(pair.R_AB.row2)};
  const Vec3 sizes = pair.a.size + pair.b.size + abs(pair.p_AB);
  found.size = max(sizes.x, max(sizes.y, sizes.z));
  found.face = found.axis = best_box_face(pair, abs_R, found.rounding());
  if (found.face.separation >= reach) return false;
  improve_by_box_edges(pair, abs_R, found.rounding(), found.axis);
  return found.axis.separation < reach;
}

CAROM_HD_LARGE int box_box_contacts(const CorePair& pair, const Transform& X_WA, Real reach, ContactPoint* out) {
  BoxAxes found;
  if (!find_box_axes(pair, reach, found)) return 0;
  const SeparatingAxis &face = found.face, &axis = found.axis;
  Real least = 0;
  if (is_hardly_better(axis, face)) {
    const int n = box_manifold(pair, face, X_WA, reach, out, least);
    if (n > 0 && least <= axis.separation + found.rounding()) return n;
  }
  const int n = box_manifold(pair, axis, X_WA, reach, out, least);
  // Where the faces have no point as near as the boxes are, these are apart, but not along one of the axes.
  const Real tolerance = kDeeperBy / 4 * found.size;
  return n > 0 && least <= axis.separation + tolerance ? n : general_contacts(pair, X_WA, reach, out);
}

CAROM_HD_LARGE int box_box(Vec3 half_a, const Transform& X_WA, Vec3 half_b, const Transform& X_WB, Real reach,
                           ContactPoint* out) {
  const ConvexCore a{CoreType::kBox, 0, half_a, nullptr, {}}, b{CoreType::kBox, 0, half_b, nullptr, {}};
  return box_box_contacts(core_pair(a, X_WA, b, X_WB), X_WA, reach, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
