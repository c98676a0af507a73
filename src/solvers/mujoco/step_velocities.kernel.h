// From the accelerations of a step to its new velocities, then positions with them:
//
//   v+ = v + h (M + h D)^-1 (f_smooth + J^T f),   q+ = q (+) h v+
//
// Euler: D is the damping of joints. ImplicitFast: minus the derivative of all forces of joints, tendons, actuators and
// a fluid by velocities, as far as M has entries; and where a free body carries nothing, that of the forces that its
// turning makes. Implicit: with that of all bias forces, too; D is not symmetric then. Discrete has all of it in the
// accelerations already (discrete.kernel.h).
#pragma once

#include "dynamics/bias_rates.kernel.h"
#include "dynamics/block_lu.kernel.h"
#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/fluid.kernel.h"
#include "solvers/mujoco/smooth_forces.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct VelocityStep {
  const TreeView& tree;
  const TreeWork<F>& t;
  const ForceView& view;
  const ForceWork<F>& forces;
  const SolveVectors<F>& w;
  F h;
  FluidView<F> fluid;
  BiasRates<F> bias;  // of Implicit
};

namespace velocities {

template <class F>
CAROM_HD F& mass_entry(const VelocityStep<F>& s, int i, int j) {
  return carom::mass_entry(s.t, i, j);
}

template <class F, class Team, class Damping>
CAROM_HD_FREE void add_to_diagonal(Team team, const VelocityStep<F>& s, Damping damping) {
  team.each(s.tree.dofs(), [&](int i) {
    if (s.tree.dof_link[i] < 0) return;
    F& diagonal = mass_entry(s, i, i);
    diagonal = fma(s.h, damping(i), diagonal);
  });
}

// What joints that turn at once drag along the axes of their children.
template <class F, class Team>
CAROM_HD_FREE void add_turning_drag(Team team, const VelocityStep<F>& s) {
  team.each(s.tree.links(), [&](int l) {
    const TreeLink& link = s.tree.link[l];
    if (!turns_at_once(link.type)) return;
    const forces::TurningDrag<F> drag(link, s.t, s.forces.extras);
    if (!drag.acts()) return;
    const Mat33T<F> D = drag.damping();
    const int first = link.dof + link.linear;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        F& below = mass_entry(s, first + i, first + j);
        below = fma(s.h, D[i][j], below);
        if (j < i && (first + i) / 3 == (first + j) / 3) mass_entry(s, first + j, first + i) = below;
      }
  });
}

template <class F>
CAROM_HD F damping_of_spring(const VelocityStep<F>& s, int k) {
  const SpringParams<F>& p = s.forces.spring_params[k];
  const F speed = forces::stroke_of(s.forces, s.t, s.view.spring[k], s.view.spring_entry, s.forces.spring_coef).speed;
  return forces::polynomial_slope(p.damping, p.damping_poly, speed);
}
// Of tendons, and of actuators that pull them.
template <class F, class Team>
CAROM_HD_FREE void add_tendons(Team team, const VelocityStep<F>& s) {
  const ForceView& view = s.view;
  team.each(1, [&](int) {  // two tendons may pull at one joint
    CAROM_ROLL
    for (int k = 0; k < static_cast<int>(view.spring.size); ++k)
      add_tendon_matrix(s.tree, s.t, s.h * damping_of_spring(s, k), view.spring_entry, s.forces.spring_coef,
                        view.spring[k].first_entry, view.spring[k].entry_count);
    CAROM_ROLL
    for (int a = 0; view.tendon_actuators > 0 && a < static_cast<int>(view.actuator.size); ++a)
      if (const ActuatorSlot& slot = view.actuator[a]; slot.dof < 0)
        add_tendon_matrix(s.tree, s.t, s.h * s.forces.tendon_damping[slot.number], view.actuator_entry,
                          s.forces.actuator_coef, slot.first_entry, slot.entry_count);
  });
}

// Of the fluid: f(k, i, j) for all that it pushes, number k of links, and two degrees of freedom that move it, j before
// i or i itself.
template <class F, class Team, class Function>
CAROM_HD_FREE void each_pushed(Team team, const VelocityStep<F>& s, Span<const int> links, Function f) {
  const TreeView& tree = s.tree;
  team.each(tree.dofs(), [&](int i) {
    if (tree.dof_link[i] < 0) return;
    CAROM_ROLL
    for (int k = 0; k < static_cast<int>(links.size); ++k) {
      if (!(s.fluid.link_dofs(links[k], i / kDofsPerWord) >> i % kDofsPerWord & 1)) continue;
      CAROM_ROLL
      for (int a = tree.ancestor_start[i]; a < tree.ancestor_start[i + 1]; ++a) f(k, i, tree.ancestor[a]);
    }
  });
}
template <class F, class Team>
CAROM_HD_FREE void add_fluid(Team team, const VelocityStep<F>& s) {
  const auto add = [&](int i, int j, F damping) CAROM_HD_LAMBDA {
    F& below = mass_entry(s, i, j);
    below = fma(s.h, damping, below);
    if (j < i && i / 3 == j / 3) mass_entry(s, j, i) = below;
  };
  each_pushed(team, s, s.fluid.body_link, [&](int b, int i, int j) CAROM_HD_LAMBDA {
    add(i, j, damping_between(s.fluid.damping[b], s.t.motion[i], s.t.motion[j]));
  });
  if (s.fluid.ellipsoid_link.size == 0) return;
  each_pushed(team, s, s.fluid.ellipsoid_link, [&](int e, int i, int j) CAROM_HD_LAMBDA {
    add(i, j, even_damping_between(s.fluid.ellipsoid_damping[e], s.t.motion[i], s.t.motion[j]));
  });
}
// The damping of ellipsoids that is not symmetric: beside that of bias forces, which is not, either.
template <class F, class Team>
CAROM_HD_FREE void add_odd_fluid(Team team, const VelocityStep<F>& s) {
  each_pushed(team, s, s.fluid.ellipsoid_link, [&](int e, int i, int j) CAROM_HD_LAMBDA {
    const F damping = odd_damping_between(s.fluid.ellipsoid_damping[e], s.t.motion[i], s.t.motion[j]);
    const int at = block_index(i / 3, j / 3);
    s.bias.below[at][i % 3][j % 3] += damping;
    if (i / 3 == j / 3) s.bias.below[at][j % 3][i % 3] -= damping;
    else s.bias.right[at][i % 3][j % 3] -= damping;
  });
}
// The same in the equations of a free body alone.
template <class F>
CAROM_HD void add_odd_fluid(const VelocityStep<F>& s, int l, F (&K)[6][7]) {
  CAROM_ROLL
  for (int e = 0; e < static_cast<int>(s.fluid.ellipsoid_link.size); ++e) {
    if (s.fluid.ellipsoid_link[e] != l) continue;
    const SpatialVectorT<F>* const S = s.t.motion + s.tree.link[l].dof;
    CAROM_ROLL
    for (int i = 0; i < 6; ++i) {
      CAROM_ROLL
      for (int j = 0; j < 6; ++j)
        K[i][j] = fma(s.h, odd_damping_between(s.fluid.ellipsoid_damping[e], S[i], S[j]), K[i][j]);
    }
  }
}

// (M + h D)^-1 of all forces, into w.search; factors stand in the place of M, which nobody needs after this.
template <class F, class Team>
CAROM_HD_FREE void solve(Team team, const VelocityStep<F>& s) {
  factor_blocks(team, s.tree.mass_pattern, s.t.M, s.t.M);
  team.each(s.tree.blocks(), [&](int b) { s.w.search[b] = s.w.smooth_force[b] + s.w.constraint_force[b]; });
  solve_blocks(team, s.tree.mass_pattern, s.t.M, s.w.search);
}
// The same with the derivatives of bias forces in D.
template <class F, class Team>
CAROM_HD_FREE void solve_with_bias(Team team, const VelocityStep<F>& s) {
  const BlockPattern& pattern = s.tree.mass_pattern;
  each_block(team, pattern, [&](int at) CAROM_HD_LAMBDA {
    s.bias.right[at] = s.t.M[at] + s.bias.right[at] * s.h;
    s.t.M[at] = s.t.M[at] + s.bias.below[at] * s.h;
  });
  factor_lu_blocks(team, pattern, s.t.M, s.bias.right);
  team.each(s.tree.blocks(), [&](int b) { s.w.search[b] = s.w.smooth_force[b] + s.w.constraint_force[b]; });
  solve_lu_blocks(team, pattern, s.t.M, s.bias.right, s.w.search);
}

// x = K^-1 b for K | b, by elimination; K is close to a mass matrix, so that no pivots need to be looked for.
template <class F>
CAROM_HD void solve_six(F (&K)[6][7]) {
  CAROM_ROLL
  for (int k = 0; k < 6; ++k) {
    const F inverse = F(1) / K[k][k];
    CAROM_ROLL
    for (int j = k; j < 7; ++j) K[k][j] = K[k][j] * inverse;
    CAROM_ROLL
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const F factor = K[i][k];
      CAROM_ROLL
      for (int j = k; j < 7; ++j) K[i][j] = fma(-factor, K[k][j], K[i][j]);
    }
  }
}

// That carries nothing; the body of a distance joint is one, too.
CAROM_HD bool is_free_body(const TreeLink& link) {
  return link.parent < 0 && link.child_count == 0 && link.linear == 3 && turns_at_once(link.type);
}

// The equations of a free body that carries nothing, solved, with the forces of its turning in D. With the arm r from
// its origin to its centre of mass and the inertia I about its origin, they are m omega x (omega x r) and
// omega x I omega; their derivatives stand beside M + h D. The last column is the solution.
template <class F>
CAROM_HD void solve_free_body(const VelocityStep<F>& s, int l, F (&K)[6][7]) {
  const TreeLink& link = s.tree.link[l];
  const LinkParams<F>& p = s.t.link_params[l];
  const QuatT<F> turn = BallJoint::turn(s.t.q + link.q + 3);
  const Mat33T<F> axes = mat33_from_quat(turn * p.X_JL.q);
  const Vec3T<F> r = rotate(turn, transform_point(p.X_JL, p.com));
  const Vec3T<F> omega = read3(s.t.qd, link.dof + 3);
  const auto times_inertia = [&](Vec3T<F> v) CAROM_HD_LAMBDA {
    return axes * (p.inertia * (transpose(axes) * v)) + cross(r, cross(v, r)) * p.mass;
  };
  const Vec3T<F> momentum = times_inertia(omega);
  CAROM_ROLL
  for (int i = 0; i < 6; ++i) {
    const int dof = link.dof + i;
    CAROM_ROLL
    for (int j = 0; j < 6; ++j) K[i][j] = j <= i ? mass_entry(s, dof, link.dof + j) : mass_entry(s, link.dof + j, dof);
    K[i][6] = entry(s.w.smooth_force, dof) + entry(s.w.constraint_force, dof);
  }
  CAROM_ROLL
  for (int k = 0; k < 3; ++k) {
    Vec3T<F> unit;
    unit[k] = F(1);
    const Vec3T<F> slide = (cross(unit, cross(omega, r)) + cross(omega, cross(unit, r))) * p.mass;
    const Vec3T<F> about = cross(omega, times_inertia(unit)) - cross(momentum, unit);
    for (int i = 0; i < 3; ++i) {
      K[i][3 + k] = fma(s.h, slide[i], K[i][3 + k]);
      K[3 + i][3 + k] = fma(s.h, about[i], K[3 + i][3 + k]);
    }
  }
  if (s.fluid.ellipsoid_damping) add_odd_fluid(s, l, K);
  solve_six(K);
}
// It takes the place of the body's equations.
template <class F>
CAROM_HD void turn_free_body(const VelocityStep<F>& s, int l) {
  const TreeLink& link = s.tree.link[l];
  F K[6][7];
  solve_free_body(s, l, K);
  CAROM_ROLL
  for (int i = 0; i < 6; ++i) {
    const int dof = link.dof + i;
    CAROM_ROLL
    for (int j = 0; j < 6; ++j)
      if (j <= i || dof / 3 == (link.dof + j) / 3) mass_entry(s, dof, link.dof + j) = F(i == j ? 1 : 0);
    entry(s.w.smooth_force, dof) = K[i][6], entry(s.w.constraint_force, dof) = F(0);
  }
}

}  // namespace velocities

// Nothing accelerates what moves as it is given.
template <class F, class Team>
CAROM_HD_FREE void hold_given_motions(Team team, const TreeView& tree, const TreeWork<F>& t, Vec3T<F>* acceleration) {
  team.each(tree.dofs(), [&](int i) {
    if (tree.dof_link[i] < 0) return;
    F& a = entry(acceleration, i);
    a = select(t.dof_params[i].armature >= F(kGivenMotion), F(0), a);
  });
}

template <class F, class Team>
CAROM_HD_FREE void step_velocities(Team team, const VelocityStep<F>& s, const ModelOptions& options) {
  const TreeView& tree = s.tree;
  Vec3T<F>* acceleration = s.w.acceleration;
  const bool with_bias = options.integrator == Integrator::kImplicit;
  if (options.integrator == Integrator::kImplicitFast || with_bias) {
    velocities::add_to_diagonal(team, s, [&](int i) CAROM_HD_LAMBDA { return entry(s.forces.damping, i); });
    velocities::add_tendons(team, s);
    if (s.forces.extras) velocities::add_turning_drag(team, s);
    if (s.fluid.damping) velocities::add_fluid(team, s);
    if (with_bias) {
      if (s.fluid.ellipsoid_damping) velocities::add_odd_fluid(team, s);
      velocities::solve_with_bias(team, s);
    } else {
      team.each(tree.links(), [&](int l) {
        if (velocities::is_free_body(tree.link[l])) velocities::turn_free_body(s, l);
      });
      velocities::solve(team, s);
    }
    acceleration = s.w.search;
  } else if (s.view.damped && options.euler_damping && options.integrator == Integrator::kEuler) {
    velocities::add_to_diagonal(
        team, s, [&](int i) CAROM_HD_LAMBDA { return forces::passive_damping(s.tree, s.t, s.forces, i); });
    if (s.forces.extras) velocities::add_turning_drag(team, s);
    velocities::solve(team, s);
    // A world without damping keeps the solver's accelerations, whatever its neighbours have.
    const F damping = team.sum(tree.dofs(), [&](int i) {
      if (tree.dof_link[i] < 0) return F(0);
      const F linear = abs(s.t.dof_params[i].damping);
      return s.forces.extras ? linear + abs(s.forces.extras[i].damping[0]) + abs(s.forces.extras[i].damping[1])
                             : linear;
    });
    team.each(tree.blocks(),
              [&](int b) { s.w.search[b] = select(damping > F(0), s.w.search[b], s.w.acceleration[b]); });
    acceleration = s.w.search;
  }
  if (s.view.has_given) hold_given_motions(team, tree, s.t, acceleration);
  team.each(tree.blocks(), [&](int b) { s.t.qd[b] = fma(acceleration[b], s.h, s.t.qd[b]); });
}

}  // namespace carom::inline CAROM_PRECISION
