// Forces that are smooth functions of the state, put together: springs, damping, actuators, tendons, what the user
// applies.
#pragma once

#include "solvers/mujoco/actuator_forces.kernel.h"
#include "solvers/mujoco/drives.kernel.h"
#include "solvers/mujoco/passive_forces.kernel.h"
#include "solvers/mujoco/tendon_matrix.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Inertias that move with tendons, in M.
template <class F, class Team>
CAROM_HD_FREE void add_armatures(Team team, const TreeView& tree, const TreeWork<F>& t, const ForceView& view,
                                 const SpringParams<F>* params, const F* coef) {
  team.each(1, [&](int) {  // two tendons may run over one joint
    CAROM_ROLL
    for (int s = 0; s < static_cast<int>(view.spring.size); ++s)
      add_tendon_matrix(tree, t, params[s].armature, view.spring_entry, coef, view.spring[s].first_entry,
                        view.spring[s].entry_count);
  });
}

// w.smooth_force = passive - bias + actuators + applied
template <class F, class Team>
CAROM_HD_FREE void add_smooth_forces(Team team, const TreeView& tree, const TreeWork<F>& t, const ForceView& view,
                                     const ForceWork<F>& f, const SolveVectors<F>& w, F h) {
  forces::ActuatorForces<F>{view, f, t, h}.find(team);
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    const forces::PassiveForces<F> passive(link, t, f);
    const forces::Drives<F> drives(link, t, f);
    CAROM_ROLL
    for (int i = 0; i < link.linear + link.angular; ++i) {
      const int dof = link.dof + i;
      const DofParams<F>& p = t.dof_params[dof];
      const bool driven = drives.acts(i);
      const F force = passive(i) - entry(t.bias, dof) + entry(f.applied, dof);
      F pull = forces::of_actuators(view, f, dof);
      if (driven) pull += drives(i);
      // What carries the weight is in the bias, whoever does it.
      const F carried = f.carried ? f.extras[dof].gravcomp_by_motor * entry(f.carried, dof) : F(0);
      if (f.carried) pull += carried;
      const F motors = forces::bounded(pull, p.effort_lower, p.effort_upper);
      entry(w.smooth_force, dof) = force + (motors - carried);
      if (f.motor_force) entry(f.motor_force, dof) = motors;
      if (!f.damping) continue;
      const auto free = pull > p.effort_lower && pull < p.effort_upper;
      if (f.stiffness) {
        forces::hold(view, f, dof, driven, free);
        continue;
      }
      const F damping = forces::damping_of_actuators(view, f, dof) + (driven ? f.drive[dof].kd : F(0));
      entry(f.damping, dof) = forces::passive_damping(tree, t, f, dof) + select(free, damping, F(0));
    }
  });
  team.each(1, [&](int) {  // two tendons may pull at one joint
    CAROM_ROLL
    for (int s = 0; s < static_cast<int>(view.spring.size); ++s) {
      const SpringSlot& slot = view.spring[s];
      const SpringParams<F>& p = f.spring_params[s];
      const auto [length, speed] = forces::stroke_of(f, t, slot, view.spring_entry, f.spring_coef);
      const F stretch = forces::stretch_of_tendon(f, s, length);
      const F stiffness = forces::polynomial(p.stiffness, p.stiffness_poly, stretch);
      F force = -fma(forces::polynomial(p.damping, p.damping_poly, abs(speed)), speed, stiffness * stretch);
      if (view.has_armature && slot.path >= 0) force = fma(-p.armature, f.path.drift[slot.path], force);
      CAROM_ROLL
      for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
        F& sum = entry(w.smooth_force, view.spring_entry[e].dof);
        sum = fma(f.spring_coef[e], force, sum);
      }
    }
  });
}

}  // namespace carom::inline CAROM_PRECISION
