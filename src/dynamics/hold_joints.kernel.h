// What holds joints and drives them: springs, dampers, dry friction, limits, drives, motors. Each is a force and how it
// gives way to position and velocity, so that the step can take it at its end (solvers' steps): with f(q, v), K =
// -df/dq and D = -df/dv, the force there is f - h K v - (D + h K) dv.
#pragma once

#include "backend/world_lanes.h"
#include "dynamics/pack_tree.kernel.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

// An actuator of one degree of freedom; structure.
struct MotorSlot {
  int dof, coordinate;  // of the part
  int ctrl;             // likewise
};
template <class F>
struct MotorParams {
  F gear, gain;
  F bias[3];
  F ctrl_lower, ctrl_upper, force_lower, force_upper;
};

// What a kernel reads of the motors of worlds of one structure.
struct MotorView {
  Span<const MotorSlot> slots;
  const Real* rows;  // parameters of the motors of each world
  int ctrls;         // of a world

  CAROM_HD int numbers() const { return static_cast<int>(slots.size * (sizeof(MotorParams<Real>) / sizeof(Real))); }
  // Those of one world, or of W side by side; room: for the numbers of lanes. row_of_part: place of the world.
  template <class F>
  CAROM_HD const MotorParams<F>* row(Span<const int> row_of_part, const WorldIds<F>& ids,
                                     [[maybe_unused]] F* room) const {
    const Offsets<F> at = world_offsets(row_of_part, ids, numbers());
    if constexpr (PlainNumber<F>) {
      return reinterpret_cast<const MotorParams<F>*>(rows + at.start);
    } else {
      load_block(rows, at, numbers(), room);
      return reinterpret_cast<const MotorParams<F>*>(room);
    }
  }
};

template <class F>
struct HoldForces {
  const TreeView& tree;
  const TreeWork<F>& t;
  const HoldParams<F>* holds;
  Span<const MotorSlot> motors;
  const MotorParams<F>* motor_params;
  const F* ctrl;
  const Vec3T<F>*target_pos, *target_vel;  // by degree of freedom
  F h;

  // Of one number: at its position and velocity, what it does and how it gives way.
  struct Held {
    F force, stiffness, damping;
    CAROM_HD Held operator+(const Held& b) const {
      return {force + b.force, stiffness + b.stiffness, damping + b.damping};
    }
    // Where the condition does not hold there is no force.
    CAROM_HD Held where(MaskOf<F> mask) const {
      return {select(mask, force, F(0)), select(mask, stiffness, F(0)), select(mask, damping, F(0))};
    }
    // The impulse of a step of h is h (g - (D + h K) dv), with the velocity v at its beginning.
    CAROM_HD F g(F h, F v) const { return fma(-h * stiffness, v, force); }
    CAROM_HD F B(F h) const { return h * fma(h, stiffness, damping); }
  };

  // Of a distance joint, by the length between its frames: the limits of that.
  CAROM_HD Held hold_distance(const TreeLink& link, F length, F rate) const {
    const HoldParams<F>& hold = holds[link.dof];
    return at_limit(hold, length, rate, F(1)) + at_limit(hold, length, rate, F(-1));
  }

  // An actuator: where it is, times its gear, and its force before that.
  struct Stroke {
    F length, velocity, force;
  };
  CAROM_HD Stroke stroke(int m) const {
    const MotorParams<F>& p = motor_params[m];
    const F length = p.gear * t.q[motors[m].coordinate], velocity = p.gear * entry(t.qd, motors[m].dof);
    return {length, velocity, clamp_lanes(force_of_motor(m, length, velocity), p.force_lower, p.force_upper)};
  }
  // Of drives and actuators, within the efforts of the joint.
  CAROM_HD F driven_force(const TreeLink& link, int dof) const {
    if (link.type == JointType::kDistance) return F(0);
    if (turns_at_once(link.type) && dof >= link.dof + link.linear)
      return driven_turn(link, dof - link.dof - link.linear).force;
    return driven(dof, link.q + dof - link.dof).force;
  }
  // Of limits, towards the inside; of what turns at once at its first degree of freedom.
  CAROM_HD F limit_force(const TreeLink& link, int dof) const {
    if (link.type == JointType::kDistance) return F(0);
    const int turning = dof - link.dof - link.linear;
    if (turns_at_once(link.type) && turning >= 0) {
      const Vec3T<F> turned = rotation_vector(BallJoint::turn(t.q + link.q + link.linear));
      const F rate = dot(read3(t.qd, link.dof + link.linear), normalize(turned));
      return turning > 0 ? F(0) : -at_limit(holds[dof], length(turned), rate, F(-1)).force;
    }
    const F x = t.q[link.q + dof - link.dof], v = entry(t.qd, dof);
    return at_limit(holds[dof], x, v, F(1)).force - at_limit(holds[dof], x, v, F(-1)).force;
  }

  // force: added to; stiffness, damping: K and D of each degree of freedom. Without distance joints.
  template <class Team>
  CAROM_HD_FREE void add(Team team, Vec3T<F>* force, Vec3T<F>* stiffness, Vec3T<F>* damping) const {
    team.each(tree.links(), [&](int l) { add_of(team, tree.link[l], force, stiffness, damping); });
  }
  // Of one link.
  template <class Team>
  CAROM_HD_FREE void add_of(Team, const TreeLink& link, Vec3T<F>* force, Vec3T<F>* stiffness, Vec3T<F>* damping) const {
    if (link.type == JointType::kDistance) return;
    const int scalars = turns_at_once(link.type) ? link.linear : link.linear + link.angular;
    CAROM_ROLL
    for (int i = 0; i < scalars; ++i) {
      const int dof = link.dof + i;
      const Held held = hold(dof, t.q[link.q + i], link.q + i);
      entry(force, dof) += held.force;
      entry(stiffness, dof) = held.stiffness;
      entry(damping, dof) = held.damping;
    }
    if (turns_at_once(link.type)) hold_turn(link, force, stiffness, damping);
  }

 private:
  // A spring and a damper that lead to `ahead`, and to the speed `faster`.
  CAROM_HD static Held pull(F ke, F kd, F ahead, F faster) { return {fma(ke, ahead, kd * faster), ke, kd}; }

  CAROM_HD Held hold(int dof, F x, int coordinate) const {
    const DofParams<F>& p = t.dof_params[dof];
    const HoldParams<F>& hold = holds[dof];
    const F v = entry(t.qd, dof);
    const Held passive = pull(p.stiffness, p.damping, p.spring_ref - x, -v);
    return passive + rub(hold.friction, v, abs(v)) + driven(dof, coordinate) + at_limit(hold, x, v, F(1)) +
           at_limit(hold, x, v, F(-1));
  }
  CAROM_HD Held driven(int dof, int coordinate) const {
    const DofParams<F>& p = t.dof_params[dof];
    const HoldParams<F>& hold = holds[dof];
    const F x = t.q[coordinate], v = entry(t.qd, dof);
    Held driven = pull(hold.target_ke, hold.target_kd, entry(target_pos, dof) - x, entry(target_vel, dof) - v);
    CAROM_ROLL
    for (int m = 0; m < static_cast<int>(motors.size); ++m)
      if (motors[m].dof == dof) driven = driven + motor(m, x, v);
    return within(driven, v, p.effort_lower, p.effort_upper);
  }

  // Dry friction, as a damper that takes all of it at this speed: what it slows down it never turns round. Below the
  // slowest speed it creeps.
  CAROM_HD static Held rub(F friction, F v, F speed) {
    constexpr Real kCreep = Real(1e-4);  // [m/s] or [rad/s]
    const F damping = friction / max(speed, F(kCreep));
    return {-damping * v, F(0), damping};
  }

  // A force that is bounded yields to nothing where it is at its bound.
  CAROM_HD Held within(const Held& f, F v, F lower, F upper) const {
    const F next = fma(-h * f.stiffness, v, f.force);
    const MaskOf<F> inside = next >= lower && next <= upper;
    return {select(inside, f.force, clamp_lanes(next, lower, upper)), select(inside, f.stiffness, F(0)),
            select(inside, f.damping, F(0))};
  }
  CAROM_HD static F clamp_lanes(F a, F lower, F upper) { return min(max(a, lower), upper); }

  // Side 1: the lower limit, -1: the upper one. It pushes from where it is passed within the step, and never pulls.
  CAROM_HD Held at_limit(const HoldParams<F>& hold, F x, F v, F side) const {
    const F limit = select(side > F(0), hold.limit_lower, hold.limit_upper);
    const F beyond = (limit - x) * side, away = v * side;
    const Held f = pull(hold.limit_ke, hold.limit_kd, beyond, -away);
    const F next = fma(-h * f.stiffness, away, f.force);
    const Held acting = f.where(fma(-h, away, beyond) > F(0) && next > F(0));
    return {acting.force * side, acting.stiffness, acting.damping};
  }

  CAROM_HD Held motor(int m, F x, F v) const {
    const MotorParams<F>& p = motor_params[m];
    const F g = p.gear, force = force_of_motor(m, g * x, g * v);
    const F bounded = clamp_lanes(force, p.force_lower, p.force_upper);
    const MaskOf<F> inside = bounded == force;
    return {g * bounded, select(inside, max(-p.bias[1], F(0)) * g * g, F(0)),
            select(inside, max(-p.bias[2], F(0)) * g * g, F(0))};
  }

  CAROM_HD F force_of_motor(int m, F length, F velocity) const {
    const MotorParams<F>& p = motor_params[m];
    const F u = clamp_lanes(ctrl[motors[m].ctrl], p.ctrl_lower, p.ctrl_upper);
    return fma(p.gain, u, p.bias[0]) + fma(p.bias[1], length, p.bias[2] * velocity);
  }

  // A ball: its spring, its drive and the limit of its angle act on rotation vectors in parent axes.
  CAROM_HD void hold_turn(const TreeLink& link, Vec3T<F>* force, Vec3T<F>* stiffness, Vec3T<F>* damping) const {
    const int first = link.dof + link.linear;
    const DofParams<F>* const p = t.dof_params + first;
    const HoldParams<F>* const hold = holds + first;
    const QuatT<F> turn = BallJoint::turn(t.q + link.q + link.linear);
    const QuatT<F> rest = quat_from_rotation_vector(Vec3T<F>{p[0].spring_ref, p[1].spring_ref, p[2].spring_ref});
    const Vec3T<F> to_rest = rotation_vector(rest * conjugate(turn)), to_target = turn_to_target(link, turn);
    const F speed = length(read3(t.qd, first));
    CAROM_ROLL
    for (int i = 0; i < 3; ++i) {
      const F v = entry(t.qd, first + i);
      const Held passive = pull(p[i].stiffness, p[i].damping, to_rest[i], -v);
      const Held held = passive + rub(hold[i].friction, v, speed) + driven_turn(link, i, to_target);
      entry(force, first + i) += held.force;
      entry(stiffness, first + i) = held.stiffness;
      entry(damping, first + i) = held.damping;
    }
    limit_turn(hold[0], rotation_vector(turn), first, force, stiffness, damping);
  }
  CAROM_HD Vec3T<F> turn_to_target(const TreeLink& link, QuatT<F> turn) const {
    return rotation_vector(quat_from_rotation_vector(read3(target_pos, link.dof + link.linear)) * conjugate(turn));
  }
  // The drive about axis i.
  CAROM_HD Held driven_turn(const TreeLink& link, int i) const {
    return driven_turn(link, i, turn_to_target(link, BallJoint::turn(t.q + link.q + link.linear)));
  }
  CAROM_HD Held driven_turn(const TreeLink& link, int i, Vec3T<F> to_target) const {
    const int dof = link.dof + link.linear + i;
    const DofParams<F>& p = t.dof_params[dof];
    const F v = entry(t.qd, dof);
    const Held pulled = pull(holds[dof].target_ke, holds[dof].target_kd, to_target[i], entry(target_vel, dof) - v);
    return within(pulled, v, p.effort_lower, p.effort_upper);
  }
  // As a limit of the angle, along the axis a of the rotation. Diagonals of |a_i| (|a_0| + |a_1| + |a_2|) hold at least
  // as well as a a^T.
  CAROM_HD void limit_turn(const HoldParams<F>& hold, Vec3T<F> turned, int first, Vec3T<F>* force, Vec3T<F>* stiffness,
                           Vec3T<F>* damping) const {
    const F angle = length(turned);
    const Vec3T<F> axis = normalize(turned), size = abs(axis);
    const F rate = dot(read3(t.qd, first), axis);
    // As at_limit() finds it: where a world's limit acts must not depend on the worlds beside it.
    const MaskOf<F> passed = fma(h, rate, angle - hold.limit_upper) > F(0);
    if (!any(passed)) return;
    const Held held = at_limit(hold, angle, rate, F(-1));
    for (int i = 0; i < 3; ++i) {
      const F share = size[i] * (size.x + size.y + size.z);
      const auto add = [&](F& to, F more) CAROM_HD_LAMBDA { to = select(passed, to + more, to); };
      add(entry(force, first + i), axis[i] * held.force);
      add(entry(stiffness, first + i), held.stiffness * share);
      add(entry(damping, first + i), held.damping * share);
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
