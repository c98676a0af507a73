// Reads worlds: their parameters, state, controls and forces, into the memory of a step.
#pragma once

#include "dynamics/tree_dynamics.kernel.h"
#include "solvers/mujoco/step_view.h"

namespace carom::inline CAROM_PRECISION {

// A free joint's velocity, and the force applied there, are those of the body's centre of mass between steps, and those
// of the joint frame's origin inside a step.
template <class F>
CAROM_HD Vec3T<F> com_from_origin(const TreeView& tree, const TreeWork<F>& w, int link) {
  return FreeJoint::com_from_origin(w.q + tree.link[link].q, w.link_params[link].p_JBcom);
}

template <class F>
struct StepReader {
  const StepView& s;
  const WorldIds<F>& ids;
  StepWork<F>& w;

  // The parameters of the parts.
  template <class Team>
  CAROM_HD void take_params(Team team) const {
    point_to_params(params_of(team));
  }

  // Whether somebody applies forces to bodies, of some world at least.
  template <class Team>
  CAROM_HD_FREE bool open(Team team) const {
    team.each(s.tree.blocks(), [&](int b) {
      const Vec3T<F> zero{F(0), F(0), F(0)};
      w.tree.qd[b] = w.rows.smooth_force[b] = w.joint_f[b] = zero;
    });
    clear_mass_matrix(team, s.tree, w.tree);

    const Offsets<F> dofs = world_offsets(s.starts.dof, ids);
    load_block(team, s.joint_q, world_offsets(s.starts.coord, ids), s.tree.coord_count, w.tree.q);
    load_dofs(team, s.joint_f, dofs, w.part_dofs, w.joint_f);
    load_dofs(team, s.joint_qd, dofs, w.part_dofs, w.tree.qd);
    if (s.forces.driven) {
      load_dofs(team, s.target_pos, dofs, w.part_dofs, w.forces.target_pos);
      load_dofs(team, s.target_vel, dofs, w.part_dofs, w.forces.target_vel);
    }
    load_block(team, s.ctrl, world_offsets(s.starts.ctrl, ids), s.forces.ctrls, w.forces.ctrl);
    if (s.forces.delay.size > 0) read_delayed(team);
    const Offsets<F> acts = world_offsets(s.starts.act, ids);
    team.each(static_cast<int>(s.forces.activation.size),
              [&](int k) { w.forces.act[k] = load<F>(s.act, acts, s.forces.activation[k].act); });
    if (s.forces.yields) s.yields(ids, w).load_from(team, s.spring_shifts);
    const bool pushed = any_body_force(team);
    if (pushed) load_body_forces(team);
    return pushed;
  }

  // Accelerations of the last step.
  template <class Team>
  CAROM_HD_FREE void load_last(Team team, Vec3T<F>* last) const {
    team.each(s.tree.blocks(), [&](int b) { last[b] = {}; });
    load_dofs(team, s.joint_qdd, world_offsets(s.starts.dof, ids), w.part_dofs, last);
  }

  template <class Team>
  CAROM_HD_FREE void move_to_origins(Team team) const {
    team.each(s.tree.blocks(), [&](int b) { w.forces.applied[b] = w.joint_f[b]; });
    team.each(s.tree.links(), [&](int l) {
      if (!velocity_at_com(s.tree.link[l].type)) return;
      const int linear = s.tree.link[l].dof, angular = linear + 3;
      const Vec3T<F> arm = com_from_origin(s.tree, w.tree, l);
      write3(w.tree.qd, linear, read3(w.tree.qd, linear) - cross(read3(w.tree.qd, angular), arm));
      write3(w.forces.applied, angular, read3(w.joint_f, angular) + cross(arm, read3(w.joint_f, linear)));
    });
  }

 private:
  template <class Team>
  CAROM_HD_FREE const F* params_of(Team team) const {
    if constexpr (PlainNumber<F>) {
      return s.params + s.starts.params_row[ids[0]] * s.params_stride;
    } else {
      if (s.lane_params) return reinterpret_cast<const F*>(s.lane_params);
      Offsets<F> rows_of_parts;
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        rows_of_parts.start[l] = s.starts.params_row[ids[l]] * s.params_stride;
      load_block(team, s.params, rows_of_parts, s.layout.total, w.lane_params);
      return w.lane_params;
    }
  }
  CAROM_HD void point_to_params(const F* p) const {
    w.tree.gravity = {p[s.layout.gravity], p[s.layout.gravity + 1], p[s.layout.gravity + 2]};
    w.tree.link_params = reinterpret_cast<const LinkParams<F>*>(p + s.layout.links);
    w.tree.dof_params = reinterpret_cast<const DofParams<F>*>(p + s.layout.dofs);
    w.rows.kinds.joint.params = reinterpret_cast<const JointRowParams<F>*>(p + s.layout.joint_rows);
    w.params = p;
    w.rows.kinds.joint.coef = s.has_paths() ? w.rows.kinds.joint.moving_coef : p + s.layout.joint_coefs;
    w.rows.kinds.joint.tie = reinterpret_cast<const TieParams<F>*>(p + s.layout.ties);
    w.rows.kinds.joint.equality = reinterpret_cast<const EqualityParams<F>*>(p + s.layout.equalities);
    w.forces.actuator_params = reinterpret_cast<const ActuatorParams<F>*>(p + s.layout.actuators);
    w.forces.actuator_coef = s.has_paths() ? w.forces.moving_actuator_coef : p + s.layout.actuator_coefs;
    w.forces.spring_params = reinterpret_cast<const SpringParams<F>*>(p + s.layout.springs);
    w.forces.spring_coef = s.has_paths() ? w.forces.moving_spring_coef : p + s.layout.spring_coefs;
    w.forces.activation_params = reinterpret_cast<const ActivationParams<F>*>(p + s.layout.activations);
    w.forces.muscle_params = reinterpret_cast<const MuscleParams<F>*>(p + s.layout.muscles);
    w.forces.controller_params = reinterpret_cast<const ControllerParams<F>*>(p + s.layout.controllers);
    w.forces.delay = p + s.layout.delays;
    w.forces.path.params = reinterpret_cast<const PathParams<F>*>(p + s.layout.paths);
    w.forces.path.point_params = reinterpret_cast<const PathPointParams<F>*>(p + s.layout.path_points);
    w.body_com = reinterpret_cast<const Vec3T<F>*>(p + s.layout.bodies);
    w.carried = s.forces.compensated ? p + s.layout.carried : nullptr;
    w.forces.drive = reinterpret_cast<const DriveParams<F>*>(p + s.layout.drives);
    w.forces.extras = s.forces.has_extras ? reinterpret_cast<const DofExtras<F>*>(p + s.layout.extras) : nullptr;
    w.forces.effort_params = reinterpret_cast<const EffortParams<F>*>(p + s.layout.efforts);
    w.fluid = s.forces.in_fluid ? reinterpret_cast<const FluidParams<F>*>(p + s.layout.fluid) : nullptr;
    w.forces.yield.joint = s.forces.yields ? p + s.layout.joint_yields : nullptr;
    w.forces.yield.tendon = s.forces.yields ? p + s.layout.tendon_yields : nullptr;
    w.ellipsoids.params = reinterpret_cast<const EllipsoidParams<F>*>(p + s.layout.ellipsoids);
    w.ellipsoids.link = s.forces.ellipsoid_link;
  }

  // Controls as they were, at the time of the stage.
  template <class Team>
  CAROM_HD_FREE void read_delayed(Team team) const {
    const int stage = s.is_runge_kutta() && s.moves ? s.runge_kutta.stage : 0;
    const Real ahead = stage == 0 ? Real(0) : runge_kutta::ahead(stage - 1) * s.dt;
    s.delayed_ctrl(ids).read(team, w.forces.delay, F(ahead), w.forces.ctrl);
  }

  // as_given: room for the numbers in the order of joint_qd.
  template <class Team>
  CAROM_HD void load_dofs(Team team, const Real* column, const Offsets<F>& dofs, F* as_given, Vec3T<F>* to) const {
    load_block(team, column, dofs, s.tree.part_dof_count, s.tree.keeps_order ? &entry(to, 0) : as_given);
    if (s.tree.keeps_order) return;
    team.each(s.tree.dofs(), [&](int i) {
      if (s.tree.dof_in_part[i] >= 0) entry(to, i) = as_given[s.tree.dof_in_part[i]];
    });
  }

  // Numbers of a lane's body in body_f.
  CAROM_HD std::int64_t first_force(int part, int b) const { return std::int64_t{6} * s.body_rows()(part, b); }

  template <class Team>
  CAROM_HD_FREE bool any_body_force(Team team) const {
    const int bodies = static_cast<int>(s.body_link.size);
    // Bodies that stand one after the other are looked at as one.
    const int pieces = s.body_row ? bodies : 1, count = s.body_row ? 6 : 6 * bodies;
    int different = 0;  // no branches, so that numbers are compared several at a time
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      for (int b = 0; b < pieces; ++b) {
        const Real* const f = s.body_f + first_force(ids[l], b);
        for (int k = team.rank(); k < count; k += team.size()) different |= f[k] != Real(0);
      }
    return team.any_in_step(different != 0);
  }

  template <class Team>
  CAROM_HD_FREE void load_body_forces(Team team) const {
    team.each(static_cast<int>(s.body_link.size), [&](int b) {
      Offsets<F> at;
      if constexpr (PlainNumber<F>) {
        at.start = first_force(ids[0], b);
      } else {
        for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) at.start[l] = first_force(ids[l], b);
      }
      F* const to = reinterpret_cast<F*>(w.body_f + b);
      for (int k = 0; k < 6; ++k) to[k] = load<F>(s.body_f, at, k);
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
