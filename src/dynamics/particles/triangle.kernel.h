// A triangle of cloth: a membrane that resists stretching and a change of its area, damped, in air that drags and
// lifts. With F = [x1 - x0, x2 - x0] pose, which takes the rest shape to what it is now, its 3 x 2 columns F1 and F2,
// J = |F1 x F2| = area / rest area, and A = rest area:
//
//   E = A (ke / 2 (|F|^2 - 2) - ke (J - 1) + ka / 2 (J - 1 + activation)^2)
//
// a neo-Hookean membrane that is relaxed at F^T F = 1 (Smith, de Goes, Kim, "Stable Neo-Hookean Flesh Simulation",
// 2018, in two dimensions). Damping goes by the rates of strain alone, so that nothing hinders a turn of the whole:
//
//   R = A kd / 2 (|S|^2 + (dJ/dt)^2),   S = (F^T dF/dt + dF/dt^T F) / 2
//
// With the velocity v of its middle against the wind and its normal n the air pushes each of its particles by
//
//   -area (drag |n . v| v + lift asin(n . v / |v|) |v|^2 n)
#pragma once

#include "carom/math/trig.h"
#include "dynamics/particles/corners.h"

namespace carom::inline CAROM_PRECISION {

struct TriangleMaterial {
  Real ke, ka;      // [N/m]
  Real kd;          // [N s/m]
  Real drag, lift;  // [kg/m^3]
  Real activation;
};

// What each particle feels of the air [N].
CAROM_HD Vec3 air_force(const TriangleMaterial& m, Vec3 v, Vec3 normal, Real area) {
  const Real across = dot(normal, v);
  Vec3 f = v * (m.drag * abs(across));
  if (m.lift > Real(0)) {
    const Real sine = clamp(dot(normal, normalize(v)), Real(-1), Real(1));
    f += normal * (m.lift * asin(sine) * dot(v, v));
  }
  return f * -area;
}

// On each particle [N]. pose: inverse of the rest shape, 2 x 2 by rows [1/m].
CAROM_HD Corners<3> triangle_forces(const TriangleMaterial& m, const RealN<4>& pose, const Corners<3>& x,
                                    const Corners<3>& v, Vec3 wind) {
  const Real rest_area = Real(0.5) / fma(pose[0], pose[3], -(pose[1] * pose[2]));
  const auto along_1 = [&](Vec3 a, Vec3 b) CAROM_HD_LAMBDA { return fma(b, pose[2], a * pose[0]); };
  const auto along_2 = [&](Vec3 a, Vec3 b) CAROM_HD_LAMBDA { return fma(b, pose[3], a * pose[1]); };
  const Vec3 x1 = x[1] - x[0], x2 = x[2] - x[0], v1 = v[1] - v[0], v2 = v[2] - v[0];
  const Vec3 F1 = along_1(x1, x2), F2 = along_2(x1, x2), D1 = along_1(v1, v2), D2 = along_2(v1, v2);

  const Vec3 N = cross(F1, F2), n = normalize(N);
  const Real J = length(N);
  const Vec3 dJ1 = cross(F2, n), dJ2 = cross(n, F1);  // dJ/dF
  const Real rate = dot(dJ1, D1) + dot(dJ2, D2);
  const Real by_area = fma(m.ka, J - Real(1) + m.activation, m.kd * rate - m.ke);

  const Real S11 = m.kd * dot(F1, D1), S22 = m.kd * dot(F2, D2), S12 = m.kd * Real(0.5) * (dot(F1, D2) + dot(F2, D1));
  const Vec3 P1 = fma(F1, m.ke + S11, fma(F2, S12, dJ1 * by_area));
  const Vec3 P2 = fma(F2, m.ke + S22, fma(F1, S12, dJ2 * by_area));

  const Vec3 f1 = fma(P2, pose[1], P1 * pose[0]) * -rest_area, f2 = fma(P2, pose[3], P1 * pose[2]) * -rest_area;
  const Vec3 air = air_force(m, (v[0] + v[1] + v[2]) / Real(3) - wind, n, J * rest_area);
  return {{air - (f1 + f2), air + f1, air + f2}};
}

struct TriangleForces {
  const Vec3 *q, *qd;
  const Index3* indices;
  const RealN<4>* poses;
  const RealN<5>* materials;
  const Real* activations;
  Vec3 wind;           // [m/s]
  Vec3* corner_force;  // three of each triangle

  CAROM_HD void operator()(int t) const {
    const RealN<5>& m = materials[t];
    const TriangleMaterial material{m[0], m[1], m[2], m[3], m[4], activations[t]};
    const Index3 at = indices[t];
    write_corners(triangle_forces(material, poses[t], corners_of(q, at), corners_of(qd, at), wind), t, corner_force);
  }
};

}  // namespace carom::inline CAROM_PRECISION
