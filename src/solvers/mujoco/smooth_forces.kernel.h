// Forces that are smooth functions of the state: springs, damping, actuators, tendons, what the user applies.
#pragma once

#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/activation.kernel.h"
#include "solvers/mujoco/path_view.h"
#include "solvers/mujoco/rows/row_work.h"

namespace carom::inline CAROM_PRECISION {

struct ActuatorSlot {
  int q, dof;                    // of an axis of a joint: coordinate in the world, degree of freedom; -1 = of others
  int first_entry, entry_count;  // of others, in actuator_entry
  int number;                    // among the others
  int path;                      // -1 = a fixed tendon
  int activation, muscle;        // its number among those that have one, are one; -1 = does not
};
template <class F>
struct ActuatorParams {
  F gear, gain, gain_slope[2], bias[3];
  F ctrl_lower, ctrl_upper, force_lower, force_upper;
};

// ke (target position - q) + kd (target velocity - qd), of a joint's axis.
template <class F>
struct DriveParams {
  F ke, kd;
};

// A tendon with a spring or a damper.
struct SpringSlot {
  int first_entry, entry_count;  // in spring_entry
  int path;                      // -1 = a fixed tendon
};
template <class F>
struct SpringParams {
  F stiffness, damping, lower, upper;
};

struct ForceView {
  Span<const ActuatorSlot> actuator;  // in the order of control.ctrl
  Span<const JointEntry> actuator_entry;
  int tendon_actuators;  // those that drive no axis of a joint
  Span<const ActivationSlot> activation;
  int muscles;
  Span<const int> dof_actuator_start;  // actuators of each degree of freedom
  Span<const Index2> dof_actuator;     // (actuator, entry of its tendon or -1)
  Span<const SpringSlot> spring;
  Span<const JointEntry> spring_entry;
  Span<const int> actuator_source, spring_source;  // of entries: entry of a path, -1 = a fixed coefficient
  PathView path;
  bool in_fluid;
  bool compensated;  // gravity is, for some body in some world
  bool damped;       // some degree of freedom has damping in some world: Euler is implicit in it
  bool driven;       // likewise a drive
};

template <class F>
struct ForceWork {
  const ActuatorParams<F>* actuator_params;
  const F* actuator_coef;  // per entry
  const SpringParams<F>* spring_params;
  const F* spring_coef;
  const ActivationParams<F>* activation_params;
  const MuscleParams<F>* muscle_params;
  PathWork<F> path;
  F *moving_actuator_coef, *moving_spring_coef;  // room for the coefficients where there are paths
  F *act, *act_rate;                             // per activation
  F* ctrl;
  F* actuator_force;
  F* actuator_damping;               // minus the derivative of its force by the joint's velocity; nullptr: nobody asks
  F* tendon_damping;                 // the same of actuators of tendons, by their velocity; nullptr: nobody asks
  Vec3T<F>* damping;                 // the same of all that acts at a degree of freedom alone; nullptr: nobody asks
  Vec3T<F>* applied;                 // of the user, per degree of freedom
  const DriveParams<F>* drive;       // per degree of freedom
  Vec3T<F>*target_pos, *target_vel;  // likewise; nullptr: there are no drives
};

namespace forces {

// a within its bounds. What is not a number stays so, and the world is reported; clamp() would make a bound of it.
template <class F>
CAROM_HD F bounded(F a, F low, F high) {
  return min(high, max(low, a));
}

// What the actuators of a degree of freedom do to it.
template <class F>
CAROM_HD F of_actuators(const ForceView& view, const ForceWork<F>& f, int dof) {
  F sum{};
  CAROM_ROLL
  for (int at = view.dof_actuator_start[dof]; at < view.dof_actuator_start[dof + 1]; ++at) {
    const auto [actuator, e] = view.dof_actuator[at];
    sum += e < 0 ? f.actuator_force[actuator] : f.actuator_coef[e] * f.actuator_force[actuator];
  }
  return sum;
}
template <class F>
CAROM_HD F of_drive(const ForceWork<F>& f, int dof, F q, F qd) {
  const DriveParams<F>& p = f.drive[dof];
  return fma(p.ke, entry(f.target_pos, dof) - q, p.kd * (entry(f.target_vel, dof) - qd));
}
// Damping of those that drive it alone.
template <class F>
CAROM_HD F damping_of_actuators(const ForceView& view, const ForceWork<F>& f, int dof) {
  F sum{};
  CAROM_ROLL
  for (int at = view.dof_actuator_start[dof]; at < view.dof_actuator_start[dof + 1]; ++at)
    if (view.dof_actuator[at][1] < 0) sum += f.actuator_damping[view.dof_actuator[at][0]];
  return sum;
}

// Length and velocity of what pulls.
template <class F>
struct Stroke {
  F length{}, speed{};
};
// Of a tendon, or of what an actuator drives but for an axis of a joint.
template <class F, class Slot>
CAROM_HD Stroke<F> stroke_of(const ForceWork<F>& f, const TreeWork<F>& t, const Slot& slot,
                             Span<const JointEntry> entries, const F* coef) {
  Stroke<F> stroke;
  CAROM_ROLL
  for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
    if (slot.path < 0) stroke.length = fma(coef[e], t.q[entries[e].q], stroke.length);
    stroke.speed = fma(coef[e], entry(t.qd, entries[e].dof), stroke.speed);
  }
  if (slot.path >= 0) stroke.length = f.path.length[slot.path];
  return stroke;
}

// The force of an actuator within no bounds, and how it changes with velocity.
template <class F>
struct Pull {
  F force, slope;
};
template <class F>
CAROM_HD Pull<F> pull_of(const ForceWork<F>& f, const ActuatorSlot& slot, const ActuatorParams<F>& p,
                         const Stroke<F>& stroke, F input) {
  const F length = p.gear * stroke.length, speed = p.gear * stroke.speed;
  if (slot.muscle >= 0) {
    const auto muscle = activation::pull_of_muscle(f.muscle_params[slot.muscle], length, speed);
    return {fma(muscle.gain, input, muscle.bias), muscle.gain_slope * input};
  }
  const F gain = fma(p.gain_slope[1], speed, fma(p.gain_slope[0], length, p.gain));
  const F force = fma(p.bias[2], speed, fma(p.bias[1], length, fma(gain, input, p.bias[0])));
  return {force, fma(p.gain_slope[1], input, p.bias[2])};
}

// ctrl, or the activation, whose rate is left behind.
template <class F>
CAROM_HD F input_of(const ForceView& view, const ForceWork<F>& f, const ActuatorSlot& slot, F ctrl, F h) {
  if (slot.activation < 0) return ctrl;
  const int k = slot.activation;
  const ActuatorDynamics dynamics = view.activation[k].dynamics;
  const ActivationParams<F>& p = f.activation_params[k];
  const F rate = f.act_rate[k] = activation::rate(dynamics, p, ctrl, f.act[k]);
  return select(p.early > F(0), activation::next(dynamics, p, f.act[k], rate, h), f.act[k]);
}

// The rotation of a joint from where its springs are relaxed, as a vector in parent axes.
template <class F>
CAROM_HD Vec3T<F> turn_from_rest(const TreeLink& link, const TreeWork<F>& t) {
  const DofParams<F>* const p = t.dof_params + link.dof + link.linear;
  const QuatT<F> rest = quat_from_rotation_vector(Vec3T<F>{p[0].spring_ref, p[1].spring_ref, p[2].spring_ref});
  return rotate(rest, rotation_vector(conjugate(rest) * BallJoint::turn(t.q + link.q + link.linear)));
}

}  // namespace forces

// w.smooth_force = passive - bias + actuators + applied
template <class F, class Team>
CAROM_HD_FREE void add_smooth_forces(Team team, const TreeView& tree, const TreeWork<F>& t, const ForceView& view,
                                     const ForceWork<F>& f, const SolveVectors<F>& w, F h) {
  team.each(static_cast<int>(view.actuator.size), [&](int a) {
    const ActuatorParams<F>& p = f.actuator_params[a];
    const ActuatorSlot& slot = view.actuator[a];
    const forces::Stroke<F> stroke = slot.dof >= 0
                                         ? forces::Stroke<F>{t.q[slot.q], entry(t.qd, slot.dof)}
                                         : forces::stroke_of(f, t, slot, view.actuator_entry, f.actuator_coef);
    const F ctrl = forces::bounded(f.ctrl[a], p.ctrl_lower, p.ctrl_upper);
    const F input = forces::input_of(view, f, slot, ctrl, h);
    const auto [force, slope] = forces::pull_of(f, slot, p, stroke, input);
    f.actuator_force[a] = p.gear * forces::bounded(force, p.force_lower, p.force_upper);
    if (f.actuator_damping) {  // none at its bounds
      const auto free = force > p.force_lower && force < p.force_upper;
      const F damping = select(free, -slope * p.gear * p.gear, F(0));
      if (slot.dof >= 0) f.actuator_damping[a] = damping;
      else f.tendon_damping[slot.number] = damping;
    }
  });
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    const bool turns = turns_at_once(link.type);
    const bool springs = turns && any(t.dof_params[link.dof + link.linear].stiffness != F(0));
    const Vec3T<F> turned = springs ? forces::turn_from_rest(link, t) : Vec3T<F>{};
    CAROM_ROLL
    for (int i = 0; i < link.linear + link.angular; ++i) {
      const int dof = link.dof + i;
      const DofParams<F>& p = t.dof_params[dof];
      const bool has_coordinate = !turns || i < link.linear;
      F force =
          has_coordinate ? p.stiffness * (p.spring_ref - t.q[link.q + i]) : -p.stiffness * turned[i - link.linear];
      force = fma(-p.damping, entry(t.qd, dof), force);
      force = force - entry(t.bias, dof) + entry(f.applied, dof);
      F pull = forces::of_actuators(view, f, dof);
      if (f.target_pos && has_coordinate) pull += forces::of_drive(f, dof, t.q[link.q + i], entry(t.qd, dof));
      entry(w.smooth_force, dof) = force + forces::bounded(pull, -p.effort, p.effort);
      if (!f.damping) continue;
      const F drive = f.target_pos && has_coordinate ? f.drive[dof].kd : F(0);
      const F damping = forces::damping_of_actuators(view, f, dof) + drive;
      entry(f.damping, dof) = p.damping + select(abs(pull) < p.effort, damping, F(0));
    }
  });
  team.each(1, [&](int) {  // two tendons may pull at one joint
    CAROM_ROLL
    for (int s = 0; s < static_cast<int>(view.spring.size); ++s) {
      const SpringSlot& slot = view.spring[s];
      const SpringParams<F>& p = f.spring_params[s];
      const auto [length, speed] = forces::stroke_of(f, t, slot, view.spring_entry, f.spring_coef);
      const F stretch = max(length - p.upper, F(0)) - max(p.lower - length, F(0));
      const F force = -fma(p.damping, speed, p.stiffness * stretch);
      CAROM_ROLL
      for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
        F& sum = entry(w.smooth_force, view.spring_entry[e].dof);
        sum = fma(f.spring_coef[e], force, sum);
      }
    }
  });
}

}  // namespace carom::inline CAROM_PRECISION
