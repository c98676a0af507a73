// Several contact points of one pair of bodies; the equations are in impact.h.
#pragma once

#include "carom/impulse/impact.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct PairPointT : ImpactPointT<F> {
  MaskOf<F> active = F(0) == F(0);  // lanes without this point are off, and the rest of theirs may be anything
};

using PairPoint = PairPointT<Real>;

// Two bodies and the points between them. Everything is kept: no visit changes more than it may.
template <class F>
struct PairSystem {
  ImpactBodyT<F> first_a, first_b;  // before the impact
  ImpactBodyT<F> a, b;
  PairPointT<F>* point;
  int count;

  CAROM_HD void start() { a = first_a, b = first_b; }
  template <class Visit>
  CAROM_HD void each(Keep, bool backward, Visit visit) {
    for (int k = 0; k < count; ++k) {
      PairPointT<F>& p = point[backward ? count - 1 - k : k];
      visit(a, b, static_cast<ImpactPointT<F>&>(p), p.active);
    }
  }
};

inline namespace CAROM_TIER {

// Whatever stands in lanes that are off must not get into the velocities.
template <class F>
CAROM_HD void clear_inactive(PairPointT<F>& point) {
  const Vec3T<F> zero{F(0), F(0), F(0)};
  point.normal = select(point.active, point.normal, Vec3T<F>{F(0), F(0), F(1)});
  point.r1 = select(point.active, point.r1, zero);
  point.r2 = select(point.active, point.r2, zero);
  point.friction = select(point.active, point.friction, F(0));
}

// Gives each of the points its impulse, and the bodies their velocities after the impact. True where the sweeps
// converged.
template <class F>
CAROM_HD_STAGE MaskOf<F> solve_pair(ImpactBodyT<F>& a, ImpactBodyT<F>& b, PairPointT<F>* point, int count,
                                    const ImpactConfig& config = {}) {
  for (int i = 0; i < count; ++i) clear_inactive(point[i]);
  PairSystem<F> system{a, b, a, b, point, count};
  const auto converged = solve_impact<F>(system, config);
  a = system.a;
  b = system.b;
  for (int i = 0; i < count; ++i)
    point[i].impulse = select(point[i].active, point[i].impulse, Vec3T<F>{F(0), F(0), F(0)});
  return converged;
}

}  // namespace CAROM_TIER

}  // namespace carom::inline CAROM_PRECISION
