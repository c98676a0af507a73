// MuJoCo's pyramid of friction: the rows of a contact are x_n +- mu_i x_i, one-sided, with one D for all of them. So a
// contact stores three rows instead of four, or six instead of ten, and C (friction_law.kernel.h) has
//
//   normal = sum w,   coupling_i = mu_i (w_i+ - w_i-),   own_i = mu_i^2 (w_i+ + w_i-)      w: D where the row pushes
#pragma once

#include "solvers/mujoco/rows/friction_law.kernel.h"
#include "solvers/mujoco/rows/one_sided.kernel.h"
#include "solvers/mujoco/rows/row_root.kernel.h"

namespace carom::inline CAROM_PRECISION::pyramid {

using friction::kParts;
using friction::Law;
using friction::part;
using friction::Vector;
using friction::Weight;

// Both edges of every tangential part.
template <class F, bool kTurns>
struct Edges {
  F plus[kParts<kTurns>], minus[kParts<kTurns>];
  CAROM_HD Edges(const Vector<F, kTurns>& x, const Law<F, kTurns>& law) {
    CAROM_UNROLL
    for (int i = 0; i < kParts<kTurns>; ++i) {
      plus[i] = fma(law.friction(i), part(x, i + 1), part(x, 0));
      minus[i] = fma(-law.friction(i), part(x, i + 1), part(x, 0));
    }
  }
};

template <class F, bool kTurns>
CAROM_HD F cost(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Edges<F, kTurns> edge(x, law);
  const auto half = [](F sum, F plus, F minus) CAROM_HD_LAMBDA {
    sum = fma(one_sided::pushed(plus), one_sided::pushed(plus), sum);
    return fma(one_sided::pushed(minus), one_sided::pushed(minus), sum);
  };
  F sum{};
  CAROM_UNROLL
  for (int i = 0; i < (kTurns ? 3 : 2); ++i) sum = half(sum, edge.plus[i], edge.minus[i]);
  sum = sum * law.D * F(0.5);
  if constexpr (kTurns)
    sum = fma(half(half(F(0), edge.plus[3], edge.minus[3]), edge.plus[4], edge.minus[4]), law.D_roll * F(0.5), sum);
  return sum;
}
template <class F, bool kTurns>
CAROM_HD Vector<F, kTurns> force(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Edges<F, kTurns> edge(x, law);
  Vector<F, kTurns> f;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    const F plus = -law.stiffness(i) * one_sided::pushed(edge.plus[i]);
    const F minus = -law.stiffness(i) * one_sided::pushed(edge.minus[i]);
    part(f, 0) = i == 0 ? plus + minus : part(f, 0) + (plus + minus);
    part(f, i + 1) = law.friction(i) * (plus - minus);
  }
  return f;
}
template <class F, bool kTurns>
CAROM_HD Weight<F, kTurns> weight(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Edges<F, kTurns> edge(x, law);
  Weight<F, kTurns> w;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    const F plus = one_sided::weight(law.stiffness(i), edge.plus[i]), mu = law.friction(i);
    const F minus = one_sided::weight(law.stiffness(i), edge.minus[i]);
    w.normal = i == 0 ? plus + minus : w.normal + (plus + minus);
    w.coupling[i] = mu * (plus - minus);
    w.own[i] = mu * mu * (plus + minus);
  }
  return w;
}
template <class F, bool kTurns>
CAROM_HD SlopeT<F> slope(const Law<F, kTurns>& law, const Vector<F, kTurns>& x, const Vector<F, kTurns>& y, F alpha) {
  const Edges<F, kTurns> ex(x, law), ey(y, law);
  SlopeT<F> sum;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    sum = sum + one_sided::slope(law.stiffness(i), ex.plus[i], ey.plus[i], alpha);
    sum = sum + one_sided::slope(law.stiffness(i), ex.minus[i], ey.minus[i], alpha);
  }
  return sum;
}

// A force that rounding moved out of the pyramid, back on it.
template <class F, bool kTurns>
CAROM_HD Vector<F, kTurns> inside(const Law<F, kTurns>& law, Vector<F, kTurns> f) {
  const F normal = max(part(f, 0), F(0));
  F needed{};
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) needed = needed + abs(part(f, i + 1)) / law.friction(i);
  const F share = select(needed > normal, normal / needed, F(1));
  part(f, 0) = normal;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) part(f, i + 1) = part(f, i + 1) * share;
  return f;
}

// G with G^T G = C: a row sqrt(2 p) of the normal alone, for p pairs of opposite edges that both push, and of each
// tangential part a row (s, mu sqrt(a)), with s = +-1 where one edge of the pair pushes and a edges that do; all times
// sqrt(D).
template <class F>
struct PairRoot {
  F both, s, m;  // both: 2 D of a pair that pushes as a whole
  CAROM_HD PairRoot(F D, F root_D, F mu, F plus, F minus) {
    constexpr Real kRoot2 = Real(1.41421356237309504880);
    const F zero(0);
    const auto p = plus < zero, q = minus < zero, pair = p && q;
    both = select(pair, D + D, zero);
    s = select(pair, zero, select(p, root_D, select(q, -root_D, zero)));
    m = mu * select(pair, root_D * F(kRoot2), select(p || q, root_D, zero));
  }
};
template <class F>
CAROM_HD PairedRoot<F> root(const Law<F, false>& law, const Vec3T<F>& x) {
  const Edges<F, false> e(x, law);
  const PairRoot<F> a(law.D, law.root_D, law.mu, e.plus[0], e.minus[0]);
  const PairRoot<F> b(law.D, law.root_D, law.mu, e.plus[1], e.minus[1]);
  return {sqrt(a.both + b.both), a.s, a.m, b.s, b.m};
}
template <class F>
CAROM_HD TurningRoot<F> root(const Law<F, true>& law, const SpatialVectorT<F>& x) {
  const Edges<F, true> e(x, law);
  const PairRoot<F> a(law.D, law.root_D, law.mu, e.plus[0], e.minus[0]);
  const PairRoot<F> b(law.D, law.root_D, law.mu, e.plus[1], e.minus[1]);
  const PairRoot<F> c(law.D, law.root_D, law.spin, e.plus[2], e.minus[2]);
  const PairRoot<F> d(law.D_roll, law.root_D_roll, law.roll, e.plus[3], e.minus[3]);
  const PairRoot<F> f(law.D_roll, law.root_D_roll, law.roll, e.plus[4], e.minus[4]);
  return {{sqrt(a.both + b.both + c.both + (d.both + f.both)), a.s, a.m, b.s, b.m},
          {c.m, F(0), d.m, F(0), f.m},
          {c.s, d.s, f.s}};
}

}  // namespace carom::inline CAROM_PRECISION::pyramid
