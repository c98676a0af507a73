// Inverse kinematics of single joints: coordinates and velocities from the poses and twists of the two bodies. Every
// joint is on its own, so all joints of all worlds run side by side. The equations of fk.kernel.h, solved for q and qd.
//
// Angles of a d6 joint with axes a0, a1, a2: in the frame A = (a0, a1, a2) the rotation is a product of turns about
// x, y and z, and with R' = A^T R A: sin q1 = R'02, tan q0 = -R'12 / R'22, tan q2 = -R'01 / R'00.
#pragma once

#include "carom/model.h"
#include "model/joint_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct EvalIk {
  // Joints.
  Span<const int> joint_type, joint_parent, joint_child, joint_world, joint_q_start, joint_qd_start;
  Span<const Index2> joint_dof_dim;
  const Transform* joint_X_p;
  const Transform* joint_X_c;
  const Vec3* joint_axis;
  const Vec3* body_com;

  // Input and output.
  const Transform* body_q;
  const SpatialVector* body_qd;
  Real* joint_q;
  Real* joint_qd;
  Span<const std::uint8_t> mask;  // one per world, then the globals; empty = all

  CAROM_HD void operator()(int joint) const {
    const int world = joint_world[joint];
    if (mask.size > 0 && !mask[world < 0 ? mask.size - 1 : world]) return;
    const JointType type = static_cast<JointType>(joint_type[joint]);
    const int parent = joint_parent[joint], child = joint_child[joint];
    const Transform X_WP = parent >= 0 ? body_q[parent] : Transform{};
    const SpatialVector V_P = parent >= 0 ? body_qd[parent] : SpatialVector{};
    const Vec3 p_Pcom = parent >= 0 ? transform_point(X_WP, body_com[parent]) : Vec3{};
    const Transform X_WPj = X_WP * joint_X_p[joint];
    const Transform X_WJ = body_q[child] * joint_X_c[joint];
    const Transform X_J = inverse(X_WPj) * X_WJ;
    const Vec3 p_com = transform_point(body_q[child], body_com[child]);
    const Vec3 o = moves_freely(type) ? p_com : X_WJ.p;

    const SpatialVector V_C = body_qd[child];
    const Vec3 v = V_C.linear - cross(V_C.angular, p_com - o) - V_P.linear - cross(V_P.angular, o - p_Pcom);
    const SpatialVector V_J{rotate_inverse(X_WPj.q, v), rotate_inverse(X_WPj.q, V_C.angular - V_P.angular)};
    write(joint, type, X_J, V_J);
  }

 private:
  CAROM_HD void write(int joint, JointType type, const Transform& X, const SpatialVector& V) const {
    Real* const q = joint_q + joint_q_start[joint];
    Real* const qd = joint_qd + joint_qd_start[joint];
    const auto [linear, angular] = joint_dof_dim[joint];
    if (moves_freely(type)) {
      write_vec3(q, X.p);
      write_quat(q + 3, X.q);
      write_vec3(qd, V.linear);
      write_vec3(qd + 3, V.angular);
    } else if (type == JointType::kBall) {
      write_quat(q, X.q);
      write_vec3(qd, V.angular);
    } else {
      const Vec3* const axis = joint_axis + joint_qd_start[joint];
      for (int i = 0; i < linear; ++i) {
        q[i] = dot(axis[i], X.p);
        qd[i] = dot(axis[i], V.linear);
      }
      write_angles(angular, axis + linear, X.q, V.angular, q + linear, qd + linear);
    }
  }

  CAROM_HD static void write_vec3(Real* to, Vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
  }
  CAROM_HD static void write_quat(Real* to, Quat q) {
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
  }

  CAROM_HD static void write_angles(int count, const Vec3* axis, Quat turn, Vec3 w, Real* q, Real* qd) {
    if (count == 1) {
      q[0] = twist_angle(turn, axis[0]);
      qd[0] = dot(axis[0], w);
    } else if (count > 1) {
      // The third axis completes the frame; its hand decides the sign of turns seen in the frame.
      const Vec3 third = cross(axis[0], axis[1]);
      const Vec3 a2 = count == 3 ? axis[2] : third;
      const Real hand = dot(third, a2) < 0 ? Real(-1) : Real(1);
      const Mat33 A = mat33_columns(axis[0], axis[1], a2);
      const Mat33 R = transpose(A) * mat33_from_quat(turn) * A;
      const Real s1 = clamp(R[0][2], Real(-1), Real(1));
      const Real angle[3] = {hand * atan2(-R[1][2], R[2][2]), hand * atan2(s1, sqrt(square(R[0][0]) + square(R[0][1]))),
                             hand * atan2(-R[0][1], R[0][0])};
      // Rates: w = s0 qd0 + s1 qd1 + s2 qd2 with the axes as they are turned by those before them.
      const Quat turn0 = quat_from_axis_angle(axis[0], angle[0]);
      const Quat turn1 = turn0 * quat_from_axis_angle(axis[1], angle[1]);
      const Vec3 rate = inverse(mat33_columns(axis[0], rotate(turn0, axis[1]), rotate(turn1, a2))) * w;
      for (int i = 0; i < count; ++i) {
        q[i] = angle[i];
        qd[i] = rate[i];
      }
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
