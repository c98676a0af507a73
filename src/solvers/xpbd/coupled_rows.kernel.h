// A coupling of two joints as SolverXPBD solves it: one row over the links that they move, with the rate u = J v, which
// is to take away the error C:
//
//   p = -B (u + rate C),   B large beside the mass 1 / W that the row moves,   W = J M^-1 J^T
#pragma once

#include "solvers/xpbd/joint_rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct CoupledJoints {
  CouplingRow<F> row;
  F yield;    // 1 / (1 / B + W); 0: it does nothing
  F loosens;  // 1 / B
  F p;        // [N s] or [N m s], of the driven joint
};

template <class F>
struct CouplingSolve {
  const MaximalWorlds& maximal;
  const MaximalWork<F>& links;
  const LinkMass<F>* mass;
  LinkRow<F>* rows;
  MaskOf<F> acts;  // where it does anything

  // At the poses of `links`; the impulse begins with `p`.
  template <class Team>
  CAROM_HD_FREE void open(Team, int loop, CoupledJoints<F>& c) const {
    c.row = coupling_row(maximal, loop, links);
    F W{};
    each_link(c, [&](int k) CAROM_HD_LAMBDA {
      const LinkMass<F>& m = mass[c.row.link[k]];
      const SpatialVectorT<F>& J = c.row.J[k];
      W = W + fma(m.inverse, length_squared(J.linear), dot(J.angular, m.inverse_turn * J.angular));
    });
    const MaskOf<F> held = W > F(0) && links.loops[loop].enabled > F(0);
    c.loosens = W * F(Real(1) / JointSolve<F>::kStiff);
    c.yield = select(held, F(1) / select(held, W + c.loosens, F(1)), F(0));
    c.p = select(held, c.p, F(0));
  }
  template <class Team>
  CAROM_HD_FREE void warm_start(Team, const CoupledJoints<F>& c) const {
    push_links(c, c.p);
  }
  // rate: at which errors are taken away [1/s].
  template <class Team>
  CAROM_HD_FREE void solve(Team, CoupledJoints<F>& c, F rate) const {
    F off = fma(rate, c.row.error, c.loosens * c.p);
    each_link(c, [&](int k) CAROM_HD_LAMBDA {
      const LinkRow<F>& row = rows[c.row.link[k]];
      off = off + dot(c.row.J[k].linear, row.v) + dot(c.row.J[k].angular, row.omega);
    });
    const F more = select(acts, -c.yield * off, F(0));
    c.p = c.p + more;
    push_links(c, more);
  }

 private:
  template <class Function>
  CAROM_HD static void each_link(const CoupledJoints<F>& c, Function f) {
    for (int k = 0; k < CouplingRow<F>::kLinks; ++k)
      if (c.row.link[k] >= 0) f(k);
  }
  CAROM_HD void push_links(const CoupledJoints<F>& c, F p) const {
    each_link(c, [&](int k) CAROM_HD_LAMBDA {
      const LinkMass<F>& m = mass[c.row.link[k]];
      LinkRow<F>& row = rows[c.row.link[k]];
      row.v = fma(c.row.J[k].linear, m.inverse * p, row.v);
      row.omega = fma(m.inverse_turn * c.row.J[k].angular, p, row.omega);
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
