// ParticleProjection: the particles of a model beside the bodies that SolverXPBD moves, by extended position-based
// dynamics (project_particles.kernel.h). What they do to bodies is known before these are stepped: during the step
// particles see them go on with the velocities of the state. Worlds are frozen as a whole, whoever of both stops being
// finite.
//
//   send_forces() -> the bodies' step, with body_push() and lost() -> send_take()
#pragma once

#include "backend/graph.h"
#include "backend/sort.h"
#include "carom/contacts.h"
#include "dynamics/particles/particle_rows.h"
#include "model/active_worlds.h"
#include "solvers/xpbd/particle_structure.h"

namespace carom::inline CAROM_PRECISION {

struct ParticleProjectionConfig {
  int substeps = 1;
  int iterations = 2;  // over all elements and contacts, in each sub-step
  bool enable_restitution = false;
};

struct ProjectParticles;

class ParticleProjection {
 public:
  explicit ParticleProjection(const Model& model, const ParticleProjectionConfig& config = {});
  bool any() const { return model_.particle_count > 0; }

  // How much memory there is: graphs that were recorded with less of it have gone stale.
  void add_memory(GraphKey& key) const;

  // The particles of other worlds stay as they are.
  void set_active(const ActiveWorlds& active);

  // Before the bodies: where particles come to in dt [s], which no state has yet. Contacts (nullptr: none) get the
  // means of their soft_contact_force and particle_contact_force over the step.
  // status: of each world, which the step of the bodies writes where there are some.
  void send_forces(const Queue& queue, const State& in, const Control& control, const Contacts* contacts, Real dt,
                   const Array<std::int32_t>& status);
  // Of every body: what particles do to it, force and torque about its centre of mass, the mean over the step, world
  // axes [N], [N m]; nullptr: there are none.
  const Real* body_push() const { return any() ? reinterpret_cast<const Real*>(push_.data()) : nullptr; }
  // Of each world, then of what is global: 1 where a particle would not be finite; nullptr: there are none.
  const int* lost() const { return any() ? lost_.data() : nullptr; }
  // After the bodies, with the status of their step, to which it adds worlds with lost particles.
  void send_take(const Queue& queue, const State& in, const State& out, const Array<std::int32_t>& status) const;

  // What send_forces() launches over all slots, the worlds and what is global, but for its memory, and how much of that
  // all slots together need [bytes]. For tests of its teams.
  ProjectParticles kernel(const State& in, const Control& control, const Contacts* contacts, Real dt);
  std::int64_t memory_bytes(const Contacts* contacts) const;

 private:
  void send_meet_bodies(const Queue& queue, const State& in, const Contacts& contacts, Real dt);
  void send_project(const Queue& queue, ProjectParticles& kernel, const Contacts* contacts);
  bool pushes_bodies(const Contacts* contacts) const;
  const int* left_out() const { return left_out_.empty() ? nullptr : left_out_.data(); }

  Model model_;
  ParticleProjectionConfig config_;
  ParticleStructures structures_;
  int ghosts_from_ = 0;                    // worlds, if there are global particles
  std::vector<std::int64_t> fixed_bytes_;  // of each slot: memory without that of its contacts
  Array<std::int64_t> memory_start_;
  std::int64_t all_fixed_bytes_ = 0;
  Array<char> memory_;  // on a GPU
  Array<SpatialVector> push_, none_;
  Array<std::int32_t> no_status_;
  Array<Vec3> new_q_, new_qd_;
  Array<int> lost_, frozen_, left_out_;
  // Soft contacts, sorted by the body that they push.
  Array<std::uint64_t> body_key_;
  Array<int> body_index_, body_touches_;
  Array<std::uint8_t> acts_;
  Array<RowRange> contacts_of_body_;
  SortScratch sort_;
};

}  // namespace carom::inline CAROM_PRECISION
