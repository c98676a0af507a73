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
  SoftPhase(const Model& model, bool particle_contacts);

  // Puts the contacts of all worlds into `contacts` and adds kStatusNotFinite to the status of worlds with particles
  // that are not. The arrays of the call before keep their values.
  void find(const Queue& queue, const Particles& particles, const SoftShapes& shapes, Real margin, std::int32_t* status,
            Contacts& contacts);

 private:
  int find_shape_contacts(const Queue& queue, const Particles& particles, const SoftShapes& shapes, Real margin);
  void put_into(Contacts& contacts, int shape_contacts, int particle_contacts) const;

  int segment_count_;
  bool particle_contacts_;
  ParticlePatches patches_;
  PairRows near_patches_, near_particles_;
  Array<SoftPoint> point_;
  Array<int> is_contact_, contact_start_;
  ScanScratch scan_;
  ParticlePairs particle_pairs_;
  ShapeRoom shape_room_, former_shape_room_;
  PairRoom particle_room_, former_particle_room_;
};

}  // namespace carom::inline CAROM_PRECISION
