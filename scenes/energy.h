// Mechanical energy of bodies: m v^2 / 2 + w I w / 2 - m g p, summed over each world. Springs are not part of it, and
// potential energy is zero at the origin.
#pragma once

#include <vector>

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION::scenes {

// Per world [J], in double precision whatever Real is: the terms are much larger than what is lost or won in a step.
inline std::vector<double> energies(const Model& model, const State& state) {
  std::vector<double> sum(model.world_count, 0.0);
  for (int b = 0; b < model.body_count; ++b) {
    const int world = model.body_world[b];
    if (world < 0) continue;
    const Vec3 com = transform_point(state.body_q[b], model.body_com[b]);
    const SpatialVector V = state.body_qd[b];
    const Vec3 w = rotate_inverse(state.body_q[b].q, V.angular);
    const double mass = model.body_mass[b];
    sum[world] += mass * (0.5 * dot(V.linear, V.linear) - dot(model.gravity[world], com)) +
                  0.5 * dot(w, model.body_inertia[b] * w);
  }
  return sum;
}

}  // namespace carom::inline CAROM_PRECISION::scenes
