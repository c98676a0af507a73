// Contacts of particles with each other (touch_projection.kernel.h). The normal is that of where the two are.
#pragma once

#include "solvers/xpbd/touch_projection.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The numbers of a pair, in the order in which pairs are solved.
namespace pair_row {
inline constexpr int kRadii = 0,  // their sum [m]
    kAllowed = 1,                 // how far they may overlap at the end of the sub-step [m]
    kLambda = 4,                  // normal, and in the plane, on particle 1 [kg m]
    kForce = 8,                   // mean so far [N]
    kLength = kParticlePairRow;
}  // namespace pair_row

struct ParticlePairRows {
  TouchedRows particles;
  const int* particle;  // two columns of `count`, in their order
  int count;
  Real* row;
  Real mu;
  Real per_substep;  // 1 / sub-steps
};

template <class F>
struct PairGap {
  Vec3T<F> n;  // from particle 0 to particle 1
  F gap;       // [m]

  CAROM_HD PairGap(Vec3T<F> apart, F radii) {
    const F distance = length(apart);
    const auto differ = distance > F(0);
    n = select(differ, apart * (F(1) / select(differ, distance, F(1))), Vec3T<F>{F(0), F(0), F(1)});
    gap = distance - radii;
  }
};

struct ShiftPairs : ParticlePairRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const Stencil<F, 2> s({particles.at.place, particles.shift}, particle, count, rows);
    F m[2];
    load_lane_rows<pair_row::kLength>(row, rows, m);
    const PairGap<F> now(s.between(0, 1), m[pair_row::kRadii]);
    const F step = max(-now.gap, F(0)) * F(kPushedOut) * inverse_or_zero(s.w[0] + s.w[1]);
    Stencil<F, 2> shifted = s;
    shifted.push({{-now.n, now.n}}, step);
    shifted.store({particles.at.place, particles.shift});
  }
};

// Where pairs stand when all are shifted.
struct BeginPairs : ParticlePairRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const Stencil<F, 2> s({particles.at.place, particles.shift}, particle, count, rows);
    F m[2];
    load_lane_rows<pair_row::kLength>(row, rows, m);
    const PairGap<F> now(s.between(0, 1), m[pair_row::kRadii]);
    store_lane_rows<pair_row::kLength, 1>(row, rows, {max(-now.gap, F(0))}, pair_row::kAllowed);
    store_lane_rows<pair_row::kLength, 4>(row, rows, {F(0), F(0), F(0), F(0)}, pair_row::kLambda);
  }
};

struct ProjectPairs : ParticlePairRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    Stencil<F, 2> s(particles.at, particle, count, rows);
    F m[8];
    load_lane_rows<pair_row::kLength>(row, rows, m);
    const TouchLambda<F> before{m[4], {m[5], m[6], m[7]}};
    const F w = s.w[0] + s.w[1];
    const PairGap<F> at(s.between(0, 1), m[pair_row::kRadii]);

    TouchLambda<F> now;
    now.n = next_normal_lambda(before.n, at.gap + m[pair_row::kAllowed], w);
    s.push({{-at.n, at.n}}, now.n - before.n);
    const Vec3T<F> slip = within_plane(s.moved_between(0, 1), at.n);
    now.t = next_slip_lambda(within_plane(before.t, at.n), slip, w, F(mu) * now.n);
    const Vec3T<F> change = now.t - before.t;
    s.push({{-change, change}}, F(1));

    s.store(particles.at);
    store_lane_rows<pair_row::kLength, 4>(row, rows, {now.n, now.t.x, now.t.y, now.t.z}, pair_row::kLambda);
  }
};

// After the last iteration, where both have come to.
struct EndPairs : ParticlePairRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const Stencil<F, 2> s(particles.at, particle, count, rows);
    F m[pair_row::kLength];
    load_lane_rows<pair_row::kLength>(row, rows, m);
    const PairGap<F> at(s.between(0, 1), m[pair_row::kRadii]);
    const TouchLambda<F> lambda{m[4], {m[5], m[6], m[7]}};
    const F by_h2 = F(per_substep / (particles.h * particles.h));
    const Vec3T<F> sum = fma(lambda.along(at.n), by_h2, Vec3T<F>{m[8], m[9], m[10]});
    store_lane_rows<pair_row::kLength, 3>(row, rows, {sum.x, sum.y, sum.z}, pair_row::kForce);
  }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
