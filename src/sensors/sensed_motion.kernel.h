// What sensors of motion read: where bodies are at an instant, how they move and accelerate, the frames that sensors
// look at, and where their numbers go.
#pragma once

#include "carom/columns.h"
#include "carom/math.h"
#include "carom/sensor_config.h"

namespace carom::inline CAROM_PRECISION {

// Where the numbers of each sensor go.
struct SensorOutput {
  Real* values;
  const std::int64_t* value_at;  // per sensor

  CAROM_HD void write(int sensor, Real value) const { values[value_at[sensor]] = value; }
  CAROM_HD void write(int sensor, Vec3 v) const {
    Real* const to = values + value_at[sensor];
    for (int k = 0; k < 3; ++k) to[k] = v[k];
  }
  // wxyz, MuJoCo's order.
  CAROM_HD void write(int sensor, Quat q) const {
    Real* const to = values + value_at[sensor];
    to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
  }
};

// Rows of one entity that belong to a world, or to none: global ones stand in front and behind.
struct RowsOfWorlds {
  const int* start;  // as Model::body_world_start
  int world_count;

  template <class Function>
  CAROM_HD void each(int world, Function f) const {
    if (world < 0) {
      for (int row = 0; row < start[0]; ++row) f(row);
      for (int row = start[world_count]; row < start[world_count + 1]; ++row) f(row);
    } else {
      for (int row = start[world]; row < start[world + 1]; ++row) f(row);
    }
  }
};

// Which body carries which.
struct BodyTree {
  const int *body_joint, *joint_parent;

  // On the way from a body to the world, itself included. Everything hangs on the world, -1.
  CAROM_HD bool hangs_on(int body, int on) const {
    while (body != on && body >= 0) body = body_joint[body] < 0 ? -1 : joint_parent[body_joint[body]];
    return body == on;
  }
};

struct SensedBodies {
  const Transform* X_WB;
  const SpatialVector* velocity;      // of the centre of mass, and angular; world axes
  const SpatialVector* acceleration;  // likewise, less gravity: what stands still accelerates upwards
  const Vec3* com;
  const Real* mass;
  const Mat33* inertia;
  const Vec3* gravity;  // per world, then of the globals
  int world_count;

  CAROM_HD Vec3 gravity_of(int world) const { return gravity[world < 0 ? world_count : world]; }
  // Of a frame that a body carries; -1: the world does.
  CAROM_HD Transform frame_in_world(int body, const Transform& X_BF) const {
    return body < 0 ? X_BF : X_WB[body] * X_BF;
  }
  CAROM_HD Vec3 com_in_world(int body) const { return transform_point(X_WB[body], com[body]); }
  // Angular momentum about the centre of mass, world axes.
  CAROM_HD Vec3 spin(int body) const {
    const Quat q = X_WB[body].q;
    return rotate(q, inertia[body] * rotate_inverse(q, velocity[body].angular));
  }
};

// How the point of a body that is somewhere moves; world axes.
struct PointMotion {
  Vec3 v, omega;  // [m/s], [rad/s]
  Vec3 a, alpha;  // [m/s^2] less gravity, [rad/s^2]
};

// Of the point at p, in the world; body -1: of the world itself.
CAROM_HD PointMotion point_motion(const SensedBodies& bodies, int world, int body, Vec3 p) {
  if (body < 0) return {{}, {}, -bodies.gravity_of(world), {}};
  const SpatialVector V = bodies.velocity[body], A = bodies.acceleration[body];
  const Vec3 arm = p - bodies.com_in_world(body), turning = cross(V.angular, arm);
  return {V.linear + turning, V.angular, A.linear + cross(A.angular, arm) + cross(V.angular, turning), A.angular};
}

}  // namespace carom::inline CAROM_PRECISION
