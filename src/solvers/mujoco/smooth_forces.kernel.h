// Forces that are smooth functions of the state: springs, damping, actuators, tendons, what the user applies.
#pragma once

#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/rows/row_work.h"

namespace carom::inline CAROM_PRECISION {

struct ActuatorSlot {
  int q, dof;                    // of a joint: coordinate in the world, degree of freedom; -1 = it pulls a tendon
  int first_entry, entry_count;  // of a tendon, in actuator_entry
  int number;                    // among those of tendons
};
template <class F>
struct ActuatorParams {
  F gear, gain, bias[3];
  F ctrl_lower, ctrl_upper, force_lower, force_upper;
};

// A tendon with a spring or a damper.
struct SpringSlot {
  int first_entry, entry_count;  // in spring_entry
};
template <class F>
struct SpringParams {
  F stiffness, damping, lower, upper;
};

struct ForceView {
  Span<const ActuatorSlot> actuator;  // in the order of control.ctrl
  Span<const JointEntry> actuator_entry;
  int tendon_actuators;                // those that pull tendons
  Span<const int> dof_actuator_start;  // actuators of each degree of freedom
  Span<const Index2> dof_actuator;     // (actuator, entry of its tendon or -1)
  Span<const SpringSlot> spring;
  Span<const JointEntry> spring_entry;
  bool compensated;  // gravity is, for some body in some world
  bool damped;       // some degree of freedom has damping in some world: Euler is implicit in it
};

template <class F>
struct ForceWork {
  const ActuatorParams<F>* actuator_params;
  const F* actuator_coef;  // per entry
  const SpringParams<F>* spring_params;
  const F* spring_coef;
  F* ctrl;
  F* actuator_force;
  F* actuator_damping;  // minus the derivative of its force by the joint's velocity; nullptr: nobody asks
  F* tendon_damping;    // the same of actuators of tendons, by their velocity; nullptr: nobody asks
  Vec3T<F>* damping;    // the same of all that acts at a degree of freedom alone; nullptr: nobody asks
  Vec3T<F>* applied;    // of the user, per degree of freedom
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
// Damping of those that drive it alone.
template <class F>
CAROM_HD F damping_of_actuators(const ForceView& view, const ForceWork<F>& f, int dof) {
  F sum{};
  CAROM_ROLL
  for (int at = view.dof_actuator_start[dof]; at < view.dof_actuator_start[dof + 1]; ++at)
    if (view.dof_actuator[at][1] < 0) sum += f.actuator_damping[view.dof_actuator[at][0]];
  return sum;
}

// Length and velocity of what an actuator drives.
template <class F>
struct Stroke {
  F length{}, speed{};
};
template <class F>
CAROM_HD Stroke<F> stroke_of(const ForceView& view, const ForceWork<F>& f, const TreeWork<F>& t,
                             const ActuatorSlot& a) {
  if (a.dof >= 0) return {t.q[a.q], entry(t.qd, a.dof)};
  Stroke<F> stroke;
  CAROM_ROLL
  for (int e = a.first_entry; e < a.first_entry + a.entry_count; ++e) {
    stroke.length = fma(f.actuator_coef[e], t.q[view.actuator_entry[e].q], stroke.length);
    stroke.speed = fma(f.actuator_coef[e], entry(t.qd, view.actuator_entry[e].dof), stroke.speed);
  }
  return stroke;
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
                                     const ForceWork<F>& f, const SolveVectors<F>& w) {
  team.each(static_cast<int>(view.actuator.size), [&](int a) {
    const ActuatorParams<F>& p = f.actuator_params[a];
    const ActuatorSlot& slot = view.actuator[a];
    const forces::Stroke<F> stroke = forces::stroke_of(view, f, t, slot);
    const F ctrl = forces::bounded(f.ctrl[a], p.ctrl_lower, p.ctrl_upper);
    F force = fma(p.gain, ctrl, p.bias[0]);
    force = fma(p.bias[1], p.gear * stroke.length, force);
    force = fma(p.bias[2], p.gear * stroke.speed, force);
    f.actuator_force[a] = p.gear * forces::bounded(force, p.force_lower, p.force_upper);
    if (f.actuator_damping) {  // none at its bounds
      const auto free = force > p.force_lower && force < p.force_upper;
      const F damping = select(free, -p.bias[2] * p.gear * p.gear, F(0));
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
      const F pull = forces::of_actuators(view, f, dof);
      entry(w.smooth_force, dof) = force + forces::bounded(pull, -p.effort, p.effort);
      if (!f.damping) continue;
      const F damping = forces::damping_of_actuators(view, f, dof);
      entry(f.damping, dof) = p.damping + select(abs(pull) < p.effort, damping, F(0));
    }
  });
  team.each(1, [&](int) {  // two tendons may pull at one joint
    CAROM_ROLL
    for (int s = 0; s < static_cast<int>(view.spring.size); ++s) {
      const SpringSlot& slot = view.spring[s];
      const SpringParams<F>& p = f.spring_params[s];
      F length{}, speed{};
      CAROM_ROLL
      for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
        length = fma(f.spring_coef[e], t.q[view.spring_entry[e].q], length);
        speed = fma(f.spring_coef[e], entry(t.qd, view.spring_entry[e].dof), speed);
      }
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
