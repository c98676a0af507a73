// One step of extended position-based dynamics (Macklin, Mueller, Chentanez, "XPBD", 2016) for what resists a measure C
// of the positions by the force -(k C + d dC/dt + f) along its gradient. Over a sub-step h it is implicit Euler's,
//
//   lambda = -(K C + D (sum of g . displacement) + f h^2),   K = k h^2,  D = d h,   displacement += w g lambda
//
// with lambda = h^2 force, solved by Newton's method for this element alone from the lambda so far:
//
//   change of lambda = -(K C + D rate + f h^2 + lambda) / (1 + (K + D) sum of w g . g)
//
// Written with stiffnesses in place of their inverses: what has none is no special case.
#pragma once

#include "solvers/xpbd/lane_rows.kernel.h"
#include "solvers/xpbd/projected_world.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Numbers of ParticleRows: the first of each.
struct ParticleRows {
  Real* place;  // and the inverse mass behind it
  Real* moved;
};

template <class F>
CAROM_HD Vec3T<F> vec3_of(const F (&row)[4]) {
  return {row[0], row[1], row[2]};
}
template <class F>
CAROM_HD Vec3T<F> vec3_at(const Real* base, const LaneRows<F>& who) {
  F row[4];
  load_lane_rows<kParticleRow>(base, who, row);
  return vec3_of(row);
}
template <class F>
CAROM_HD void store_vec3(Real* base, const LaneRows<F>& who, Vec3T<F> v) {
  store_lane_rows<kParticleRow>(base, who, {v.x, v.y, v.z, F(0)});
}

// How a measure changes with the places of an element's particles.
template <class F, int N>
struct Gradient {
  Vec3T<F> at[N];
};

// The particles of an element.
template <class F, int N>
struct Stencil {
  LaneRows<F> who[N];
  Vec3T<F> place[N], moved[N];
  F w[N];

  // corner: a column of `stride` rows for each of the N.
  CAROM_HD Stencil(const ParticleRows& p, const int* corner, int stride, const LaneRows<F>& rows) {
    for (int k = 0; k < N; ++k) {
      who[k] = rows_at(corner + k * stride, rows);
      F at[4], by[4];
      load_lane_rows<kParticleRow>(p.place, who[k], at);
      load_lane_rows<kParticleRow>(p.moved, who[k], by);
      place[k] = vec3_of(at), moved[k] = vec3_of(by), w[k] = at[3];
    }
  }

  // From particle a to particle b. Differences of near places are exact, and so small motions are not lost.
  CAROM_HD Vec3T<F> between(int a, int b) const { return (place[b] - place[a]) + (moved[b] - moved[a]); }
  CAROM_HD Vec3T<F> moved_between(int a, int b) const { return moved[b] - moved[a]; }

  CAROM_HD F weighted(const Gradient<F, N>& g, const Gradient<F, N>& h) const {
    F sum{};
    for (int k = 0; k < N; ++k) sum = fma(w[k], dot(g.at[k], h.at[k]), sum);
    return sum;
  }
  CAROM_HD F rate(const Gradient<F, N>& g) const {
    F sum{};
    for (int k = 0; k < N; ++k) sum += dot(g.at[k], moved[k]);
    return sum;
  }
  CAROM_HD void push(const Gradient<F, N>& g, F lambda) {
    for (int k = 0; k < N; ++k) moved[k] = fma(g.at[k], w[k] * lambda, moved[k]);
  }
  CAROM_HD void store(const ParticleRows& p) const {
    for (int k = 0; k < N; ++k) store_vec3(p.moved, who[k], moved[k]);
  }
};

// What an element resists by: K and D of the head of this file, and K C + f h^2.
template <class F>
struct Resistance {
  F K, D, force;
};

// The lambdas so far of the M measures of each element, over the iterations of a sub-step; one iteration needs none.
struct Lambdas {
  Real* sum;
  bool reads, writes;
};
template <int M, class F>
CAROM_HD void load_lambdas(const Lambdas& l, const LaneRows<F>& rows, F (&lambda)[M]) {
  for (F& each : lambda) each = F(0);
  if (l.reads) load_lane_rows<M>(l.sum, rows, lambda);
}
template <int M, class F>
CAROM_HD void add_lambdas(const Lambdas& l, const LaneRows<F>& rows, const F (&lambda)[M], const F (&change)[M]) {
  if (!l.writes) return;
  F sum[M];
  for (int k = 0; k < M; ++k) sum[k] = lambda[k] + change[k];
  store_lane_rows<M>(l.sum, rows, sum);
}

// An element that resists one measure, with gradient g.
template <class F, int N>
CAROM_HD void project(Stencil<F, N>& s, const Gradient<F, N>& g, const Resistance<F>& r, const Lambdas& lambdas,
                      const LaneRows<F>& rows) {
  F lambda[1];
  load_lambdas(lambdas, rows, lambda);
  const F k = r.K + r.D;
  const F change[1] = {-(fma(r.D, s.rate(g), r.force) + lambda[0]) / fma(k, s.weighted(g, g), F(1))};
  s.push(g, change[0]);
  add_lambdas(lambdas, rows, lambda, change);
}

// An element that resists two measures, both at once.
template <class F, int N>
CAROM_HD void project(Stencil<F, N>& s, const Gradient<F, N>& g, const Resistance<F>& r, const Gradient<F, N>& h,
                      const Resistance<F>& q, const Lambdas& lambdas, const LaneRows<F>& rows) {
  F lambda[2];
  load_lambdas(lambdas, rows, lambda);
  const F wanted_g = -(fma(r.D, s.rate(g), r.force) + lambda[0]),
          wanted_h = -(fma(q.D, s.rate(h), q.force) + lambda[1]);
  const F k_g = r.K + r.D, k_h = q.K + q.D;
  const F gg = k_g * s.weighted(g, g), hh = k_h * s.weighted(h, h), gh = s.weighted(g, h);
  // 1 + gg + hh is what the determinant is at least, but for rounding.
  const F determinant = max(fma(gg, hh, -(k_g * gh) * (k_h * gh)), F(0)) + (F(1) + (gg + hh));
  const F change[2] = {fma(F(1) + hh, wanted_g, -(k_g * gh) * wanted_h) / determinant,
                       fma(F(1) + gg, wanted_h, -(k_h * gh) * wanted_g) / determinant};
  s.push(g, change[0]);
  s.push(h, change[1]);
  add_lambdas(lambdas, rows, lambda, change);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
