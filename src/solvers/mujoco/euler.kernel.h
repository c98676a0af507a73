// Semi-implicit Euler: new velocities first, implicit in the joints' damping D, then positions with them.
//
//   v+ = v + h (M + h D)^-1 (f_smooth + J^T f),   q+ = q (+) h v+
#pragma once

#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/smooth_forces.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F, class Team>
CAROM_HD_FREE void step_velocities(Team team, const TreeView& tree, const TreeWork<F>& t, const ForceView& view,
                                   const SolveVectors<F>& w, F h) {
  const Vec3T<F>* acceleration = w.acceleration;
  if (view.damped) {
    team.each(tree.dofs(), [&](int i) {
      if (tree.dof_link[i] < 0) return;
      F& diagonal = t.M[block_index(i / 3, i / 3)][i % 3][i % 3];
      diagonal = fma(h, t.dof_params[i].damping, diagonal);
    });
    Mat33T<F>* const factor = t.M;  // which nobody needs after this
    factor_blocks(team, tree.mass_pattern, t.M, factor);
    team.each(tree.blocks(), [&](int b) { w.search[b] = w.smooth_force[b] + w.constraint_force[b]; });
    solve_blocks(team, tree.mass_pattern, factor, w.search);
    // A world without damping keeps the solver's accelerations, whatever its neighbours have.
    const F damping =
        team.sum(tree.dofs(), [&](int i) { return tree.dof_link[i] < 0 ? F(0) : abs(t.dof_params[i].damping); });
    team.each(tree.blocks(), [&](int b) { w.search[b] = select(damping > F(0), w.search[b], w.acceleration[b]); });
    acceleration = w.search;
  }
  team.each(tree.blocks(), [&](int b) { t.qd[b] = fma(acceleration[b], h, t.qd[b]); });
}

template <class F, class Team>
CAROM_HD_FREE void step_positions(Team team, const TreeView& tree, const TreeWork<F>& t, F h) {
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    const auto rate = [&](int i) CAROM_HD_LAMBDA { return entry(t.qd, link.dof + i); };
    visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
      joint.integrate({link.linear, link.angular}, rate, h, t.q + link.q);
    });
  });
}

}  // namespace carom::inline CAROM_PRECISION
