// A free body, and the two bodies of a distance joint: coordinates are a position and the coordinates of a ball,
// velocities the twist of the child's centre of mass in parent axes. Solvers compute with the velocity of the joint
// frame's origin instead, which is the derivative of the position; both are the same where the centre of mass is there.
#pragma once

#include "model/joints/ball_joint.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct FreeJoint {
  static constexpr bool kTurnsAtOnce = true;
  static constexpr bool kVelocityAtCom = true;

  CAROM_HD static int coord_count(JointDofs) { return 7; }

  template <class F, class Axis>
  CAROM_HD static JointMotion<F> motion(JointDofs, Axis, const F* q, const F* qd) {
    return {{{q[0], q[1], q[2]}, BallJoint::turn(q + 3)}, {{qd[0], qd[1], qd[2]}, {qd[3], qd[4], qd[5]}}};
  }

  template <class F, class Axis>
  CAROM_HD static TransformT<F> pose(JointDofs n, Axis axis, const F* q, QuatT<F> q_WP, Vec3T<F>* axis_W) {
    axes(n, axis, q, q_WP, axis_W);
    return {{q[0], q[1], q[2]}, BallJoint::turn(q + 3)};
  }
  template <class F, class Axis>
  CAROM_HD static void axes(JointDofs n, Axis axis, const F* q, QuatT<F> q_WP, Vec3T<F>* axis_W) {
    BallJoint::axes(n, axis, q, q_WP, axis_W);
    BallJoint::axes(n, axis, q, q_WP, axis_W + 3);
  }

  // rate: of the joint frame's origin.
  template <class F, class Rate>
  CAROM_HD static void integrate(JointDofs n, Rate rate, F h, F* q) {
    for (int i = 0; i < 3; ++i) q[i] = fma(rate(i), h, q[i]);
    BallJoint::integrate(
        n, [&](int i) CAROM_HD_LAMBDA { return rate(3 + i); }, h, q + 3);
  }

  template <class F, class Axis>
  CAROM_HD static void coordinates(JointDofs n, Axis axis, const TransformT<F>& X, const SpatialVectorT<F>& V, F* q,
                                   F* qd) {
    for (int i = 0; i < 3; ++i) {
      q[i] = X.p[i];
      qd[i] = V.linear[i];
    }
    BallJoint::coordinates(n, axis, X, V, q + 3, qd + 3);
  }

  // From the joint frame's origin to the child's centre of mass, in parent axes; p_JCcom: where that is in the frame.
  template <class F>
  CAROM_HD static Vec3T<F> com_from_origin(const F* q, Vec3T<F> p_JCcom) {
    return rotate(BallJoint::turn(q + 3), p_JCcom);
  }
};

}  // namespace carom::inline CAROM_PRECISION
