// Which body each contact of a particle pushes, and whether it may act in a step. Who counts one too many moves a body
// a little less; who misses one moves it too far.
#pragma once

#include "dynamics/particles/soft_contact.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct MeetPushedBodies {
  SoftContactView contacts;
  ShapesOfContacts shapes;
  BodiesOfContacts bodies;
  const Vec3 *q, *qd;
  const Real* radius;
  const int* particle_world;
  const Vec3* gravity;  // of each world, then of what is global [m/s^2]
  int body_count, world_count;
  Real dt;
  std::uint8_t* acts;
  std::uint64_t* body_key;  // body_count: it pushes none
  int* index;

  CAROM_HD void operator()(int c) const {
    index[c] = c;
    acts[c] = 0;
    body_key[c] = static_cast<std::uint64_t>(body_count);
    if (c >= contacts.size()) return;
    const int i = contacts.particle[c], s = contacts.shape[c], b = shapes.body[s], world = particle_world[i];
    if (b < 0 || !is_moved_by(bodies.world[b], world)) return;
    const BodyPoint at = body_point(bodies, b, contacts.body_pos[c]);
    const Vec3 n = contacts.normal[c], g = gravity[world < 0 ? world_count : world];
    const Real gap = dot(n, q[i] - at.p) - (radius[i] + shapes.thickness[s]);
    const Real speed = abs(dot(n, qd[i] - at.v)) + Real(2) * dt * length(g);
    acts[c] = gap < speed * dt;
    body_key[c] = static_cast<std::uint64_t>(b);
  }
};

}  // namespace carom::inline CAROM_PRECISION
