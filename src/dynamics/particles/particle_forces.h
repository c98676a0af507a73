// ParticleForces: what acts on the particles of a model, and how it moves them. For solvers that step by forces; what
// moves the bodies is theirs.
//
//   elements -> free motion -> which contacts act -> their forces -> motion -> worlds that are lost -> the next state
#pragma once

#include "backend/graph.h"
#include "backend/scan.h"
#include "backend/sort.h"
#include "carom/contacts.h"
#include "carom/model.h"
#include "dynamics/particles/particle_rows.h"

namespace carom::inline CAROM_PRECISION {

struct MovedParticles;

class ParticleForces {
 public:
  explicit ParticleForces(const Model& model);

  bool any() const { return model_.particle_count > 0; }

  // How much memory there is: graphs that were recorded with less of it have gone stale.
  void add_memory(GraphKey& key) const;

  // The forces at a state, over a step of dt [s]. Contacts (nullptr: none) get their soft_contact_force and
  // particle_contact_force. What particles do to bodies is added to body_push, one row a body: force and torque about
  // the centre of mass, world axes [N], [N m].
  void send(const Queue& queue, const State& in, const Control& control, const Contacts* contacts, Real dt,
            const Array<SpatialVector>& body_push);

  // Where they lead: new positions and velocities, which no state has yet. After send(), with the same arguments.
  void send_motion(const Queue& queue, const State& in, const Contacts* contacts, Real dt);
  // Of each world, then of what is global: 1 where a particle would not be finite.
  const Array<int>& is_lost() const { return world_lost_; }
  // The motion becomes part of the next state, which may be the same one; worlds that are frozen stay as they were.
  void send_take(const Queue& queue, const State& in, const State& out, const Array<int>& is_frozen) const;

  // Both at once, for worlds without anything else: those that are lost stay as they were and get kStatusNotFinite.
  void send_move(const Queue& queue, const State& in, const State& out, const Contacts* contacts, Real dt,
                 const Array<std::int32_t>& status);

  // The longest step for which no element can swing up, by an upper estimate of the fastest oscillation at the rest
  // shapes [s]; infinite where there is none. Contacts are stable with every step. Waits for edits of the model alone.
  Real largest_stable_step() const;

 private:
  // Sorted by what they move.
  struct Order {
    Array<std::uint64_t> key;
    Array<int> index;
    SortScratch sort;

    void reserve(std::int64_t room, Device device);
    void send(const Queue& queue, int room, int groups);
    ContactOrder view(int room) const { return {key.data(), index.data(), room}; }
  };

  void send_elements(const Queue& queue, const State& in, const Control& control);
  void send_soft_contacts(const Queue& queue, const State& in, const Contacts& contacts, Real dt);
  void send_touches(const Queue& queue, const State& in, const Contacts& contacts, Real dt);
  MovedParticles particles(const State& in) const;
  BodiesOfContacts bodies(const State& in) const;
  ShapesOfContacts shapes() const;

  Model model_;
  Array<int> corner_start_, corner_;  // of each particle: rows of corner_force_
  Array<Vec3> corner_force_;          // of springs, triangles, edges, tetrahedra
  Array<Vec3> free_qd_, new_q_, new_qd_;
  Array<Real> share_;
  Array<ContactsOfParticle> contacts_of_particle_;
  Array<RowRange> contacts_of_body_;
  Array<int> body_touches_;
  Array<Real> depth_;                          // of soft contacts
  Array<std::uint8_t> soft_acts_, pair_acts_;  // of contacts
  Order by_body_, by_particle1_;
  Array<int> particle_lost_, lost_before_, world_lost_;
  ScanScratch scan_;
  mutable Real stable_step_ = 0;
  mutable std::int64_t stable_generation_ = -1;
};

}  // namespace carom::inline CAROM_PRECISION
