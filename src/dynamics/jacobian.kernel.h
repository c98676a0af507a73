// Jacobians: how each body's twist depends on the joint velocities of its world. One thread fills the six rows of one
// body, walking from its joint to the root; everything that does not move it stays zero.
//
//   angular dof with axis a at o: v = a x (c - o), w = a          linear dof with axis a: v = a, w = 0
#pragma once

#include "carom/model.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct EvalJacobian {
  Span<const int> body_world, body_joint, body_world_start, dof_world_start;
  Span<const std::int64_t> value_start;  // per world, then of the globals
  Span<const int> cols;                  // degrees of freedom per world, then of all globals
  int global_entry;                      // where the globals stand in the two spans above

  Span<const int> joint_type, joint_parent, joint_child, joint_world, joint_qd_start, joint_q_start;
  Span<const Index2> joint_dof_dim;
  const Transform* joint_X_p;
  const Transform* joint_X_c;
  const Vec3* joint_axis;
  const Vec3* body_com;
  const Transform* body_q;
  const Real* joint_q;
  Span<const int> global_row, global_col;  // of global bodies and degrees of freedom: their number among the globals

  Real* values;

  CAROM_HD void operator()(int body) const {
    const int world = body_world[body], entry = world < 0 ? global_entry : world;
    const int row = world < 0 ? global_row[body] : body - body_world_start[world];
    Real* const rows = values + value_start[entry] + std::int64_t{row} * 6 * cols[entry];
    for (int i = 0; i < 6 * cols[entry]; ++i) rows[i] = 0;
    const Vec3 p_com = transform_point(body_q[body], body_com[body]);
    for (int at = body; at >= 0 && body_joint[at] >= 0; at = joint_parent[body_joint[at]]) {
      if (joint_world[body_joint[at]] != world) break;  // what moves a global parent belongs to another Jacobian
      add_joint(rows, entry, world, body_joint[at], p_com);
    }
  }

 private:
  CAROM_HD void add_joint(Real* rows, int entry, int world, int joint, Vec3 p_com) const {
    const JointType type = static_cast<JointType>(joint_type[joint]);
    const int linear = joint_dof_dim[joint][0], angular = joint_dof_dim[joint][1];
    const int parent = joint_parent[joint], child = joint_child[joint];
    const Quat q_WPj = (parent >= 0 ? body_q[parent] * joint_X_p[joint] : joint_X_p[joint]).q;
    const Vec3 o =
        velocity_at_com(type) ? transform_point(body_q[child], body_com[child]) : (body_q[child] * joint_X_c[joint]).p;
    const int dof = joint_qd_start[joint];
    const int col = world < 0 ? global_col[dof] : dof - dof_world_start[world];
    const auto axis_of = [&](int i) CAROM_HD_LAMBDA { return joint_axis[dof + i]; };
    Vec3 axis_W[6];
    visit_joint(type, [&](auto family) CAROM_HD_LAMBDA {
      family.axes(JointDofs{linear, angular}, axis_of, joint_q + joint_q_start[joint], q_WPj, axis_W);
    });
    for (int i = 0; i < linear + angular; ++i) {
      const SpatialVector column = i < linear ? slide_motion(axis_W[i]) : turn_motion(axis_W[i], p_com - o);
      for (int k = 0; k < 3; ++k) {
        rows[k * cols[entry] + col + i] = column.linear[k];
        rows[(k + 3) * cols[entry] + col + i] = column.angular[k];
      }
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
