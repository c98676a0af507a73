// A tetrahedron of a soft body: stable neo-Hookean flesh (Smith, de Goes, Kim, "Stable Neo-Hookean Flesh Simulation",
// 2018). With F = [x1 - x0, x2 - x0, x3 - x0] pose, I = |F|^2, J = det F and V = rest volume:
//
//   E = V (k_mu / 2 (I - 3 - log((I + 1) / 4)) - 3 k_mu / 4 (J - 1) + k_lambda / 2 (J - 1 + activation)^2)
//
// which is relaxed at F = 1 and finite where it is turned inside out. Damping goes by the rates of strain alone:
//
//   R = V k_damp / 2 (|S|^2 + (dJ/dt)^2),   S = (F^T dF/dt + dF/dt^T F) / 2
#pragma once

#include "dynamics/particles/corners.h"

namespace carom::inline CAROM_PRECISION {

struct TetrahedronMaterial {
  Real k_mu, k_lambda;  // [Pa]
  Real k_damp;          // [Pa s]
  Real activation;
};

// The columns of [a b c] M.
CAROM_HD Corners<3> columns_times(Vec3 a, Vec3 b, Vec3 c, const Mat33& M) {
  Corners<3> columns;
  for (int k = 0; k < 3; ++k) columns[k] = fma(c, M[2][k], fma(b, M[1][k], a * M[0][k]));
  return columns;
}

// On each particle [N]. pose: inverse of the rest shape [1/m].
CAROM_HD Corners<4> tetrahedron_forces(const TetrahedronMaterial& m, const Mat33& pose, const Corners<4>& x,
                                       const Corners<4>& v) {
  const Real rest_volume = Real(1) / (Real(6) * determinant(pose));
  const Corners<3> F = columns_times(x[1] - x[0], x[2] - x[0], x[3] - x[0], pose);
  const Corners<3> D = columns_times(v[1] - v[0], v[2] - v[0], v[3] - v[0], pose);
  const Corners<3> dJ{{cross(F[1], F[2]), cross(F[2], F[0]), cross(F[0], F[1])}};  // dJ/dF

  const Real I = dot(F[0], F[0]) + dot(F[1], F[1]) + dot(F[2], F[2]), J = dot(F[0], dJ[0]);
  const Real rate = dot(dJ[0], D[0]) + dot(dJ[1], D[1]) + dot(dJ[2], D[2]);
  const Real by_shape = m.k_mu * (I / (I + Real(1)));
  const Real by_volume = fma(m.k_lambda, J - Real(1) + m.activation, fma(m.k_damp, rate, Real(-0.75) * m.k_mu));

  Corners<3> P;
  for (int a = 0; a < 3; ++a) {
    P[a] = fma(F[a], by_shape, dJ[a] * by_volume);
    for (int b = 0; b < 3; ++b) P[a] = fma(F[b], m.k_damp * Real(0.5) * (dot(F[b], D[a]) + dot(F[a], D[b])), P[a]);
  }
  Corners<4> f;
  for (int k = 0; k < 3; ++k) f[k + 1] = fma(P[2], pose[k][2], fma(P[1], pose[k][1], P[0] * pose[k][0])) * -rest_volume;
  f[0] = -(f[1] + f[2] + f[3]);
  return f;
}

struct TetrahedronForces {
  const Vec3 *q, *qd;
  const Index4* indices;
  const Mat33* poses;
  const RealN<3>* materials;
  const Real* activations;
  Vec3* corner_force;  // four of each tetrahedron

  CAROM_HD void operator()(int t) const {
    const TetrahedronMaterial m{materials[t][0], materials[t][1], materials[t][2], activations[t]};
    write_corners(tetrahedron_forces(m, poses[t], corners_of(q, indices[t]), corners_of(qd, indices[t])), t,
                  corner_force);
  }
};

}  // namespace carom::inline CAROM_PRECISION
