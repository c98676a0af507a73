// Semi-implicit Euler: new velocities first, implicit in the joints' damping D, then positions with them.
//
//   v+ = v + h (M + h D)^-1 (f_smooth + J^T f),   q+ = q (+) h v+
#pragma once

#include "solvers/mujoco/smooth_forces.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace euler {

// Turned by angular velocity omega (in the axes that q maps to) for the time h.
template <class F>
CAROM_HD QuatT<F> turned(QuatT<F> q, Vec3T<F> omega, F h) {
  const F speed = length(omega);
  const auto moving = speed > F(0);
  const Vec3T<F> axis = omega * (F(1) / select(moving, speed, F(1)));
  return normalize(quat_from_axis_angle(axis, speed * h) * q);
}
template <class F>
CAROM_HD void turn_quat(F* q, Vec3T<F> omega, F h) {
  const QuatT<F> next = turned(normalize(QuatT<F>{q[0], q[1], q[2], q[3]}), omega, h);
  for (int i = 0; i < 4; ++i) q[i] = next[i];
}

}  // namespace euler

template <class F, class Team>
CAROM_HD_STAGE void step_velocities(Team team, const TreeView& tree, const TreeWork<F>& t, const ForceView& view,
                                    const RowWork<F>& w, F h) {
  const Vec3T<F>* acceleration = w.acceleration;
  if (view.damped) {
    team.each(block_total(tree.blocks()), [&](int b) { t.factor[b] = t.M[b]; });
    team.each(tree.dofs(), [&](int i) {
      if (tree.dof_link[i] < 0) return;
      F& diagonal = t.factor[block_index(i / 3, i / 3)][i % 3][i % 3];
      diagonal = fma(h, t.dof_params[i].damping, diagonal);
    });
    factor_blocks(team, tree.mass_pattern, t.factor);
    team.each(tree.blocks(), [&](int b) { w.search[b] = w.smooth_force[b] + w.constraint_force[b]; });
    solve_blocks(team, tree.mass_pattern, t.factor, w.search);
    // A world without damping keeps the solver's accelerations, whatever its neighbours have.
    const F damping =
        team.sum(tree.dofs(), [&](int i) { return tree.dof_link[i] < 0 ? F(0) : abs(t.dof_params[i].damping); });
    team.each(tree.blocks(), [&](int b) { w.search[b] = select(damping > F(0), w.search[b], w.acceleration[b]); });
    acceleration = w.search;
  }
  team.each(tree.blocks(), [&](int b) { t.qd[b] = fma(acceleration[b], h, t.qd[b]); });
}

template <class F, class Team>
CAROM_HD_STAGE void step_positions(Team team, const TreeView& tree, const TreeWork<F>& t, F h) {
  const auto omega = [&](int dof) { return Vec3T<F>{entry(t.qd, dof), entry(t.qd, dof + 1), entry(t.qd, dof + 2)}; };
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    F* const q = t.q + link.q;
    if (link.type == JointType::kFree) {
      for (int i = 0; i < 3; ++i) q[i] = fma(entry(t.qd, link.dof + i), h, q[i]);
      euler::turn_quat(q + 3, omega(link.dof + 3), h);
    } else if (link.type == JointType::kBall) {
      euler::turn_quat(q, omega(link.dof), h);
    } else {
      CAROM_ROLL
      for (int i = 0; i < link.linear + link.angular; ++i) q[i] = fma(entry(t.qd, link.dof + i), h, q[i]);
    }
  });
}

}  // namespace carom::inline CAROM_PRECISION
