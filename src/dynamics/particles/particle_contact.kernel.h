// Particles among themselves: the material of both is that of ModelOptions::particle_*.
#pragma once

#include "carom/config.h"
#include "dynamics/particles/touch.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Contacts as the pipeline left them, with room for more.
struct ParticleContactView {
  const int *count, *world_start;  // nullptr: there are none
  const int *particle0, *particle1;
  Vec3* force;  // on particle 1

  CAROM_HD int size() const { return count ? *count : 0; }
};

CAROM_HD ContactLaw<Real> law_of_particles(const ModelOptions& o) {
  return point_law(o.particle_ke, o.particle_kd, o.particle_kf, o.particle_cohesion, o.particle_mu);
}

struct ParticlePair {
  Vec3 normal;  // from particle 0 to particle 1
  Real depth;   // [m]
};

CAROM_HD ParticlePair particle_pair(Vec3 q0, Vec3 q1, Real radius0, Real radius1) {
  const Vec3 apart = q1 - q0;
  const Real distance = length(apart);
  return {distance > Real(0) ? apart / distance : Vec3{0, 0, 1}, radius0 + radius1 - distance};
}

// Which contacts act, and which particle 1 each one moves: a particle of a world does not move a global one.
struct MeetParticles {
  ParticleContactView contacts;
  ModelOptions options;
  const Vec3 *q, *free_qd;
  const Real* radius;
  const int* particle_world;
  int particle_count;
  Real dt;
  std::uint8_t* acts;
  std::uint64_t* key;  // particle 1; particle_count: it moves none
  int* index;

  CAROM_HD void operator()(int c) const {
    index[c] = c;
    key[c] = static_cast<std::uint64_t>(particle_count);
    if (c >= contacts.size()) return;
    const int a = contacts.particle0[c], b = contacts.particle1[c];
    const ParticlePair pair = particle_pair(q[a], q[b], radius[a], radius[b]);
    acts[c] = will_touch(law_of_particles(options), pair.depth, pair.normal, free_qd[b] - free_qd[a], dt);
    if (is_moved_by(particle_world[b], particle_world[a])) key[c] = static_cast<std::uint64_t>(b);
  }
};

struct ParticleContactForces {
  ParticleContactView contacts;
  ModelOptions options;
  const Vec3 *q, *free_qd;
  const Real* radius;
  const int* particle_world;
  const std::uint8_t* acts;
  const Real* share;  // inverse mass of what a touch has of a particle [1/kg]
  Real dt;

  CAROM_HD void operator()(int c) const {
    if (c >= contacts.size()) return;
    contacts.force[c] = {};
    if (!acts[c]) return;
    const int a = contacts.particle0[c], b = contacts.particle1[c];
    const ParticlePair pair = particle_pair(q[a], q[b], radius[a], radius[b]);
    const Real w = (is_moved_by(particle_world[a], particle_world[b]) ? share[a] : Real(0)) +
                   (is_moved_by(particle_world[b], particle_world[a]) ? share[b] : Real(0));
    contacts.force[c] =
        touch_force(law_of_particles(options), pair.depth, pair.normal, free_qd[b] - free_qd[a], w, w, dt);
  }
};

}  // namespace carom::inline CAROM_PRECISION
