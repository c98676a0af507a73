// Reads worlds: their parameters, state, controls and forces, into the memory of a step.
#pragma once

#include "dynamics/tree_io.kernel.h"
#include "solvers/mujoco/step_view.h"

namespace carom::inline CAROM_PRECISION {

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

    const DofColumns<F> dofs = dof_columns();
    load_block(team, s.joint_q, world_offsets(s.starts.coord, ids), s.tree.coord_count, w.tree.q);
    dofs.load(team, s.joint_f, w.joint_f);
    dofs.load(team, s.joint_qd, w.tree.qd);
    if (s.forces.driven) {
      dofs.load(team, s.target_pos, w.forces.target_pos);
      dofs.load(team, s.target_vel, w.forces.target_vel);
    }
    load_block(team, s.ctrl, world_offsets(s.starts.ctrl, ids), s.forces.ctrls, w.forces.ctrl);
    if (s.forces.delay.size > 0) read_delayed(team);
    const Offsets<F> acts = world_offsets(s.starts.act, ids);
    team.each(static_cast<int>(s.forces.activation.size),
              [&](int k) { w.forces.act[k] = load<F>(s.act, acts, s.forces.activation[k].act); });
    if (s.forces.yields) s.yields(ids, w).load_from(team, s.spring_shifts);
    const int bodies = static_cast<int>(s.body_link.size);
    const bool pushed = any_body_force(team, s.body_f, s.body_rows(), bodies, ids);
    if (pushed) team.each(bodies, [&](int b) { w.body_f[b] = load_of_body<F>(s.body_f, s.body_rows(), ids, b); });
    return pushed;
  }

  // Accelerations of the last step.
  template <class Team>
  CAROM_HD_FREE void load_last(Team team, Vec3T<F>* last) const {
    team.each(s.tree.blocks(), [&](int b) { last[b] = {}; });
    dof_columns().load(team, s.joint_qdd, last);
  }

  template <class Team>
  CAROM_HD_FREE void move_to_origins(Team team) const {
    move_velocities_to_origins(team, s.tree, w.tree);
    move_forces_to_origins(team, s.tree, w.tree, w.joint_f, w.forces.applied);
  }

  CAROM_HD DofColumns<F> dof_columns() const { return {s.tree, world_offsets(s.starts.dof, ids), w.part_dofs}; }

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
};

}  // namespace carom::inline CAROM_PRECISION
