// What a step tells sensors of joints, actuators and loops (SolverForces): of the instant from which it begins, but
// what ties do is that of the step.
#pragma once

#include "dynamics/hold_joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct StepReadings {
  // nullptr: no sensor asks.
  Real *actuator_length, *actuator_velocity, *actuator_force;  // by ctrl
  Real *joint_actuator_force, *joint_limit_force;              // by degree of freedom
  Real *tie_force, *tie_point1, *tie_point2;                   // by equality constraint
  Span<const int> tie_start;                                   // of each part
  Span<const int> tie;                                         // number in the part of each loop

  // now: with h = 0; ctrls, dofs: where those of each part begin.
  template <class Team, class F>
  CAROM_HD_FREE void write_joints(Team team, const HoldForces<F>& now, const Offsets<F>& ctrls,
                                  const Offsets<F>& dofs) const {
    if (actuator_force)
      team.each(static_cast<int>(now.motors.size), [&](int m) {
        const auto stroke = now.stroke(m);
        const int at = now.motors[m].ctrl;
        store(actuator_length, ctrls, at, stroke.length);
        store(actuator_velocity, ctrls, at, stroke.velocity);
        store(actuator_force, ctrls, at, stroke.force + F(0));  // + 0: never -0
      });
    if (!joint_actuator_force && !joint_limit_force) return;
    team.each(now.tree.links(), [&](int l) {
      const TreeLink& link = now.tree.link[l];
      for (int i = link.dof; i < link.dof + link.linear + link.angular; ++i) {
        const int place = now.tree.dof_in_part[i];
        if (joint_actuator_force) store(joint_actuator_force, dofs, place, now.driven_force(link, i) + F(0));
        if (joint_limit_force) store(joint_limit_force, dofs, place, now.limit_force(link, i) + F(0));
      }
    });
  }

  // force, torque: on the second body, at `point`; world axes. stays: where what is written there already counts.
  // adds: to the force and torque that are written there.
  template <class F>
  CAROM_HD void write_tie(const WorldIds<F>& ids, int loop, Vec3T<F> force, Vec3T<F> torque, Vec3T<F> point,
                          MaskOf<F> stays = F(0) < F(0), bool adds = false) const {
    const Offsets<F> forces = world_offsets(tie_start, ids, 6), points = world_offsets(tie_start, ids, 3);
    const auto put = [&](Real* base, const Offsets<F>& offsets, int first, Vec3T<F> v, bool more) CAROM_HD_LAMBDA {
      for (int k = 0; k < 3; ++k) {
        const F there = load<F>(base, offsets, first + k);
        store(base, offsets, first + k, select(stays, there, v[k] + (more ? there : F(0))));
      }
    };
    put(tie_force, forces, 6 * tie[loop], -force, adds);
    put(tie_force, forces, 6 * tie[loop] + 3, -torque, adds);
    put(tie_point1, points, 3 * tie[loop], point, false);
    put(tie_point2, points, 3 * tie[loop], point, false);
  }
};

}  // namespace carom::inline CAROM_PRECISION
