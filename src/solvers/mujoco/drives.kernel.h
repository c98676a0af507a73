// What the drives of a joint do: ke (target - q) + kd (target velocity - qd). A ball joint has targets in the axes that
// its velocity has, those of the parent: a rotation vector, to where the shortest rotation leads, and a rate.
#pragma once

#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/force_view.h"

namespace carom::inline CAROM_PRECISION::forces {

template <class F>
struct Drives {
  const TreeLink& link;
  const TreeWork<F>& t;
  const ForceWork<F>& f;
  bool is_ball;
  Vec3T<F> left{};  // rotation of a ball joint to its target

  CAROM_HD Drives(const TreeLink& of, const TreeWork<F>& tree, const ForceWork<F>& forces)
      : link(of), t(tree), f(forces), is_ball(forces.target_pos && of.type == JointType::kBall) {
    if (!is_ball || !is_held()) return;
    const QuatT<F> target = quat_from_rotation_vector(read3(f.target_pos, link.dof));
    left = rotation_vector(target * conjugate(BallJoint::turn(t.q + link.q)));
  }

  // Whether degree of freedom i of the link may have one.
  CAROM_HD bool acts(int i) const { return f.target_pos && (is_ball || !turns_at_once(link.type) || i < link.linear); }
  CAROM_HD F operator()(int i) const {
    const int dof = link.dof + i;
    const DriveParams<F>& p = f.drive[dof];
    const F ahead = is_ball ? left[i] : entry(f.target_pos, dof) - t.q[link.q + i];
    return fma(p.ke, ahead, p.kd * (entry(f.target_vel, dof) - entry(t.qd, dof)));
  }

 private:
  CAROM_HD bool is_held() const {
    return any(f.drive[link.dof].ke > F(0) || f.drive[link.dof + 1].ke > F(0) || f.drive[link.dof + 2].ke > F(0));
  }
};

}  // namespace carom::inline CAROM_PRECISION::forces
