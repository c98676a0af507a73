// Two triangles (o0, v1, v2) and (o1, v2, v1) that are hinged at the edge v1-v2, at the angle theta between their
// normals:
//
//   E = ke l / 2 (theta - rest)^2,   R = kd l / 2 (dtheta/dt)^2,   l = rest length of the edge
//
// The gradient of theta is that of Bridson, Marino and Fedkiw ("Simulation of Clothing with Folds and Wrinkles", 2003).
#pragma once

#include "carom/math/trig.h"
#include "dynamics/particles/corners.h"

namespace carom::inline CAROM_PRECISION {

struct BendingMaterial {
  Real rest;    // [rad]
  Real length;  // of the edge at rest [m]
  Real ke;      // [N/rad]
  Real kd;      // [N s/rad]
};

struct DihedralAngle {
  Real theta;           // [rad]
  Corners<4> gradient;  // [rad/m]; zero where a triangle is flat
};

// Corners: o0, o1, v1, v2.
CAROM_HD DihedralAngle dihedral_angle(const Corners<4>& x) {
  const Vec3 edge = x[3] - x[2], axis = normalize(edge);
  const Vec3 N0 = cross(x[2] - x[0], x[3] - x[0]), N1 = cross(x[3] - x[1], x[2] - x[1]);
  const Real e2 = dot(edge, edge), n0 = dot(N0, N0), n1 = dot(N1, N1);
  constexpr Real kFlat = Real(1e-12);  // square of height over length
  if (!(min(n0, n1) > kFlat * e2 * e2)) return {};
  const Vec3 u0 = N0 / n0, u1 = N1 / n1;
  const Real e = sqrt(e2);
  DihedralAngle d;
  d.theta = atan2(dot(cross(N0, N1), axis), dot(N0, N1));
  d.gradient[0] = u0 * -e;
  d.gradient[1] = u1 * -e;
  d.gradient[2] = u0 * dot(x[3] - x[0], axis) + u1 * dot(x[3] - x[1], axis);
  d.gradient[3] = u0 * dot(x[0] - x[2], axis) + u1 * dot(x[1] - x[2], axis);
  return d;
}

// By which an angle differs from another one, the short way round.
CAROM_HD Real angle_between(Real from, Real to) {
  constexpr Real kPi = Real(3.14159265358979323846);
  const Real a = to - from;
  return a > kPi ? a - 2 * kPi : a < -kPi ? a + 2 * kPi : a;
}

// On each particle [N].
CAROM_HD Corners<4> bending_forces(const BendingMaterial& m, const Corners<4>& x, const Corners<4>& v) {
  const DihedralAngle d = dihedral_angle(x);
  Real rate = 0;
  for (int k = 0; k < 4; ++k) rate += dot(d.gradient[k], v[k]);
  const Real f = -m.length * fma(m.ke, angle_between(m.rest, d.theta), m.kd * rate);
  Corners<4> force;
  for (int k = 0; k < 4; ++k) force[k] = d.gradient[k] * f;
  return force;
}

struct BendingForces {
  const Vec3 *q, *qd;
  const Index4* indices;
  const Real *rest_angle, *rest_length;
  const RealN<2>* properties;
  Vec3* corner_force;  // four of each edge

  CAROM_HD void operator()(int e) const {
    const BendingMaterial m{rest_angle[e], rest_length[e], properties[e][0], properties[e][1]};
    write_corners(bending_forces(m, corners_of(q, indices[e]), corners_of(qd, indices[e])), e, corner_force);
  }
};

}  // namespace carom::inline CAROM_PRECISION
