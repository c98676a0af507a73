// A row of axes: fixed joints (none), prismatic, revolute and universal ones, d6. Distances along the linear axes, then
// angles about the angular ones, each of which is turned by those before it. A coordinate is the integral of its
// velocity, so springs, limits, drives and tendons can act on it.
//
//   X_J = (sum_i a_i q_i, turn(a_l, q_l) turn(a_l+1, q_l+1) ...)
//
// Angles from a rotation R with axes a0, a1, a2: in the frame A = (a0, a1, a2) it is a product of turns about x, y and
// z, and with R' = A^T R A: sin q1 = R'02, tan q0 = -R'12 / R'22, tan q2 = -R'01 / R'00.
#pragma once

#include "model/joints/joint_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct AxesJoint {
  static constexpr bool kTurnsAtOnce = false;
  static constexpr bool kVelocityAtCom = false;

  CAROM_HD static int coord_count(JointDofs n) { return n.count(); }

  template <class F, class Axis>
  CAROM_HD static JointMotion<F> motion(JointDofs n, Axis axis, const F* q, const F* qd) {
    JointMotion<F> motion;
    for (int i = 0; i < n.linear; ++i) {
      const Vec3T<F> a = axis(i);
      motion.X.p = fma(a, q[i], motion.X.p);
      motion.V.linear = fma(a, qd[i], motion.V.linear);
    }
    for (int i = n.linear; i < n.count(); ++i) {
      const Vec3T<F> a = axis(i);
      const QuatT<F> turn = quat_from_axis_angle(a, q[i]);
      const bool first = i == n.linear;
      motion.V.angular = first ? a * qd[i] : fma(rotate(motion.X.q, a), qd[i], motion.V.angular);
      motion.X.q = first ? turn : motion.X.q * turn;
    }
    return motion;
  }
  // The same for a turn about one axis: the most common joint, kept apart so that its code stays in registers.
  template <class F>
  CAROM_HD static JointMotion<F> hinge_motion(Vec3T<F> axis, F q, F qd) {
    return {{{}, quat_from_axis_angle(axis, q)}, {{}, axis * qd}};
  }

  template <class F, class Axis>
  CAROM_HD static TransformT<F> pose(JointDofs n, Axis axis, const F* q, QuatT<F> q_WP, Vec3T<F>* axis_W) {
    return turn_axes<true>(n, axis, q, q_WP, axis_W);
  }
  template <class F, class Axis>
  CAROM_HD static void axes(JointDofs n, Axis axis, const F* q, QuatT<F> q_WP, Vec3T<F>* axis_W) {
    turn_axes<false>(n, axis, q, q_WP, axis_W);
  }

  template <class F, class Rate>
  CAROM_HD static void integrate(JointDofs n, Rate rate, F h, F* q) {
    CAROM_ROLL
    for (int i = 0; i < n.count(); ++i) q[i] = fma(rate(i), h, q[i]);
  }

  template <class F, class Axis>
  CAROM_HD static void coordinates(JointDofs n, Axis axis, const TransformT<F>& X, const SpatialVectorT<F>& V, F* q,
                                   F* qd) {
    for (int i = 0; i < n.linear; ++i) {
      const Vec3T<F> a = axis(i);
      q[i] = dot(a, X.p);
      qd[i] = dot(a, V.linear);
    }
    if (n.angular == 1) {
      const Vec3T<F> a = axis(n.linear);
      q[n.linear] = twist_angle(X.q, a);
      qd[n.linear] = dot(a, V.angular);
    } else if (n.angular > 1) {
      // The third axis completes the frame; its hand decides the sign of turns seen in the frame.
      const Vec3T<F> a0 = axis(n.linear), a1 = axis(n.linear + 1), third = cross(a0, a1);
      const Vec3T<F> a2 = n.angular == 3 ? axis(n.linear + 2) : third;
      const F hand = select(dot(third, a2) < F(0), F(-1), F(1));
      angles(n.angular, mat33_columns(a0, a1, a2), hand, X.q, V.angular, q + n.linear, qd + n.linear);
    }
  }

 private:
  // kPose: the pose is wanted, too. Without it the last turn, which no axis sees, is left out.
  template <bool kPose, class F, class Axis>
  CAROM_HD static TransformT<F> turn_axes(JointDofs n, Axis axis, const F* q, QuatT<F> q_WP, Vec3T<F>* axis_W) {
    TransformT<F> X;
    CAROM_ROLL
    for (int i = 0; i < n.linear; ++i) {
      if constexpr (kPose) X.p = fma(axis(i), q[i], X.p);
      axis_W[i] = rotate(q_WP, axis(i));
    }
    QuatT<F> q_W = q_WP;
    CAROM_ROLL
    for (int i = n.linear; i < n.count(); ++i) {
      axis_W[i] = rotate(q_W, axis(i));
      if (!kPose && i + 1 == n.count()) break;
      const QuatT<F> turn = quat_from_axis_angle(axis(i), q[i]);
      q_W = q_W * turn;
      if constexpr (kPose) X.q = i == n.linear ? turn : X.q * turn;
    }
    return X;
  }

  // Of two or three angular axes, which are the columns of A; hand: -1 when A is left-handed.
  template <class F>
  CAROM_HD static void angles(int count, const Mat33T<F>& A, F hand, QuatT<F> turn, Vec3T<F> w, F* q, F* qd) {
    const Mat33T<F> a = transpose(A);
    const Mat33T<F> R = a * mat33_from_quat(turn) * A;
    const F s1 = clamp(R[0][2], F(-1), F(1));
    const F angle[3] = {hand * atan2(-R[1][2], R[2][2]), hand * atan2(s1, sqrt(square(R[0][0]) + square(R[0][1]))),
                        hand * atan2(-R[0][1], R[0][0])};
    // Rates: w = s0 qd0 + s1 qd1 + s2 qd2 with the axes as they are turned by those before them.
    const QuatT<F> turn0 = quat_from_axis_angle(a[0], angle[0]);
    const QuatT<F> turn1 = turn0 * quat_from_axis_angle(a[1], angle[1]);
    const Vec3T<F> rate = inverse(mat33_columns(a[0], rotate(turn0, a[1]), rotate(turn1, a[2]))) * w;
    for (int i = 0; i < count; ++i) {
      q[i] = angle[i];
      qd[i] = rate[i];
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
