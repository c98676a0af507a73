// The motion of particles by symplectic Euler: v += dt (g + f / m), q += dt v, with f the sum of what acts on a
// particle in a fixed order: particle_f, its elements, its contacts. What has no mass or is not active stays.
#pragma once

#include "dynamics/particles/particle_rows.h"

namespace carom::inline CAROM_PRECISION {

struct MovedParticles {
  const Vec3 *q, *qd, *f;
  const Real* mass;
  const int *flags, *world;
  int count, world_count;

  CAROM_HD bool moves(int i) const { return (flags[i] & kParticleActive) != 0 && mass[i] > Real(0); }
  CAROM_HD int slot(int i) const { return world_slot(world[i], world_count); }
};

// Velocities at the end of the step if nothing touched anything, and the contacts of each particle.
struct FreeMotion {
  MovedParticles particles;
  const int *corner_start, *corner;  // of each particle: rows of corner_force
  const Vec3* corner_force;
  const Vec3* gravity;  // of each slot [m/s^2]
  Real dt;
  Vec3* free_qd;

  CAROM_HD void operator()(int i) const {
    free_qd[i] = particles.qd[i];
    if (!particles.moves(i)) return;
    Vec3 f = particles.f[i];
    for (int k = corner_start[i]; k < corner_start[i + 1]; ++k) f += corner_force[corner[k]];
    free_qd[i] = fma(fma(f, Real(1) / particles.mass[i], gravity[particles.slot(i)]), dt, free_qd[i]);
  }
};

// The contacts of each particle, and the share of its mass that each of those that act has (touch.kernel.h).
struct FindTouches {
  MovedParticles particles;
  SoftContactView soft;
  const int* shape_world;
  ParticleContactView pairs;
  ContactOrder order;  // of pairs, by particle 1
  const std::uint8_t *soft_acts, *pair_acts;
  ContactsOfParticle* contacts;
  Real* share;  // [1/kg]

  CAROM_HD void operator()(int i) const {
    const int slot = particles.slot(i);
    ContactsOfParticle c;
    if (soft.count) c.soft = rows_of(soft.particle, soft.world_start[slot], soft.world_start[slot + 1], i);
    if (pairs.count) {
      c.first = rows_of(pairs.particle0, pairs.world_start[slot], pairs.world_start[slot + 1], i);
      c.second = rows_of(order.key, 0, order.room, static_cast<std::uint64_t>(i));
    }
    contacts[i] = c;
    int touches = 0;
    for (int k = c.soft.begin; k < c.soft.end; ++k)
      touches += soft_acts[k] != 0 && is_moved_by(particles.world[i], shape_world[soft.shape[k]]);
    for (int k = c.first.begin; k < c.first.end; ++k) touches += pair_acts[k];
    for (int k = c.second.begin; k < c.second.end; ++k) touches += pair_acts[order.index[k]];
    share[i] = particles.moves(i) ? Real(touches) / particles.mass[i] : Real(0);
  }
};

// Where particles come to; nothing of a state changes yet.
struct MoveParticles {
  MovedParticles particles;
  SoftContactView soft;
  const int* shape_world;
  ParticleContactView pairs;
  ContactOrder order;
  const ContactsOfParticle* contacts;  // nullptr: there are none
  const Vec3* free_qd;
  Real dt;
  Vec3 *new_q, *new_qd;
  int* is_lost;  // 1: not finite

  CAROM_HD void operator()(int i) const {
    Vec3 q = particles.q[i], qd = particles.qd[i];
    if (particles.moves(i)) {
      const Vec3 f = contacts ? sum_of_contacts(i) : Vec3{};
      qd = fma(f, dt / particles.mass[i], free_qd[i]);
      q = fma(qd, dt, q);
    }
    new_q[i] = q;
    new_qd[i] = qd;
    is_lost[i] = !(is_finite(q) && is_finite(qd));
  }

 private:
  CAROM_HD Vec3 sum_of_contacts(int i) const {
    const ContactsOfParticle c = contacts[i];
    Vec3 f{};
    for (int k = c.soft.begin; k < c.soft.end; ++k)
      if (is_moved_by(particles.world[i], shape_world[soft.shape[k]])) f += soft.force[k];
    for (int k = c.first.begin; k < c.first.end; ++k) f -= pairs.force[k];
    for (int k = c.second.begin; k < c.second.end; ++k) f += pairs.force[order.index[k]];
    return f;
  }
};

// Worlds of which a particle is lost, from the running sum of the marks.
struct FindLostWorlds {
  const int* world_start;  // of particles
  const int* lost_before;  // of each particle, one more than particles
  int world_count, particle_count;
  int* is_lost;  // of each slot

  CAROM_HD void operator()(int slot) const {
    const auto any = [&](int begin, int end) CAROM_HD_LAMBDA { return lost_before[begin] < lost_before[end]; };
    if (slot < world_count) {
      is_lost[slot] = any(world_start[slot], world_start[slot + 1]);
    } else {
      const int front = world_count > 0 ? world_start[0] : 0;
      is_lost[slot] = any(0, front) || any(world_start[world_count], particle_count);
    }
  }
};

struct MarkLostWorlds {
  const int* is_lost;
  std::int32_t* status;
  const int* left_out = nullptr;  // of each slot: whether the world takes no part; nullptr: all do

  CAROM_HD void operator()(int slot) const {
    if (is_lost[slot] && !(left_out && left_out[slot])) status[slot] |= kStatusNotFinite;
  }
};

// Into the next state, which may be the one before.
struct TakeMotion {
  MovedParticles particles;
  const Vec3 *new_q, *new_qd;
  const int* is_frozen;  // of each slot: the world stays as it was
  Vec3 *q, *qd;

  CAROM_HD void operator()(int i) const {
    const bool frozen = is_frozen[particles.slot(i)] != 0;
    q[i] = frozen ? particles.q[i] : new_q[i];
    qd[i] = frozen ? particles.qd[i] : new_qd[i];
  }
};

// Worlds that stay as they were, since a particle is lost or a body: of each world, then of what is global. A model
// without worlds has one status, which is that of the globals.
struct JoinFrozen {
  const int* lost;
  const std::int32_t* status;
  int worlds;
  int* frozen;
  const int* left_out = nullptr;  // as above

  CAROM_HD void operator()(int world) const {
    const bool has_status = world < worlds || worlds == 0;
    frozen[world] =
        lost[world] || (has_status && (status[world] & kStatusNotFinite) != 0) || (left_out && left_out[world]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
