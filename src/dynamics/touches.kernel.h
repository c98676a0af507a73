// Islands: parts of a world (parts.h) that contacts tie together, by union and find. An island stands under its first
// part, its root, whatever the order of the contacts.
#pragma once

#include "carom/contacts.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD int root_of_island(int* above, int p) {
  while (above[p] != p) p = above[p] = above[above[p]];
  return p;
}
CAROM_HD void join_islands(int* above, int p, int q) {
  const int a = root_of_island(above, p), b = root_of_island(above, q);
  above[a > b ? a : b] = a > b ? b : a;
}

// Which bodies touch: contacts by world.
struct Touches {
  const int* world_start = nullptr;  // nullptr: there are none
  const int *shape0 = nullptr, *shape1 = nullptr, *shape_body = nullptr;

  CAROM_HD int begin(int world) const { return world_start ? world_start[world] : 0; }
  CAROM_HD int end(int world) const { return world_start ? world_start[world + 1] : 0; }
  CAROM_HD int body(int c, int side) const { return shape_body[side == 0 ? shape0[c] : shape1[c]]; }  // -1: none
};

inline Touches touches_of(const Contacts* contacts, const Array<int>& shape_body) {
  if (!contacts) return {};
  return {contacts->rigid_contact_world_start.data(), contacts->rigid_contact_shape0.data(),
          contacts->rigid_contact_shape1.data(), shape_body.data()};
}

}  // namespace carom::inline CAROM_PRECISION
