// A damped spring between two particles, of the energy
//
//   E = ke / 2 (l - rest)^2,   l = |x1 - x0|
//
// and a damper kd along it. Actuation shortens it: rest = rest_length (1 - control).
#pragma once

#include "carom/columns.h"

namespace carom::inline CAROM_PRECISION {

struct SpringMaterial {
  Real rest;  // [m]
  Real ke;    // [N/m]
  Real kd;    // [N s/m]
};

// On particle 0 [N]; particle 1 gets its negative.
CAROM_HD Vec3 spring_force(const SpringMaterial& m, Vec3 x0, Vec3 x1, Vec3 v0, Vec3 v1) {
  const Vec3 to_1 = x1 - x0, axis = normalize(to_1);
  return axis * fma(m.ke, length(to_1) - m.rest, m.kd * dot(axis, v1 - v0));
}

struct SpringForces {
  const Vec3 *q, *qd;
  const Index2* indices;
  const Real *rest_length, *stiffness, *damping, *control;
  Vec3* corner_force;  // two of each spring

  CAROM_HD void operator()(int s) const {
    const int i = indices[s][0], j = indices[s][1];
    const SpringMaterial m{rest_length[s] * (Real(1) - control[s]), stiffness[s], damping[s]};
    const Vec3 f = spring_force(m, q[i], q[j], qd[i], qd[j]);
    corner_force[2 * s] = f;
    corner_force[2 * s + 1] = -f;
  }
};

}  // namespace carom::inline CAROM_PRECISION
