// The derivative of a state between events, of what acts on joints and bodies as it is now:
//
//   d joint_q / dt  of joint_qd; of a unit quaternion q that turns with w, (w, 0) q / 2
//   H joint_qdd + c = joint_f + springs, dampers, drives, dry friction, limits and motors + J^T body_f
//
// by articulated bodies (forward_dynamics.kernel.h). What holds joints is taken at this instant (hold_joints.kernel.h
// with h = 0), not at the end of a step. Loops stay open.
#pragma once

#include "dynamics/forward_dynamics.kernel.h"
#include "dynamics/hold_joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SmoothMotionWork : ForwardDynamicsWork<F> {
  const MotorParams<F>* motor_params;
  F *ctrl, *motor_row, *rate;        // rate: of coordinates
  Vec3T<F>*target_pos, *target_vel;  // of degrees of freedom
  Vec3T<F>*stiffness, *damping;      // of what holds them, which nobody asks for here
};

struct EvalSmoothMotion : TreeKernel<EvalSmoothMotion> {
  template <class F>
  using Work = SmoothMotionWork<F>;

  MotorView motors;
  Span<const int> ctrl_start;
  const Real *joint_f, *target_pos, *target_vel, *ctrl;
  Real *joint_q_rate, *joint_qdd;

  template <class F>
  CAROM_HD void take(Arena& arena, Work<F>& w) const {
    take_forward_dynamics(arena, in.tree, w);
    w.ctrl = arena.take<F>(motors.ctrls);
    w.motor_row = PlainNumber<F> ? nullptr : arena.take<F>(motors.numbers());
    w.rate = arena.take<F>(in.tree.coord_count);
    for (Vec3T<F>** v : {&w.target_pos, &w.target_vel, &w.stiffness, &w.damping})
      *v = arena.take<Vec3T<F>>(in.tree.blocks());
  }

  template <class Team, class F>
  CAROM_HD_FREE void eval(Team team, const WorldIds<F>& ids, SmoothMotionWork<F>& w) const {
    in.begin(team, ids, w);
    in.find_wrenches(team, ids, w);
    in.load_dofs(team, ids, w, joint_f, w.tau);
    in.load_dofs(team, ids, w, target_pos, w.target_pos);
    in.load_dofs(team, ids, w, target_vel, w.target_vel);
    w.motor_params = motors.row(in.row_of_part, ids, w.motor_row);
    load_block(team, ctrl, world_offsets(ctrl_start, ids), motors.ctrls, w.ctrl);
    hold_joints(team, w);
    accelerate_tree(team, in.tree, w);
    in.columns(ids, w).store(team, w.tau, joint_qdd);
    team.each(in.tree.links(), [&](int l) { find_rates(l, w); });
    store_block(team, joint_q_rate, world_offsets(in.coord_start, ids), in.tree.coord_count, w.rate);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void hold_joints(Team team, const SmoothMotionWork<F>& w) const {
    const HoldForces<F> holds{in.tree, w.tree,       w.holds,      motors.slots, w.motor_params,
                              w.ctrl,  w.target_pos, w.target_vel, F(0)};
    holds.add(team, w.tau, w.stiffness, w.damping);
    team.each(in.tree.links(), [&](int l) {
      if (in.tree.link[l].type == JointType::kDistance) hold_distance(l, holds, w);
    });
  }
  // The force is along the way between the frames, at the origin of the child's.
  template <class F>
  CAROM_HD void hold_distance(int l, const HoldForces<F>& holds, const SmoothMotionWork<F>& w) const {
    const TreeLink& link = in.tree.link[l];
    const F* const q = w.tree.q + link.q;
    const Vec3T<F> d{q[0], q[1], q[2]}, n = normalize(d), arm = com_from_origin(in.tree, w.tree, l);
    const F rate = dot(n, velocity_of_origin(l, w));
    const Vec3T<F> force = n * holds.hold_distance(link, length(d), rate).force;
    write3(w.tau, link.dof, read3(w.tau, link.dof) + force);
    write3(w.tau, link.dof + 3, read3(w.tau, link.dof + 3) - cross(arm, force));
  }

  template <class F>
  CAROM_HD Vec3T<F> velocity_of_origin(int l, const SmoothMotionWork<F>& w) const {
    const TreeLink& link = in.tree.link[l];
    return read3(w.tree.qd, link.dof) - cross(read3(w.tree.qd, link.dof + 3), com_from_origin(in.tree, w.tree, l));
  }
  template <class F>
  CAROM_HD void find_rates(int l, const SmoothMotionWork<F>& w) const {
    const TreeLink& link = in.tree.link[l];
    F* const rate = w.rate + link.q;
    if (!turns_at_once(link.type)) {
      CAROM_ROLL
      for (int i = 0; i < link.linear + link.angular; ++i) rate[i] = entry(w.tree.qd, link.dof + i);
      return;
    }
    if (velocity_at_com(link.type)) {
      const Vec3T<F> v = velocity_of_origin(l, w);
      for (int i = 0; i < 3; ++i) rate[i] = v[i];
    }
    const F* const q = w.tree.q + link.q + link.linear;
    const Vec3T<F> half = read3(w.tree.qd, link.dof + link.linear) * F(0.5);
    const QuatT<F> turning = QuatT<F>{half.x, half.y, half.z, F(0)} * QuatT<F>{q[0], q[1], q[2], q[3]};
    for (int i = 0; i < 4; ++i) rate[link.linear + i] = turning[i];
  }
};

}  // namespace carom::inline CAROM_PRECISION
