// Sensors of a body with all that hangs on it: centre of mass, its velocity, and angular momentum about it. One item is
// a sensor.
//
//   C = sum m c / M,  V = sum m v / M,  L = sum (I w + (c - C) x m (v - V))
#pragma once

#include "sensors/sensed_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct SenseSubtrees {
  const int* sensor;  // row of each item
  const int *type, *root, *world;
  const int *body_joint, *joint_parent;
  RowsOfWorlds body_rows;
  SensedBodies bodies;
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    const int s = sensor[i];
    Real mass = 0;
    Vec3 moment{}, momentum{};
    each_body(s, [&](int body) CAROM_HD_LAMBDA {
      mass += bodies.mass[body];
      moment = fma(bodies.com_in_world(body), bodies.mass[body], moment);
      momentum = fma(bodies.velocity[body].linear, bodies.mass[body], momentum);
    });
    const bool heavy = mass > 0;
    const Vec3 light = root[s] < 0 ? Vec3{} : bodies.com_in_world(root[s]);
    const Vec3 C = heavy ? moment / mass : light, V = heavy ? momentum / mass : Vec3{};
    const SensorType kind = static_cast<SensorType>(type[s]);
    if (kind == SensorType::kSubtreeCom) return out.write(s, C);
    if (kind == SensorType::kSubtreeLinVel) return out.write(s, V);
    Vec3 L{};
    each_body(s, [&](int body) CAROM_HD_LAMBDA {
      const Vec3 p = (bodies.velocity[body].linear - V) * bodies.mass[body];
      L += bodies.spin(body) + cross(bodies.com_in_world(body) - C, p);
    });
    out.write(s, L);
  }

 private:
  template <class Function>
  CAROM_HD void each_body(int s, Function f) const {
    body_rows.each(world[s], [&](int body) CAROM_HD_LAMBDA {
      if (hangs_on(body, root[s])) f(body);
    });
  }
  // Everything hangs on the world.
  CAROM_HD bool hangs_on(int body, int on) const {
    while (body != on && body >= 0) body = body_joint[body] < 0 ? -1 : joint_parent[body_joint[body]];
    return body == on;
  }
};

}  // namespace carom::inline CAROM_PRECISION
