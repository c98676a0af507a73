// A look at the boxes around two shapes before their points are searched for: of the pairs that are near along the
// world's axes most are far apart along an axis of one of the shapes, and a search by support points takes ten times as
// long to tell.
#pragma once

#include "collide/narrow/support.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Around a shape, along its own axes.
struct LocalBox {
  Vec3 center, half;  // [m]
};

CAROM_HD LocalBox local_box(Vec3 lower, Vec3 upper) {
  return {(lower + upper) * Real(0.5), (upper - lower) * Real(0.5)};
}

// Whether the boxes are farther apart than `reach` along one of their axes, by more than rounding.
CAROM_HD bool boxes_apart(const LocalBox& a, const Transform& X_WA, const LocalBox& b, const Transform& X_WB,
                          Real reach) {
  const Quat q_AW = conjugate(X_WA.q);
  const Mat33 R_AB = mat33_from_quat(q_AW * X_WB.q);
  const Vec3 p_AB = rotate(q_AW, X_WB.p - X_WA.p), between = R_AB * b.center + p_AB - a.center;
  const Vec3 row0 = abs(R_AB.row0), row1 = abs(R_AB.row1), row2 = abs(R_AB.row2);
  const Vec3 of_b{dot(row0, b.half), dot(row1, b.half), dot(row2, b.half)};
  const Vec3 of_a = fma(row2, a.half.z, fma(row1, a.half.y, row0 * a.half.x));
  const Vec3 in_b = fma(R_AB.row2, between.z, fma(R_AB.row1, between.y, R_AB.row0 * between.x));
  const Vec3 along_a = abs(between) - (a.half + of_b), along_b = abs(in_b) - (b.half + of_a);
  const Real most = max(max(max(along_a.x, along_a.y), along_a.z), max(max(along_b.x, along_b.y), along_b.z));
  const Real size = length(X_WA.p) + length(X_WB.p) + length(between) + length(a.half) + length(b.half);
  return most > reach + 32 * kRounding * size;
}

}  // namespace carom::inline CAROM_PRECISION
