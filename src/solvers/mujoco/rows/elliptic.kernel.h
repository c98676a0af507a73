// MuJoCo's elliptic cone of friction. In the round space U = (s x_n, mu_1 x_1, mu_2 x_2, ...), with N = U_0, T =
// |U_1..| and the slope s = mu_1 / sqrt(impratio), the cost is D / 2 times the square of what U is away from the dual
// cone:
//
//   N >= s T      apart:  0
//   s N + T <= 0  sticks: 1/2 D (N^2 + T^2)
//   otherwise     slides: 1/2 D share (N - s T)^2       share = 1 / (1 + s^2)
//
// The force is homogeneous in x: f = -C x everywhere. Where it slides, with u = U_t / T and S = diag(s, mu_1, ...),
//
//   C = D share S | 1     -s u^T                              | S,   kappa = s^2 - s N / T
//                 | -s u  s^2 u u^T + kappa (1 - u u^T)       |
#pragma once

#include "solvers/mujoco/rows/friction_law.kernel.h"
#include "solvers/mujoco/rows/row_root.kernel.h"

// Calls on a GPU, so that the pyramids of most models keep their registers.
namespace carom::inline CAROM_PRECISION::elliptic::inline CAROM_TIER {

using friction::kParts;
using friction::Law;
using friction::part;
using friction::Vector;
using friction::Weight;

// A vector in round space.
template <class F, bool kTurns>
struct Round {
  F normal, tangential[kParts<kTurns>];

  CAROM_HD Round(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) : normal(law.slope * part(x, 0)) {
    CAROM_UNROLL
    for (int i = 0; i < kParts<kTurns>; ++i) tangential[i] = law.friction(i) * part(x, i + 1);
  }
  CAROM_HD F tangential_dot(const Round& o) const {
    F sum = tangential[0] * o.tangential[0];
    CAROM_UNROLL
    for (int i = 1; i < kParts<kTurns>; ++i) sum = fma(tangential[i], o.tangential[i], sum);
    return sum;
  }
};

// Where U is.
template <class F>
struct Zone {
  F T;
  F excess;  // N - s T
  MaskOf<F> pushes, sticks;

  template <bool kTurns>
  CAROM_HD Zone(const Law<F, kTurns>& law, const Round<F, kTurns>& U)
      : T(sqrt(U.tangential_dot(U))),
        excess(fma(-law.slope, T, U.normal)),
        pushes(!(excess >= F(0)) && law.D > F(0)),
        sticks(pushes && fma(law.slope, U.normal, T) <= F(0)) {}

  // One of two numbers; 0 apart.
  CAROM_HD F choose(F sticking, F sliding) const { return select(pushes, select(sticks, sticking, sliding), F(0)); }
};

template <class F, bool kTurns>
CAROM_HD_LARGE F cost(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Round<F, kTurns> U(law, x);
  const Zone<F> zone(law, U);
  return zone.choose(fma(U.normal, U.normal, zone.T * zone.T), zone.excess * zone.excess * law.share) * law.D * F(0.5);
}

template <class F, bool kTurns>
CAROM_HD_LARGE Vector<F, kTurns> force(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Round<F, kTurns> U(law, x);
  const Zone<F> zone(law, U);
  const F pull = law.D * law.share * zone.excess;
  const F along = zone.choose(-law.D, pull * law.slope / zone.T);  // of U_t
  Vector<F, kTurns> f;
  part(f, 0) = zone.choose(-law.D * U.normal, -pull) * law.slope;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) part(f, i + 1) = along * U.tangential[i] * law.friction(i);
  return f;
}

template <class F, bool kTurns>
CAROM_HD_LARGE Weight<F, kTurns> weight(const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  const Round<F, kTurns> U(law, x);
  const Zone<F> zone(law, U);
  const F D = law.D * law.share, s2 = law.slope * law.slope, ratio = U.normal / zone.T;
  Weight<F, kTurns> w;
  w.normal = zone.choose(law.D, D) * s2;
  const F coupling = zone.choose(F(0), -D * s2 / zone.T), own = zone.choose(law.D, D * (s2 - law.slope * ratio));
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    const F mu = law.friction(i);
    w.coupling[i] = coupling * U.tangential[i] * mu;
    w.own[i] = own * mu * mu;
  }
  w.across = zone.choose(F(0), ratio / (D * s2 * law.slope));
  return w;
}

template <class F, bool kTurns>
CAROM_HD_LARGE SlopeT<F> slope(const Law<F, kTurns>& law, const Vector<F, kTurns>& x, const Vector<F, kTurns>& y,
                               F alpha) {
  const Round<F, kTurns> U(law, y * alpha + x), V(law, y);
  const Zone<F> zone(law, U);
  const F UV = U.tangential_dot(V), VV = V.tangential_dot(V);
  const F dT = UV / zone.T, de = fma(-law.slope, dT, V.normal), ddT = (VV - dT * dT) / zone.T;
  const F D = law.D * law.share;
  return {zone.choose(law.D * fma(U.normal, V.normal, UV), D * zone.excess * de),
          zone.choose(law.D * fma(V.normal, V.normal, VV), D * (de * de - zone.excess * law.slope * ddT))};
}

// A force that rounding moved out of the cone, back on it.
template <class F, bool kTurns>
CAROM_HD_LARGE Vector<F, kTurns> inside(const Law<F, kTurns>& law, Vector<F, kTurns> f) {
  const F normal = max(part(f, 0), F(0));
  F squares{};
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) {
    const F mu = law.friction(i), scaled = select(mu > F(0), part(f, i + 1) / mu, F(0));
    squares = fma(scaled, scaled, squares);
  }
  const F needed = sqrt(squares), share = select(needed > normal, normal / needed, F(1));
  part(f, 0) = normal;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) part(f, i + 1) = part(f, i + 1) * share;
  return f;
}

// G with G^T G = C. Where it slides C has two rows, sqrt(D share) (s, -s mu u) and sqrt(D share kappa) (0, mu u') with
// u' across u; a rotation of these two makes one entry zero.
template <class F>
CAROM_HD_LARGE RowRoot<F> root(const Law<F, false>& law, const Vec3T<F>& x) {
  const Round<F, false> U(law, x);
  const Zone<F> zone(law, U);
  const F D = sqrt(law.D * law.share), mu = law.mu, zero(0);
  const F along = D * law.slope;
  const F across = D * sqrt(max(law.slope * law.slope - law.slope * U.normal / zone.T, zero));
  const F u = U.tangential[0] / zone.T * mu, v = U.tangential[1] / zone.T * mu;
  const F a = -along * v, b = across * u, h = sqrt(fma(a, a, b * b));
  const F c = select(h > zero, a / h, zero), s = select(h > zero, b / h, F(1));
  const F first = -along * u, second = -across * v;
  return {zone.choose(law.root_D * law.slope, zero),
          zone.choose(zero, s * along),
          zone.choose(law.root_D * mu, fma(s, first, -(c * second))),
          zone.choose(zero, c * along),
          zone.choose(law.root_D * mu, h),
          zone.choose(zero, fma(c, first, s * second))};
}

}  // namespace carom::inline CAROM_PRECISION::elliptic::inline CAROM_TIER
