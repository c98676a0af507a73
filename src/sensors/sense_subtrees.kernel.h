// Sensors of a body with all that hangs on it: centre of mass, its velocity, and angular momentum about it. One item is
// a sensor.
//
//   M = sum m,  C = o + sum m d / M,  V = u + sum p / M,  L = sum (I w + d x p) - (C - o) x sum p
//
// d = c - o, p = m (v - u); o, u: where the centre of mass of the first body is and how it moves, which keeps numbers
// small.
#pragma once

#include "sensors/sensed_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct SenseSubtrees {
  const int* sensor;  // row of each item
  const int *type, *root, *world;
  BodyTree tree;
  RowsOfWorlds body_rows;
  SensedBodies bodies;
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    const int s = sensor[i], first = root[s];
    const Vec3 o = first < 0 ? Vec3{} : bodies.com_in_world(first),
               u = first < 0 ? Vec3{} : bodies.velocity[first].linear;
    Real mass = 0;
    Vec3 moment{}, momentum{}, L{};
    body_rows.each(world[s], [&](int body) CAROM_HD_LAMBDA {
      if (!tree.hangs_on(body, first)) return;
      const Vec3 d = bodies.com_in_world(body) - o, p = (bodies.velocity[body].linear - u) * bodies.mass[body];
      mass += bodies.mass[body];
      moment = fma(d, bodies.mass[body], moment);
      momentum += p;
      L += bodies.spin(body) + cross(d, p);
    });
    const Real share = mass > 0 ? Real(1) / mass : Real(0);
    const SensorType kind = static_cast<SensorType>(type[s]);
    if (kind == SensorType::kSubtreeCom) return out.write(s, fma(moment, share, o));
    if (kind == SensorType::kSubtreeLinVel) return out.write(s, fma(momentum, share, mass > 0 ? u : Vec3{}));
    out.write(s, L - cross(moment * share, momentum));
  }
};

}  // namespace carom::inline CAROM_PRECISION
