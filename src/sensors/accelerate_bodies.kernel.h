// Accelerations of a world's bodies from those of its joints, from the roots to the leaves of its joint tree.
//
//   a_o   = a_P + alpha_P x r + w_P x (w_P x r) + 2 w_P x v_J + sum_i axis_i qdd_i       i: slides; r = o - c_P
//   alpha = alpha_P + sum_i (axis_i qdd_i + w_i x axis_i qd_i)                           i: turns
//   a_C   = a_o + alpha x s + w_C x (w_C x s),  s = c_C - o
//
// P: parent, C: child, c: centres of mass, o: origin of the child's joint frame, v_J: its velocity in the parent, w_i:
// angular velocity of what carries axis i: the parent and the turns before it, or the parent alone for joints that turn
// at once. Gravity is a field that accelerates the world upwards, so that what falls freely has no acceleration.
#pragma once

#include "carom/model.h"
#include "model/joints/joints.kernel.h"
#include "sensors/sensed_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Joints of an archetype, and where its worlds begin.
struct TreeOfWorlds {
  Span<const int> worlds;
  Span<const TreeJoint> tree;    // parents before children
  Span<const int> loose_bodies;  // that no joint moves
  const int *body_start, *joint_start, *coord_start, *dof_start;

  // Rows of one of the worlds.
  struct Rows {
    int world, body, joint, coord, dof;  // first ones; those of the globals count from 0

    CAROM_HD int parent(const TreeJoint& j) const {  // -1: the world
      return j.parent >= 0 ? body + j.parent : j.parent <= -2 ? -2 - j.parent : -1;
    }
    CAROM_HD int child(const TreeJoint& j) const { return body + j.child; }
  };
  CAROM_HD Rows rows(int i) const {
    const int w = worlds[i];
    if (w < 0) return {w, 0, 0, 0, 0};
    return {w, body_start[w], joint_start[w], coord_start[w], dof_start[w]};
  }
};

struct AccelerateBodies {
  TreeOfWorlds trees;  // those joints alone that move a body that somebody asks for
  SensedBodies bodies;
  const Transform *joint_X_p, *joint_X_c;
  const Vec3* joint_axis;
  const Real *joint_q, *joint_qd;
  const Real* joint_qdd;        // of free joints that of the joint frame's origin, not of the centre of mass
  SpatialVector* acceleration;  // the one of `bodies`

  CAROM_HD void operator()(int i) const {
    const TreeOfWorlds::Rows rows = trees.rows(i);
    const SpatialVector at_rest{-bodies.gravity_of(rows.world), {}};
    for (const int body : trees.loose_bodies) acceleration[rows.body + body] = at_rest;
    for (const TreeJoint& joint : trees.tree) accelerate_child(rows, joint);
  }

 private:
  // What a joint adds to the motion of its parent, in world axes.
  struct JointRates {
    Vec3 v;      // of the origin of the child's joint frame, in the parent
    Vec3 a;      // of it, along the slides
    Vec3 w;      // angular velocity in the parent
    Vec3 alpha;  // with what turns the axes
  };

  CAROM_HD JointRates rates_of(const TreeOfWorlds::Rows& rows, const TreeJoint& joint, Quat q_WPj, Vec3 w_P) const {
    const int dof = rows.dof + joint.qd;
    const auto axis_of = [&](int i) CAROM_HD_LAMBDA { return joint_axis[dof + i]; };
    Vec3 axis[6];
    visit_joint(joint.type, [&](auto family) CAROM_HD_LAMBDA {
      family.axes(JointDofs{joint.linear, joint.angular}, axis_of, joint_q + rows.coord + joint.q, q_WPj, axis);
    });
    const bool at_once = turns_at_once(joint.type);
    JointRates rates{};
    for (int i = 0; i < joint.linear; ++i) {
      rates.v = fma(axis[i], joint_qd[dof + i], rates.v);
      rates.a = fma(axis[i], joint_qdd[dof + i], rates.a);
    }
    for (int i = joint.linear; i < joint.linear + joint.angular; ++i) {
      const Vec3 carrier = at_once ? w_P : w_P + rates.w, turn = axis[i] * joint_qd[dof + i];
      rates.alpha += axis[i] * joint_qdd[dof + i] + cross(carrier, turn);
      rates.w += turn;
    }
    return rates;
  }

  CAROM_HD void accelerate_child(const TreeOfWorlds::Rows& rows, const TreeJoint& joint) const {
    const int parent = rows.parent(joint), child = rows.child(joint), row = rows.joint + joint.joint;
    const Vec3 o = transform_point(bodies.X_WB[child], joint_X_c[row].p), s = bodies.com_in_world(child) - o;
    const PointMotion P = point_motion(bodies, rows.world, parent, o);
    const Quat q_PJ = joint_X_p[row].q, q_WPj = parent < 0 ? q_PJ : bodies.X_WB[parent].q * q_PJ;
    JointRates J = rates_of(rows, joint, q_WPj, P.omega);
    if (velocity_at_com(joint.type)) J.v -= cross(J.w, s);
    const Vec3 w = P.omega + J.w, alpha = P.alpha + J.alpha;
    const Vec3 a_o = P.a + J.a + cross(P.omega, J.v) * Real(2);
    acceleration[child] = {a_o + cross(alpha, s) + cross(w, cross(w, s)), alpha};
  }
};

}  // namespace carom::inline CAROM_PRECISION
