// A ball: coordinates are a unit quaternion xyzw, velocities the angular velocity in parent axes. It turns about the
// three axes at once, and they are fixed to the parent.
#pragma once

#include "model/joints/joint_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct BallJoint {
  static constexpr bool kTurnsAtOnce = true;
  static constexpr bool kVelocityAtCom = false;

  CAROM_HD static int coord_count(JointDofs) { return 4; }

  template <class F, class Axis>
  CAROM_HD static JointMotion<F> motion(JointDofs, Axis, const F* q, const F* qd) {
    return {{{}, turn(q)}, {{}, {qd[0], qd[1], qd[2]}}};
  }

  template <class F, class Axis>
  CAROM_HD static TransformT<F> pose(JointDofs n, Axis axis, const F* q, QuatT<F> q_WP, Vec3T<F>* axis_W) {
    axes(n, axis, q, q_WP, axis_W);
    return {{}, turn(q)};
  }
  template <class F, class Axis>
  CAROM_HD static void axes(JointDofs, Axis, const F*, QuatT<F> q_WP, Vec3T<F>* axis_W) {
    const Mat33T<F> R = transpose(mat33_from_quat(q_WP));
    for (int i = 0; i < 3; ++i) axis_W[i] = R[i];
  }

  template <class F, class Rate>
  CAROM_HD static void integrate(JointDofs, Rate rate, F h, F* q) {
    const QuatT<F> next = turned(turn(q), Vec3T<F>{rate(0), rate(1), rate(2)}, h);
    for (int i = 0; i < 4; ++i) q[i] = next[i];
  }

  template <class F, class Axis>
  CAROM_HD static void coordinates(JointDofs, Axis, const TransformT<F>& X, const SpatialVectorT<F>& V, F* q, F* qd) {
    for (int i = 0; i < 4; ++i) q[i] = X.q[i];
    for (int i = 0; i < 3; ++i) qd[i] = V.angular[i];
  }

  // The rotation that the coordinates are; they may have drifted from length 1.
  template <class F>
  CAROM_HD static QuatT<F> turn(const F* q) {
    return normalize(QuatT<F>{q[0], q[1], q[2], q[3]});
  }

 private:
  // Turned by angular velocity omega (in the axes that q maps to) for the time h.
  template <class F>
  CAROM_HD static QuatT<F> turned(QuatT<F> q, Vec3T<F> omega, F h) {
    const F speed = length(omega);
    const auto moving = speed > F(0);
    const Vec3T<F> axis = omega * (F(1) / select(moving, speed, F(1)));
    return normalize(quat_from_axis_angle(axis, speed * h) * q);
  }
};

}  // namespace carom::inline CAROM_PRECISION
