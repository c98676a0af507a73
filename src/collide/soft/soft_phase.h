// SoftPhase: contacts of particles with shapes and, if wanted, among themselves.
//
//   patches -> pairs of patches and shapes -> pairs of particles and shapes -> points -> Contacts
#pragma once

#include "carom/contacts.h"
#include "collide/soft/particle_pairs.h"
#include "collide/soft/patches.h"
#include "collide/soft/soft_points.kernel.h"

namespace carom::inline CAROM_PRECISION {

class SoftPhase {
 public:
  SoftPhase(const Model& model, const ActiveWorlds& active, bool particle_contacts, Rooms& rooms);

  // Finds the contacts of all worlds and adds kStatusNotFinite to the status of worlds with particles that are not.
  // There are two sets of arrays, 0 and 1, to write them to.
  void find(const Queue& queue, const Particles& particles, const SoftShapes& shapes, Real margin, std::int32_t* status,
            int set);
  // The contacts of a set: those that were sent, with room for more, or once the rooms are settled those there are.
  void put_into(Contacts& contacts, int set, bool settled) const;

 private:
  void find_shape_contacts(const Queue& queue, const Particles& particles, const SoftShapes& shapes, Real margin,
                           ShapeRoom& room);

  int segment_count_;
  int with_shapes_sent_ = 0, among_sent_ = 0;  // room for contacts that were sent
  bool particle_contacts_;
  ParticlePatches patches_;
  PairRows near_patches_, near_particles_;
  Array<SoftPoint> point_;
  Array<int> is_contact_, contact_start_;
  Room contacts_;
  ParticlePairs particle_pairs_;
  ShapeRoom shape_room_[2];
  PairRoom particle_room_[2];
};

}  // namespace carom::inline CAROM_PRECISION
