// What particles do to bodies: the sums of the forces of soft contacts, in the order of the contacts.
#pragma once

#include "dynamics/particles/particle_rows.h"

namespace carom::inline CAROM_PRECISION {

// The contacts of each body, and how many of them act.
struct CountBodyTouches {
  ContactOrder order;  // by body
  const std::uint8_t* acts;
  RowRange* contacts;
  int* touches;

  CAROM_HD void operator()(int b) const {
    const RowRange rows = rows_of(order.key, 0, order.room, static_cast<std::uint64_t>(b));
    int n = 0;
    for (int k = rows.begin; k < rows.end; ++k) n += acts[order.index[k]];
    contacts[b] = rows;
    touches[b] = n;
  }
};

struct PushBodies {
  SoftContactView soft;
  ContactOrder order;
  const RowRange* contacts;
  BodiesOfContacts bodies;
  SpatialVector* push;  // force and torque about the centre of mass, world axes [N], [N m]; added to

  CAROM_HD void operator()(int b) const {
    SpatialVector sum{};
    for (int k = contacts[b].begin; k < contacts[b].end; ++k) {
      const int c = order.index[k];
      const Vec3 f = -soft.force[c];
      sum.linear += f;
      sum.angular += cross(rotate(bodies.q[b].q, soft.body_pos[c] - bodies.com[b]), f);
    }
    push[b] = push[b] + sum;
  }
};

}  // namespace carom::inline CAROM_PRECISION
