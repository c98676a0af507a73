// Symmetric positive definite 3 x 3 matrices as A = L D L^T with ones on the diagonal of L. Nothing but entries of A
// and their quotients is formed, so that no scale of A overflows, and an infinite entry on the diagonal, with zeros
// beside it, stands for its limit: its row of the inverse is zero.
#pragma once

#include "carom/math/mat33.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct Ldl33T {
  F l10, l20, l21;
  Vec3T<F> pivot;  // of D
};

// Reads the diagonal and what is below it.
template <class F>
CAROM_HD Ldl33T<F> ldl_factor(const Mat33T<F>& a) {
  Ldl33T<F> r;
  r.pivot.x = a.row0.x;
  r.l10 = a.row1.x / r.pivot.x;
  r.l20 = a.row2.x / r.pivot.x;
  r.pivot.y = fma(-r.l10, a.row1.x, a.row1.y);
  const F below = fma(-r.l20, a.row1.x, a.row2.y);
  r.l21 = below / r.pivot.y;
  r.pivot.z = fma(-r.l21, below, fma(-r.l20, a.row2.x, a.row2.z));
  return r;
}

// scale A^-1, with 1/D cut off at `largest`.
template <class F>
CAROM_HD Mat33T<F> ldl_inverse(const Ldl33T<F>& f, F scale, F largest) {
  const F p0 = min(scale / f.pivot.x, largest), p1 = min(scale / f.pivot.y, largest),
          p2 = min(scale / f.pivot.z, largest);
  const F m10 = -f.l10, m21 = -f.l21, m20 = fma(f.l10, f.l21, -f.l20);  // L^-1
  const F xy = fma(m20 * m21, p2, m10 * p1), xz = m20 * p2, yz = m21 * p2;
  return {{fma(m20 * m20, p2, fma(m10 * m10, p1, p0)), xy, xz}, {xy, fma(m21 * m21, p2, p1), yz}, {xz, yz, p2}};
}

}  // namespace carom::inline CAROM_PRECISION
