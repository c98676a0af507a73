// How each type of joint moves: pose and velocity of the child's joint frame in the parent's joint frame.
//
//   type        coordinates q            velocities qd              motion
//   prismatic   distance [m]             [m/s]                      along the axis
//   revolute    angle [rad]              [rad/s]                    about the axis
//   ball        quaternion xyzw          angular velocity [rad/s]   about the origin, in parent axes
//   fixed       -                        -                          none
//   free        position, quaternion     twist of the child's centre of mass, in parent axes
//   distance    as free                  as free
//   d6          distances, then angles   their rates                along the linear axes, then about the angular axes,
//                                                                   each of which is turned by those before it
#pragma once

#include "backend/world_lanes.h"
#include "carom/config.h"
#include "carom/math.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD bool moves_freely(JointType type) { return type == JointType::kFree || type == JointType::kDistance; }

// Coordinates of a joint.
CAROM_HD int coord_count(const TreeJoint& joint) {
  if (moves_freely(joint.type)) return 7;
  return joint.type == JointType::kBall ? 4 : joint.linear + joint.angular;
}

// Pose of the child's joint frame in the parent's, and its velocity there (for free joints: of the centre of mass).
template <class F>
struct JointMotion {
  TransformT<F> X;
  SpatialVectorT<F> V;
};

// Numbers of W worlds as vectors.
template <class F>
CAROM_HD Vec3T<F> load_vec3(const Element<F>* base, const Offsets<F>& offsets, int k) {
  F v[3];
  load_rows(base, offsets, k, v);
  return {v[0], v[1], v[2]};
}
template <class F>
CAROM_HD TransformT<F> load_transform(const Element<F>* base, const Offsets<F>& offsets, int k) {
  F v[7];
  load_rows(base, offsets, k, v);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
}

// One world's numbers for every lane.
template <class F>
CAROM_HD Vec3T<F> broadcast(Vec3 v) {
  return {F(v.x), F(v.y), F(v.z)};
}
template <class F>
CAROM_HD QuatT<F> broadcast(Quat q) {
  return {F(q.x), F(q.y), F(q.z), F(q.w)};
}
template <class F>
CAROM_HD TransformT<F> broadcast(Transform X) {
  return {broadcast<F>(X.p), broadcast<F>(X.q)};
}

// A turn about one axis: the most common joint, kept apart so that its code stays in registers.
template <class F>
CAROM_HD JointMotion<F> hinge_motion(Vec3T<F> axis, F q, F qd) {
  return {{{}, quat_from_axis_angle(axis, q)}, {{}, axis * qd}};
}

// axis(i) returns the unit axis of degree of freedom i; q and qd are the joint's coordinates and velocities.
template <class F, class Axis>
CAROM_HD JointMotion<F> joint_motion(const TreeJoint& joint, Axis axis, const F* q, const F* qd) {
  JointMotion<F> motion;
  if (moves_freely(joint.type)) {
    motion.X = {{q[0], q[1], q[2]}, normalize(QuatT<F>{q[3], q[4], q[5], q[6]})};
    motion.V = {{qd[0], qd[1], qd[2]}, {qd[3], qd[4], qd[5]}};
  } else if (joint.type == JointType::kBall) {
    motion.X.q = normalize(QuatT<F>{q[0], q[1], q[2], q[3]});
    motion.V.angular = {qd[0], qd[1], qd[2]};
  } else {
    for (int i = 0; i < joint.linear; ++i) {
      const Vec3T<F> a = axis(i);
      motion.X.p = fma(a, q[i], motion.X.p);
      motion.V.linear = fma(a, qd[i], motion.V.linear);
    }
    for (int i = joint.linear; i < joint.linear + joint.angular; ++i) {
      const Vec3T<F> a = axis(i);
      const QuatT<F> turn = quat_from_axis_angle(a, q[i]);
      const bool first = i == joint.linear;
      motion.V.angular = first ? a * qd[i] : fma(rotate(motion.X.q, a), qd[i], motion.V.angular);
      motion.X.q = first ? turn : motion.X.q * turn;
    }
  }
  return motion;
}

}  // namespace carom::inline CAROM_PRECISION
