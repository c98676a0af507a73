// Sensors of joints: positions, velocities, and how far they are behind the margin of a limit. One item is a sensor.
#pragma once

#include "carom/config.h"
#include "model/joints/ball_joint.kernel.h"
#include "sensors/sensed_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct SenseJoints {
  const int* sensor;  // row of each item
  const int *type, *joint, *axis;
  const int *joint_type, *joint_q_start, *joint_qd_start;
  const Real *limit_lower, *limit_upper, *limit_margin;
  const Real *joint_q, *joint_qd;
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    const int s = sensor[i], j = joint[s];
    const bool is_ball = static_cast<JointType>(joint_type[j]) == JointType::kBall;
    const Real* const q = joint_q + joint_q_start[j] + (is_ball ? 0 : axis[s]);
    const int dof = joint_qd_start[j] + (is_ball ? 0 : axis[s]);
    switch (static_cast<SensorType>(type[s])) {
      case SensorType::kJointPos: return out.write(s, *q);
      case SensorType::kJointVel: return out.write(s, joint_qd[dof]);
      case SensorType::kBallQuat: return out.write(s, BallJoint::turn(q));
      // In the axes of the child.
      case SensorType::kBallAngVel: return out.write(s, rotate_inverse(BallJoint::turn(q), velocity_of_ball(dof)));
      default: break;
    }
    const Limit limit = is_ball ? limit_of_ball(q, dof) : limit_of_axis(*q, dof);
    const bool acts = limit.distance < limit_margin[dof];
    const bool of_speed = static_cast<SensorType>(type[s]) == SensorType::kJointLimitVel;
    out.write(s, !acts ? Real(0) : of_speed ? limit.speed : limit.distance - limit_margin[dof]);
  }

 private:
  struct Limit {
    Real distance, speed;  // to it, and how fast it grows
  };
  CAROM_HD Vec3 velocity_of_ball(int dof) const { return {joint_qd[dof], joint_qd[dof + 1], joint_qd[dof + 2]}; }
  CAROM_HD Limit limit_of_ball(const Real* q, int dof) const {
    const Vec3 turn = rotation_vector(BallJoint::turn(q));
    const Real angle = length(turn);
    const Vec3 about = turn * (Real(1) / (angle > 0 ? angle : Real(1)));
    return {limit_upper[dof] - angle, -dot(about, velocity_of_ball(dof))};
  }
  // Where both act, the lower one counts.
  CAROM_HD Limit limit_of_axis(Real q, int dof) const {
    const Real above = q - limit_lower[dof];
    if (above < limit_margin[dof]) return {above, joint_qd[dof]};
    return {limit_upper[dof] - q, -joint_qd[dof]};
  }
};

}  // namespace carom::inline CAROM_PRECISION
