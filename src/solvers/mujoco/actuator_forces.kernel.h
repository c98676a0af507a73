// What actuators do to what they act on, and how they damp it.
//
//   (gain + gain_slope . (L, V)) u + bias . (1, L, V)     u: ctrl, or the activation; or what a muscle does
#pragma once

#include "dynamics/tree.h"
#include "solvers/mujoco/controllers.kernel.h"
#include "solvers/mujoco/force_view.h"
#include "solvers/mujoco/orientation.kernel.h"

namespace carom::inline CAROM_PRECISION::forces {

using activation::bounded;

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

// Stiffness and damping of those that drive it alone and of its drive, each where it holds back; 0 where their bounds
// do. Of the integrator Discrete.
template <class F>
CAROM_HD void hold(const ForceView& view, const ForceWork<F>& f, int dof, bool driven, MaskOf<F> free) {
  F stiffness = driven ? max(f.drive[dof].ke, F(0)) : F(0), damping = driven ? max(f.drive[dof].kd, F(0)) : F(0);
  CAROM_ROLL
  for (int at = view.dof_actuator_start[dof]; at < view.dof_actuator_start[dof + 1]; ++at) {
    if (view.dof_actuator[at][1] >= 0) continue;
    const int actuator = view.dof_actuator[at][0];
    stiffness += max(f.actuator_stiffness[actuator], F(0));
    damping += max(f.actuator_damping[actuator], F(0));
  }
  entry(f.stiffness, dof) = select(free, stiffness, F(0));
  entry(f.damping, dof) = select(free, damping, F(0));
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

template <class F>
CAROM_HD Pull<F> pull_of(const ForceWork<F>& f, const ActuatorSlot& slot, const ActuatorParams<F>& p,
                         const Stroke<F>& stroke, F input) {
  const F length = p.gear * stroke.length, speed = p.gear * stroke.speed;
  if (slot.muscle >= 0) {
    const auto muscle = activation::pull_of_muscle(f.muscle_params[slot.muscle], length, speed);
    const F by_length =
        f.actuator_stiffness ? activation::muscle_by_length(f.muscle_params[slot.muscle], length, speed, input) : F(0);
    return {fma(muscle.gain, input, muscle.bias), muscle.gain_slope * input, by_length};
  }
  const F gain = fma(p.gain_slope[1], speed, fma(p.gain_slope[0], length, p.gain));
  const F force = fma(p.bias[2], speed, fma(p.bias[1], length, fma(gain, input, p.bias[0])));
  return {force, fma(p.gain_slope[1], input, p.bias[2]), fma(p.gain_slope[0], input, p.bias[1])};
}

// A servo that turns something goes the shorter way: its setpoint counts up to whole turns.
template <class F>
struct ShorterWay {
  F turn;  // 0: it does not

  CAROM_HD ShorterWay(const ForceWork<F>& f, const ActuatorSlot& slot, const ActuatorParams<F>& p) : turn(F(0)) {
    if (!slot.turns) return;
    const PathParams<F>& path = f.path.params[slot.path];
    MaskOf<F> is_servo = p.gain == -p.bias[1] && p.gain != F(0) && p.gain_slope[0] == F(0) && p.gain_slope[1] == F(0);
    if (slot.controller >= 0) is_servo = F(0) <= F(0);
    const auto slides = length_squared(path.wrench.linear) != F(0);
    constexpr Real kTurn = Real(6.283185307179586);
    turn = select(is_servo && !slides, abs(p.gear) * sqrt(length_squared(path.wrench.angular)) * F(kTurn), F(0));
  }
  // x, up to whole turns as near to y as it gets.
  CAROM_HD F operator()(F x, F y) const {
    const auto turns = turn > F(0);
    if (!any(turns)) return x;
    return select(turns, fma(-turn, nearest((x - y) / select(turns, turn, F(1))), x), x);
  }

 private:
  CAROM_HD static F nearest(F x) {  // integer
    const F round = F(NumberFormat<Real>::kRound);
    return (x + round) - round;
  }
};

// ctrl, or the activation, whose rate is left behind.
template <class F>
CAROM_HD F input_of(const ForceView& view, const ForceWork<F>& f, const ActuatorSlot& slot, const ShorterWay<F>& way,
                    F ctrl, F h) {
  if (slot.activation < 0) return ctrl;
  const int k = slot.activation;
  const ActuatorDynamics dynamics = view.activation[k].dynamics;
  const ActivationParams<F>& p = f.activation_params[k];
  if (dynamics != ActuatorDynamics::kIntegrator) ctrl = way(ctrl, f.act[k]);
  const F rate = f.act_rate[k] = activation::rate(dynamics, p, ctrl, f.act[k]);
  return select(p.early > F(0), activation::next(dynamics, p, f.act[k], rate, h), f.act[k]);
}

// Forces of actuators, times their gears, and how they damp. What those of a tendon do together is bounded first: all
// of them are scaled; then each by itself.
template <class F>
struct ActuatorForces {
  const ForceView& view;
  const ForceWork<F>& f;
  const TreeWork<F>& t;
  F h;

  CAROM_HD Stroke<F> stroke_of_slot(const ActuatorSlot& slot) const {
    return slot.dof >= 0 ? Stroke<F>{t.q[slot.q], entry(t.qd, slot.dof)}
                         : stroke_of(f, t, slot, view.actuator_entry, f.actuator_coef);
  }
  CAROM_HD Controller<F> controller_of(const ActuatorSlot& slot, const ActuatorParams<F>& p, Stroke<F> stroke) const {
    return {f,
            view.controller[slot.controller],
            f.controller_params[slot.controller],
            p.gear * stroke.length,
            p.gear * stroke.speed,
            h};
  }

  // Without the bounds of tendons.
  CAROM_HD Pull<F> plain_pull(int a) const {
    const ActuatorParams<F>& p = f.actuator_params[a];
    const ActuatorSlot& slot = view.actuator[a];
    const Stroke<F> stroke = stroke_of_slot(slot);
    const F ctrl = bounded(f.ctrl[slot.ctrl], p.ctrl_lower, p.ctrl_upper);
    const ShorterWay<F> way(f, slot, p);
    const F input = way(input_of(view, f, slot, way, ctrl, h), p.gear * stroke.length);
    return pull_of(f, slot, p, stroke, input);
  }
  CAROM_HD Pull<F> pull(int a) const {
    const ActuatorParams<F>& p = f.actuator_params[a];
    const ActuatorSlot& slot = view.actuator[a];
    if (slot.orientation >= 0) {
      const OrientationSlot& servo = view.orientation[slot.orientation];
      return OrientationServo<F>{view, f, t, servo, h}.pull(a - servo.first);
    }
    return slot.controller < 0 ? plain_pull(a)
                               : controller_of(slot, p, stroke_of_slot(slot)).pull(ShorterWay<F>(f, slot, p));
  }

  CAROM_HD void plain_finish(int a, const Pull<F>& pull) const {
    const ActuatorParams<F>& p = f.actuator_params[a];
    const F force = bounded(pull.force, p.force_lower, p.force_upper);
    f.actuator_force[a] = p.gear * force;
    if (f.ungeared_force) f.ungeared_force[a] = force;
    if (!f.actuator_damping) return;
    const auto free = pull.force > p.force_lower && pull.force < p.force_upper;  // none at its bounds
    damping_of(a) = select(free, -pull.slope * p.gear * p.gear, F(0));
    if (f.actuator_stiffness) f.actuator_stiffness[a] = select(free, -pull.by_length * p.gear * p.gear, F(0));
  }
  CAROM_HD void finish(int a, const Pull<F>& pull) const {
    plain_finish(a, pull);
    const ActuatorParams<F>& p = f.actuator_params[a];
    const ActuatorSlot& slot = view.actuator[a];
    if (slot.controller < 0) return;
    const Pull<F> more = controller_of(slot, p, stroke_of_slot(slot)).on_top();
    f.actuator_force[a] = fma(p.gear, more.force, f.actuator_force[a]);
    if (f.ungeared_force) f.ungeared_force[a] += more.force;
    if (f.actuator_damping) damping_of(a) = fma(-more.slope * p.gear, p.gear, damping_of(a));
    if (f.actuator_stiffness) f.actuator_stiffness[a] = fma(-more.by_length * p.gear, p.gear, f.actuator_stiffness[a]);
  }
  CAROM_HD F& damping_of(int a) const {
    const ActuatorSlot& slot = view.actuator[a];
    return slot.dof >= 0 ? f.actuator_damping[a] : f.tendon_damping[slot.number];
  }

  // Scales those of a tendon; the sum of their forces and slopes stands in actuator_force, actuator_damping and
  // actuator_stiffness.
  CAROM_HD void share_effort(int k) const {
    const auto [first, count] = view.effort[k];
    const EffortParams<F>& p = f.effort_params[k];
    F sum{}, rest{};
    CAROM_ROLL
    for (int i = first; i < first + count; ++i) sum += f.actuator_force[view.effort_actuator[i]];
    const auto below = sum<p.lower, above = sum> p.upper;
    const F share = select(below || above, select(below, p.lower, p.upper) / select(below || above, sum, F(1)), F(1));
    CAROM_ROLL
    for (int i = first; i < first + count; ++i) {
      const int a = view.effort_actuator[i];
      F& force = f.actuator_force[a];
      force = force * share;
      rest += bounded(force, f.actuator_params[a].force_lower, f.actuator_params[a].force_upper);
    }
    if (!f.actuator_damping) return;
    constexpr Real kNear = Real(1e-10);  // of a bound, as MuJoCo has it
    const auto bound = rest <= fma(abs(p.lower), F(kNear), p.lower) || rest >= fma(-abs(p.upper), F(kNear), p.upper);
    CAROM_ROLL
    for (int i = first; i < first + count; ++i) {
      F& slope = f.actuator_damping[view.effort_actuator[i]];
      slope = select(bound, F(0), slope);
      if (!f.actuator_stiffness) continue;
      F& by_length = f.actuator_stiffness[view.effort_actuator[i]];
      by_length = select(bound, F(0), by_length);
    }
  }

  template <class Team>
  CAROM_HD void find(Team team) const {
    const bool plain = view.effort.size == 0 && view.controller.size == 0 && view.orientation.size == 0;
    if (!plain) return find_all(team);
    team.each(static_cast<int>(view.actuator.size), [&](int a) { plain_finish(a, plain_pull(a)); });
  }

 private:
  // What few models have stays out of the way of all others.
  template <class Team>
  CAROM_HD_STAGE void find_all(Team team) const {
    const int count = static_cast<int>(view.actuator.size), efforts = static_cast<int>(view.effort.size);
    if (efforts == 0) return team.each(count, [&](int a) { finish(a, pull(a)); });
    team.each(count, [&](int a) {
      const Pull<F> of = pull(a);
      f.actuator_force[a] = of.force;
      if (f.actuator_damping) f.actuator_damping[a] = of.slope;
      if (f.actuator_stiffness) f.actuator_stiffness[a] = of.by_length;
    });
    team.each(efforts, [&](int k) { share_effort(k); });
    team.each(count, [&](int a) {
      finish(a, {f.actuator_force[a], f.actuator_damping ? f.actuator_damping[a] : F(0),
                 f.actuator_stiffness ? f.actuator_stiffness[a] : F(0)});
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION::forces
