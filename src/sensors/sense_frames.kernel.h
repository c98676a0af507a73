// Sensors of frames: IMUs and frame sensors, magnetometers, what a camera sees, force and torque in a joint. One item
// is a sensor.
//
// In a reference frame R that moves itself: p' = R^T (p - p_R), v' = R^T (v - v_R - w_R x (p - p_R)),
// w' = R^T (w - w_R).
#pragma once

#include "sensors/sensed_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

// What impulses did before a step is felt as an acceleration over the step; joints carry none of it.
struct Jumps {
  const SpatialVector* velocity;  // State::body_jump; nullptr: nobody asks
  Real dt;                        // [s]; where no time passes nothing is felt

  CAROM_HD PointMotion felt(const SensedBodies& bodies, int body, Vec3 p, PointMotion motion) const {
    if (!velocity || body < 0 || !(dt > 0)) return motion;
    const SpatialVector jump = velocity[body];
    motion.a += (jump.linear + cross(jump.angular, p - bodies.com_in_world(body))) / dt;
    motion.alpha += jump.angular / dt;
    return motion;
  }
};

struct SenseFrames {
  const int* sensor;  // row of each item
  const int *type, *body, *reference_body, *world;
  const Transform *frame, *reference_frame;
  const RealN<4>* camera;  // focal lengths, principal point [pixels]
  SensedBodies bodies;
  Jumps jumps;
  const SpatialVector* wrench;  // of each body, FindWrenches
  Vec3 magnetic;                // world frame
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    const int s = sensor[i];
    const SensorType kind = static_cast<SensorType>(type[s]);
    const Seen F = seen(s, body[s], frame[s]), R = seen(s, reference_body[s], reference_frame[s]);
    if (kind == SensorType::kFrameQuat) return out.write(s, conjugate(R.X.q) * F.X.q);
    if (kind == SensorType::kCamProjection) return project(s, F.X.p, R.X);
    out.write(s, is_own(kind) ? rotate_inverse(F.X.q, in_own_axes(s, kind, F))
                              : rotate_inverse(R.X.q, in_reference(kind, F, R)));
  }

 private:
  // A frame, and how the point of its body moves that is at its origin.
  struct Seen {
    Transform X;  // in the world
    PointMotion at;
  };
  CAROM_HD Seen seen(int s, int of_body, const Transform& X_BF) const {
    const Transform X = bodies.frame_in_world(of_body, X_BF);
    return {X, jumps.felt(bodies, of_body, X.p, point_motion(bodies, world[s], of_body, X.p))};
  }

  // Given in the axes of the frame itself.
  CAROM_HD static bool is_own(SensorType kind) {
    return kind >= SensorType::kAccelerometer && kind <= SensorType::kMagnetometer;
  }

  // In world axes.
  CAROM_HD Vec3 in_own_axes(int s, SensorType kind, const Seen& F) const {
    switch (kind) {
      case SensorType::kAccelerometer: return F.at.a;
      case SensorType::kVelocimeter: return F.at.v;
      case SensorType::kGyro: return F.at.omega;
      case SensorType::kForce: return wrench[body[s]].linear;
      case SensorType::kTorque: {
        const SpatialVector w = wrench[body[s]];
        return w.angular + cross(bodies.com_in_world(body[s]) - F.X.p, w.linear);
      }
      default: return magnetic;
    }
  }
  CAROM_HD Vec3 in_reference(SensorType kind, const Seen& F, const Seen& R) const {
    const Vec3 arm = F.X.p - R.X.p;
    switch (kind) {
      case SensorType::kFramePos: return arm;
      case SensorType::kFrameXAxis: return axis_x(F.X.q);
      case SensorType::kFrameYAxis: return axis_y(F.X.q);
      case SensorType::kFrameZAxis: return axis_z(F.X.q);
      case SensorType::kFrameLinVel: return F.at.v - R.at.v - cross(R.at.omega, arm);
      case SensorType::kFrameAngVel: return F.at.omega - R.at.omega;
      case SensorType::kFrameLinAcc: return F.at.a;
      default: return F.at.alpha;
    }
  }
  // A camera looks along -z, x points to the right, pixels are counted from the upper left corner. What is behind it
  // is projected, too.
  CAROM_HD void project(int s, Vec3 p, const Transform& X_WC) const {
    const Vec3 q = rotate_inverse(X_WC.q, p - X_WC.p);
    const Real depth = abs(q.z) > Real(1e-15) ? -q.z : q.z < 0 ? Real(1e-15) : Real(-1e-15);
    Real* const pixel = out.values + out.value_at[s];
    pixel[0] = fma(camera[s][0], q.x / depth, camera[s][2]);
    pixel[1] = fma(-camera[s][1], q.y / depth, camera[s][3]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
