// Writes worlds: their new state, what the step reports, forces of contacts, and what forward() shows.
#pragma once

#include "solvers/mujoco/actuator_forces.kernel.h"
#include "solvers/mujoco/step_reader.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct StepWriter {
  const StepView& s;
  const WorldIds<F>& ids;
  StepWork<F>& w;

  template <class Team>
  CAROM_HD_FREE void report(Team team) const {
    team.each(1, [&](int) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        const ReportView& r = s.out.report;
        const int part = w.segment[l];
        int contacts_listed = 0, frictional = 0, padded = 0;
        w.rows.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
          contacts_listed += kind.list.lane_count[l];
          frictional += kind.kHasFriction ? kind.list.lane_count[l] : 0;
          padded += kind.list.count;
        });
        r.status[part] = (w.needed > 0 ? kStatusOverflow : 0) | (lane_of(w.converged, l) ? 0 : kStatusNotConverged);
        r.contacts[part] = contacts_listed;
        r.needed[part] = w.needed;
        r.rows[part] = static_cast<int>(lane_of(w.row_count, l));
        r.iterations[part] = static_cast<int>(lane_of(w.iterations, l));
        r.residual[part] = lane_of(w.residual, l);
        r.frictional[part] = frictional;
        r.padded[part] = padded;
      }
    });
  }

  // Worlds that stop being finite keep their last good state, which still stands where it was read. Returns those that
  // are.
  template <class Team>
  CAROM_HD_FREE MaskOf<F> keep_last_finite(Team team) const {
    // 0 x is 0 for every finite x.
    const F q = team.sum(s.tree.coord_count, [&](int i) { return w.tree.q[i] * F(0); });
    const F rest = team.sum(s.tree.blocks(), [&](int b) {
      const Vec3T<F> v = (w.tree.qd[b] + w.rows.acceleration[b]) * F(0);
      return v.x + v.y + v.z;
    });
    const F activations =
        team.sum(static_cast<int>(s.forces.activation.size), [&](int k) { return w.forces.act[k] * F(0); });
    const F springs = s.forces.yields ? s.yields(ids, w).sum_of_zeros(team) : F(0);
    const MaskOf<F> finite = q + rest + activations + springs == F(0);
    if (!team.any_in_step(!all(finite))) return finite;
    const Offsets<F> coords = world_offsets(s.starts.coord, ids), dofs = world_offsets(s.starts.dof, ids);
    const Real* const last_q = s.is_runge_kutta() ? s.runge_kutta.joint_q : s.joint_q;
    const Real* const last_qd = s.is_runge_kutta() ? s.runge_kutta.joint_qd : s.joint_qd;
    team.each(s.tree.coord_count,
              [&](int i) { w.tree.q[i] = select(finite, w.tree.q[i], load<F>(last_q, coords, i)); });
    team.each(s.tree.dofs(), [&](int i) {
      const int place = s.tree.dof_in_part[i];
      if (place < 0) return;
      F &speed = entry(w.tree.qd, i), &acceleration = entry(w.rows.acceleration, i);
      speed = select(finite, speed, load<F>(last_qd, dofs, place));
      acceleration = select(finite, acceleration, load<F>(s.joint_qdd, dofs, place));
    });
    const Offsets<F> acts = world_offsets(s.starts.act, ids);
    team.each(static_cast<int>(s.forces.activation.size), [&](int k) {
      const F last = load<F>(s.is_runge_kutta() ? s.runge_kutta.act : s.act, acts, s.forces.activation[k].act);
      w.forces.act[k] = select(finite, w.forces.act[k], last);
    });
    if (s.forces.yields) s.yields(ids, w).keep(team, finite, s.spring_shifts);
    team.each(1, [&](int) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        if (!lane_of(finite, l)) s.out.report.status[ids[l]] |= kStatusNotFinite;
    });
    return finite;
  }

  template <class Team>
  CAROM_HD_FREE void close(Team team) const {
    const DofColumns<F> dofs = StepReader<F>{s, ids, w}.dof_columns();
    store_block(team, s.out.joint_q, world_offsets(s.starts.coord, ids), s.tree.coord_count, w.tree.q);
    dofs.store(team, w.tree.qd, s.out.joint_qd);
    dofs.store(team, w.rows.acceleration, s.out.joint_qdd);
    const Offsets<F> acts = world_offsets(s.starts.act, ids);
    team.each(static_cast<int>(s.forces.activation.size),
              [&](int k) { store(s.out.act, acts, s.forces.activation[k].act, w.forces.act[k]); });
    if (s.forces.yields) s.yields(ids, w).store_to(team, s.out.spring_shifts);
  }

  // CombineMaterials left 0 where a contact has no row.
  template <class Team>
  CAROM_HD_FREE void write_forces(Team team) const {
    w.rows.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      team.each(kind.count(s.rows), [&](int c) {
        const int* const source = kind.list.template of_slot<F>(c);
        write_force(source, kind.force_in_world(c));
        if constexpr (requires { kind.torque_in_world(c); }) write_torque(source, kind.torque_in_world(c));
      });
    });
  }
  template <class Team>
  CAROM_HD_FREE void write_rows(Team team) const {
    const JointRows<F>& joints = w.rows.kinds.joint;
    team.each(s.rows.joint_rows(), [&](int row) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        s.out.forward.joint_row[s.out.forward.joint_row_start[ids[l]] + row] = record_of_row(joints, row, l);
    });
    w.rows.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      team.each(kind.count(s.rows), [&](int c) {
        for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
          if (const int source = kind.list.template of_slot<F>(c)[l]; source >= 0)
            s.out.forward.contact_row[source] = record_of_row(kind, c, l);
      });
    });
  }

  // What sensors ask for, of actuators and tendons.
  template <class Team>
  CAROM_HD_FREE void write_sensed(Team team) const {
    const SensedView& to = s.out.sensed;
    if (to.actuator_force) write_actuators(team);
    if (to.tendon_length) write_tendons(team);
    if (!to.joint_actuator_force) return;
    const Offsets<F> dofs = world_offsets(s.starts.dof, ids);
    team.each(s.tree.dofs(), [&](int i) {
      if (const int place = s.tree.dof_in_part[i]; place >= 0)
        store(to.joint_actuator_force, dofs, place, entry(w.forces.motor_force, i));
    });
  }
  // Likewise, of limits. Where both ends act the lower one counts, as in MuJoCo.
  template <class Team>
  CAROM_HD_FREE void write_limit_forces(Team team) const {
    const SensedView& to = s.out.sensed;
    const JointRows<F>& joints = w.rows.kinds.joint;
    const Offsets<F> dofs = world_offsets(s.starts.dof, ids), tendons = world_offsets(s.starts.tendon, ids);
    const auto acting = [&](int k) CAROM_HD_LAMBDA { return select(joints.D[k] > F(0), joints.force[k], F(0)); };
    team.each(s.rows.joint_rows(), [&](int k) {
      const JointRow& row = s.rows.joint_row[k];
      const bool is_limit = row.sort == JointRowSort::kLimit || row.sort == JointRowSort::kTurningLimit;
      if (!is_limit || row.side == LimitSide::kUpper) return;
      F force = acting(k);
      if (row.side == LimitSide::kLower) force = select(joints.D[k] > F(0), force, acting(k + 1));
      const JointRowOrigin& of = s.rows.joint_row_origin[k];
      Real* const out = of.entity == Entity::kTendon ? to.tendon_limit_force : to.joint_limit_force;
      if (out) store(out, of.entity == Entity::kTendon ? tendons : dofs, of.row, force + F(0));  // + 0: never -0
    });
  }

  // Likewise, of connects and welds.
  template <class Team>
  CAROM_HD_FREE void write_tie_forces(Team team) const {
    const SensedView& to = s.out.sensed;
    const JointRows<F>& joints = w.rows.kinds.joint;
    const Offsets<F> forces = world_offsets(s.starts.equality, ids, 6),
                     points = world_offsets(s.starts.equality, ids, 3);
    team.each(s.rows.joint_rows(), [&](int k) {
      const JointRow& row = s.rows.joint_row[k];
      const bool is_weld = row.sort == JointRowSort::kWeld;
      if ((!is_weld && row.sort != JointRowSort::kConnect) || row.member != 0) return;
      const auto force_of = [&](int first) CAROM_HD_LAMBDA {
        const auto acting = [&](int m) CAROM_HD_LAMBDA { return select(joints.D[m] > F(0), joints.force[m], F(0)); };
        return Vec3T<F>{acting(first), acting(first + 1), acting(first + 2)};
      };
      const TieState<F>& at = w.tie_state[row.equality];
      Vec3T<F> torque{};
      if (is_weld) torque = ties::torque_of(at, force_of(k + 3), joints.tie[row.equality].torquescale * F(0.5));
      const int place = s.rows.joint_row_origin[k].row;
      const auto put = [&](Real* base, const Offsets<F>& offsets, int first, Vec3T<F> v) CAROM_HD_LAMBDA {
        for (int i = 0; i < 3; ++i) store(base, offsets, first + i, v[i] + F(0));  // + 0: never -0
      };
      put(to.equality_force, forces, 6 * place, force_of(k));
      put(to.equality_force, forces, 6 * place + 3, torque);
      put(to.equality_point1, points, 3 * place, at.anchor[0]);
      put(to.equality_point2, points, 3 * place, at.anchor[1]);
    });
  }

  // What the smooth accelerations are found from; before an integrator adds to it.
  template <class Team>
  CAROM_HD_FREE void write_smooth(Team team) const {
    each_dof_of_lanes(team, [&](int l, int i, std::int64_t place) CAROM_HD_LAMBDA {
      s.out.forward.bias[place] = lane_of(entry(w.tree.bias, i), l);
      s.out.forward.smooth_force[place] = lane_of(entry(w.rows.smooth_force, i), l);
      const std::int64_t n = s.out.forward.mass_stride[ids[l]], row = s.tree.dof_in_part[i];
      Real* const M = s.out.forward.mass_matrix + s.out.forward.mass_start[ids[l]];
      for (int j = 0; j <= i; ++j) {
        const int column = s.tree.dof_in_part[j];
        if (column < 0) continue;
        const bool coupled = i / 3 == j / 3 || s.tree.mass_pattern.coupled.has(i / 3, j / 3);
        const Real value = coupled ? lane_of(w.tree.M[block_index(i / 3, j / 3)][i % 3][j % 3], l) : Real(0);
        M[row * n + column] = M[column * n + row] = value;
      }
    });
    write_lengths(team);
  }
  template <class Team>
  CAROM_HD_FREE void write_forward(Team team) const {
    each_dof_of_lanes(team, [&](int l, int i, std::int64_t place) CAROM_HD_LAMBDA {
      s.out.forward.qacc_smooth[place] = lane_of(entry(w.rows.smooth_acceleration, i), l);
      s.out.forward.qacc[place] = lane_of(entry(w.rows.acceleration, i), l);
      s.out.forward.constraint_force[place] = lane_of(entry(w.rows.constraint_force, i), l);
    });
  }

 private:
  // Of an orientation there is none: it has three axes.
  template <class Team>
  CAROM_HD_FREE void write_lengths(Team team) const {
    const forces::ActuatorForces<F> actuators{s.forces, w.forces, w.tree, F(s.dt)};
    team.each(static_cast<int>(s.forces.actuator.size), [&](int a) {
      const ActuatorSlot& slot = s.forces.actuator[a];
      if (slot.orientation >= 0) return;
      const F length = w.forces.actuator_params[a].gear * actuators.stroke_of_slot(slot).length;
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        s.out.forward.actuator_length[s.out.forward.actuator_start[ids[l]] + slot.actuator] = lane_of(length, l);
    });
  }

  // Each where its ctrl is; of an orientation three.
  template <class Team>
  CAROM_HD_FREE void write_actuators(Team team) const {
    const SensedView& to = s.out.sensed;
    const forces::ActuatorForces<F> actuators{s.forces, w.forces, w.tree, F(s.dt)};
    const Offsets<F> ctrls = world_offsets(s.starts.ctrl, ids);
    team.each(static_cast<int>(s.forces.actuator.size), [&](int a) {
      const ActuatorSlot& slot = s.forces.actuator[a];
      const int place = slot.ctrl + (slot.orientation < 0 ? 0 : a - s.forces.orientation[slot.orientation].first);
      const forces::Stroke<F> stroke = actuators.stroke_of_slot(slot);
      const F gear = w.forces.actuator_params[a].gear;
      store(to.actuator_length, ctrls, place, gear * stroke.length);
      store(to.actuator_velocity, ctrls, place, gear * stroke.speed);
      store(to.actuator_force, ctrls, place, w.forces.ungeared_force[a]);
    });
  }
  template <class Team>
  CAROM_HD_FREE void write_tendons(Team team) const {
    const SensedView& to = s.out.sensed;
    const ForceView& view = s.forces;
    const Offsets<F> tendons = world_offsets(s.starts.tendon, ids);
    team.each(static_cast<int>(view.spring.size), [&](int k) {
      const forces::Stroke<F> stroke =
          forces::stroke_of(w.forces, w.tree, view.spring[k], view.spring_entry, w.forces.spring_coef);
      store(to.tendon_length, tendons, view.spring_tendon[k], stroke.length);
      store(to.tendon_velocity, tendons, view.spring_tendon[k], stroke.speed);
    });
  }

  // f(lane, degree of freedom, its place in the model)
  template <class Team, class Function>
  CAROM_HD void each_dof_of_lanes(Team team, Function f) const {
    team.each(1, [&](int) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        for (int i = 0; i < s.tree.dofs(); ++i)
          if (s.tree.dof_in_part[i] >= 0) f(l, i, std::int64_t{s.starts.dof[ids[l]]} + s.tree.dof_in_part[i]);
    });
  }
  CAROM_HD void write_force(const int* contact, Vec3T<F> force) const {
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
      const int source = contact[l];
      if (source < 0) continue;
      // + 0: never -0, see DofColumns
      Vec3 all{lane_of(force.x, l), lane_of(force.y, l), lane_of(force.z, l)};
      if (s.contacts.extras) all = all - s.contacts.normal[source] * s.contacts.extras[source].adhesion;
      s.contacts.force[source] = all + Vec3{};
    }
  }

  CAROM_HD void write_torque(const int* contact, Vec3T<F> torque) const {
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      if (contact[l] >= 0)
        s.contacts.torque[contact[l]] = Vec3{lane_of(torque.x, l), lane_of(torque.y, l), lane_of(torque.z, l)} + Vec3{};
  }
};

}  // namespace carom::inline CAROM_PRECISION
