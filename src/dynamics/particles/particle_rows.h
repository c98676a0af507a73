// Where the rows of particles stand: worlds, the corners of elements at a particle, its contacts.
#pragma once

#include "dynamics/particles/particle_contact.kernel.h"
#include "dynamics/particles/soft_contact.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The slots of arrays over worlds: each world, then what is global.
CAROM_HD int world_slot(int world, int world_count) { return world < 0 ? world_count : world; }

// First of the ascending rows [begin, end) that is not below `value`.
template <class T>
CAROM_HD int lower_bound(const T* rows, int begin, int end, T value) {
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (rows[middle] < value) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

struct RowRange {
  int begin = 0, end = 0;
};

template <class T>
CAROM_HD RowRange rows_of(const T* rows, int begin, int end, T value) {
  const int first = lower_bound(rows, begin, end, value);
  return {first, lower_bound(rows, first, end, static_cast<T>(value + 1))};
}

// The contacts that move a particle: with shapes, as particle 0 of a pair, and as particle 1, which `order` finds.
struct ContactsOfParticle {
  RowRange soft, first, second;
};

// Contacts in the order of what they move: rows of `index` with ascending keys.
struct ContactOrder {
  const std::uint64_t* key;
  const int* index;
  int room;
};

}  // namespace carom::inline CAROM_PRECISION
