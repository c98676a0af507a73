// Which file moves a joint of each type, and what the stages ask of a type. This is the one place that lists them.
//
//   type        coordinates q            velocities qd              motion                        file
//   prismatic   distance [m]             [m/s]                      along the axis                axes_joint
//   revolute    angle [rad]              [rad/s]                    about the axis                axes_joint
//   ball        quaternion xyzw          angular velocity [rad/s]   about the origin              ball_joint
//   fixed       -                        -                          none                          axes_joint
//   free        position, quaternion     twist of the child's centre of mass, in parent axes      free_joint
//   distance    as free                  as free                                                  free_joint
//   d6          distances, then angles   their rates                along and about a row of axes axes_joint
//
// A family of types is a struct of static functions, all about the child's joint frame J in the parent's:
//
//   kTurnsAtOnce    the last four coordinates are a unit quaternion, the last three velocities an angular velocity in
//                   parent axes. Otherwise each coordinate is the integral of one velocity.
//   kVelocityAtCom  the velocities are those of the child's centre of mass, not of the joint frame's origin
//   coord_count(n)                         how many coordinates belong to n degrees of freedom
//   motion(n, axis, q, qd)                 X_J(q) and its velocity
//   pose(n, axis, q, q_WP, axis_W)         X_J(q), and the axes of the degrees of freedom turned by q_WP and by those
//                                          before them: slide_motion() and turn_motion() make the Jacobian of them
//   axes(n, axis, q, q_WP, axis_W)         the axes alone, with the same bits
//   integrate(n, rate, h, q)               q (+) h rate
//   coordinates(n, axis, X, V, q, qd)      the inverse of motion()
//
// axis(i) and rate(i) give the unit axis and the velocity of degree of freedom i; q, qd and axis_W begin with the
// joint's own. Numbers are F, plain or lanes; a type is structure, so lanes agree on it.
//
// The files are in model and not in dynamics, because states are kept in line there (fk, ik, align).
#pragma once

#include "carom/config.h"
#include "model/joints/axes_joint.kernel.h"
#include "model/joints/ball_joint.kernel.h"
#include "model/joints/free_joint.kernel.h"

namespace carom::inline CAROM_PRECISION {

// visit(family) for the family that moves joints of this type.
template <class Visit>
CAROM_HD auto visit_joint(JointType type, Visit visit) {
  switch (type) {
    case JointType::kFree:
    case JointType::kDistance: return visit(FreeJoint{});
    case JointType::kBall: return visit(BallJoint{});
    case JointType::kPrismatic:
    case JointType::kRevolute:
    case JointType::kFixed:
    case JointType::kD6: break;
  }
  return visit(AxesJoint{});
}

CAROM_HD bool turns_at_once(JointType type) {
  return visit_joint(type, [](auto joint) CAROM_HD_LAMBDA { return joint.kTurnsAtOnce; });
}
CAROM_HD bool velocity_at_com(JointType type) {
  return visit_joint(type, [](auto joint) CAROM_HD_LAMBDA { return joint.kVelocityAtCom; });
}
CAROM_HD int joint_coord_count(JointType type, JointDofs n) {
  return visit_joint(type, [&](auto joint) CAROM_HD_LAMBDA { return joint.coord_count(n); });
}
// Numbers that the joint holds. A distance joint moves as a free one, and holds the distance.
CAROM_HD int joint_constraint_count(JointType type, JointDofs n) {
  return type == JointType::kDistance ? 1 : 6 - n.count();
}
// AxesJoint::hinge_motion() is its motion.
CAROM_HD bool is_hinge(JointType type) { return type == JointType::kRevolute; }

}  // namespace carom::inline CAROM_PRECISION
