// ParticlePairs: contacts of particles among themselves, by a grid (see particle_grid.kernel.h).
#pragma once

#include "backend/sort.h"
#include "collide/soft/contact_room.h"
#include "collide/soft/pair_rows.h"
#include "collide/soft/particles.h"

namespace carom::inline CAROM_PRECISION {

class ParticlePairs {
 public:
  explicit ParticlePairs(Rooms& rooms) : rows_(rooms, "pairs of particles are near each other") {}

  // Writes the contacts to the room and returns how many there are.
  Count find(const Queue& queue, const Particles& particles, Real margin, PairRoom& room);
  int size() const { return rows_.size(); }  // contacts, once the rooms are settled

 private:
  const Real* largest_radius(const Queue& queue, const Particles& particles);
  const int* sort_pairs(const Queue& queue, const Particles& particles, Count pairs);

  Array<Real> largest_;
  Array<std::uint64_t> key_, pair_key_;
  Array<int> particle_, pair_index_;
  SortScratch sort_;
  PairRows rows_;
};

}  // namespace carom::inline CAROM_PRECISION
