// Worlds of several kinds with all that particles do: cloths, soft bodies, loose ones, contacts with bodies and the
// ground and among themselves.
#pragma once

#include "carom/carom.h"

namespace carom {

// A sheet with springs above a ball that is a body, a soft cube on the ground and a heap of loose particles.
inline ModelBuilder world_of_particles(int kind) {
  ModelBuilder builder;
  builder.add_shape_plane(-1);
  const int ball = builder.add_body({.xform = {{0, 0, Real(0.3)}, {}}});
  builder.add_shape_sphere(ball, Real(0.25));
  if (kind % 2 == 0)
    builder.add_cloth_grid({.pos = {Real(-0.2), Real(-0.2), Real(0.6)},
                            .dim_x = 4,
                            .dim_y = 3 + kind % 3,
                            .mass = Real(0.02),
                            .tri = TriangleConfig{.ke = 40, .ka = 40, .kd = Real(0.1), .drag = 1, .lift = 1},
                            .edge = EdgeConfig{.ke = Real(0.01)},
                            .add_springs = true,
                            .particle_radius = Real(0.03)});
  if (kind % 3 == 0)
    builder.add_soft_grid(
        {.pos = {1, 0, Real(0.02)}, .density = 200, .tet = {.k_damp = 1}, .particle_radius = Real(0.03)});
  for (int i = 0; i < 6; ++i)
    builder.add_particle({Real(-1), Real(0.01) * Real(i), Real(0.1) + Real(0.07) * Real(i)}, {}, Real(0.1), Real(0.04));
  return builder;
}

inline ModelBuilder worlds_of_particles(int count, int first = 0) {
  ModelBuilder builder;
  for (int i = 0; i < count; ++i) builder.add_world(world_of_particles(first + i));
  return builder;
}

}  // namespace carom
