// Inverse kinematics of single joints: coordinates and velocities from the poses and twists of the two bodies. Every
// joint is on its own, so all joints of all worlds run side by side. The equations of fk.kernel.h, solved for q and qd.
#pragma once

#include "carom/model.h"
#include "model/joints/joints.kernel.h"

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
    const Vec3 o = velocity_at_com(type) ? p_com : X_WJ.p;

    const SpatialVector V_C = body_qd[child];
    const Vec3 v = V_C.linear - cross(V_C.angular, p_com - o) - V_P.linear - cross(V_P.angular, o - p_Pcom);
    const SpatialVector V_J{rotate_inverse(X_WPj.q, v), rotate_inverse(X_WPj.q, V_C.angular - V_P.angular)};

    const auto [linear, angular] = joint_dof_dim[joint];
    const JointDofs dofs{linear, angular};
    const Vec3* const axes = joint_axis + joint_qd_start[joint];
    const auto axis_of = [&](int i) CAROM_HD_LAMBDA { return axes[i]; };
    visit_joint(type, [&](auto family) CAROM_HD_LAMBDA {
      family.coordinates(dofs, axis_of, X_J, V_J, joint_q + joint_q_start[joint], joint_qd + joint_qd_start[joint]);
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
