// The problem of one part of a world, or of W of them in lanes: Newton's steps with the Hessian factored along its
// sparsity pattern.
#pragma once

#include "solvers/mujoco/hessian.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace hessian {

template <class F, class Team>
CAROM_HD_STAGE void factor_hessian(Team team, const RowWork<F>& w, Mat33T<F>* factor) {
  factor_blocks(team, w.pattern, w.H, factor);
}

}  // namespace hessian

template <class F>
struct PartProblem {
  using Number = F;
  const RowView& view;
  const TreeView& tree;
  const TreeWork<F>& t;
  RowWork<F>& w;
  F trace_of_mass;

  CAROM_HD int blocks() const { return view.blocks(); }
  CAROM_HD SolveVectors<F>& vectors() const { return w; }
  template <class Function>
  CAROM_HD void each_kind(Function f) const {
    w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { f(kind, view); });
  }

  CAROM_HD MaskOf<F> is_curved(MaskOf<F> lanes) const { return w.kinds.contacts.sliding.in_cone ? lanes : MaskOf<F>{}; }

  template <class Team>
  CAROM_HD F trace(Team) const {
    return trace_of_mass;
  }
  template <class Team>
  CAROM_HD void multiply_mass(Team team, const Vec3T<F>* v, Vec3T<F>* out) const {
    multiply_blocks(team, tree.mass_pattern, t.M, v, out);
  }
  template <class Team>
  CAROM_HD void gather_forces(Team team) const {
    team.each(blocks(), [&](int b) {
      Vec3T<F> sum;
      w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.add_force(view, b, sum); });
      w.constraint_force[b] = sum;
    });
  }

  template <class Team>
  CAROM_HD void prepare(Team team) const {
    find_pattern(team, view, w);
    w.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA { kind.J.find_slots(team, kind.list.count); });
  }
  template <class Team>
  CAROM_HD void update_hessian(Team team, bool first) const {
    if (!find_changes(team, *this, first)) return;
    mark_stale(team, view, w, first);
    rebuild_hessian(team, view, w, tree.mass_pattern.coupled, t.M);
    hessian::factor_hessian(team, w, t.factor);
  }
  // x = H^-1 x
  template <class Team>
  CAROM_HD void solve(Team team, Vec3T<F>* x) const {
    solve_blocks(team, w.pattern, t.factor, x);
  }
};

}  // namespace carom::inline CAROM_PRECISION
