// The principal axes of an inertia, by Jacobi's rotations.
#pragma once

#include "carom/math.h"
#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

// The rotation R for which R^T I R is diagonal; the identity where I is.
CAROM_HD Quat principal_axes(Mat33 I) {
  constexpr int kSweeps = 12;
  Quat R;
  for (int turn = 0; turn < 3 * kSweeps; ++turn) {
    const int p = turn % 3, q = (p + 1) % 3, r = (p + 2) % 3;
    if (I[p][q] == 0) continue;
    // A turn about axis r by minus the angle of tangent t makes I[p][q] zero.
    const Real ratio = (I[q][q] - I[p][p]) / (2 * I[p][q]);
    const Real t = (ratio < 0 ? -1 : 1) / (abs(ratio) + sqrt(ratio * ratio + 1));
    const Real c = 1 / sqrt(t * t + 1), s = t * c, half = sqrt((1 + c) / 2);
    for (int k = 0; k < 3; ++k) {
      const Real a = I[k][p], b = I[k][q];
      I[k][p] = c * a - s * b, I[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
      const Real a = I[p][k], b = I[q][k];
      I[p][k] = c * a - s * b, I[q][k] = s * a + c * b;
    }
    I[p][q] = I[q][p] = 0;
    Vec3 axis;
    axis[r] = -s / (2 * half);
    R = R * Quat{axis.x, axis.y, axis.z, half};
  }
  return normalize(R);
}

}  // namespace carom::inline CAROM_PRECISION
