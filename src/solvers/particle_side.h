// The particles of a model beside the bodies that a penalty solver moves: what they do to bodies is known before these
// are stepped, and worlds are frozen as a whole, whoever of both stops being finite.
#pragma once

#include "dynamics/particles/particle_forces.h"
#include "model/active_worlds.h"

namespace carom::inline CAROM_PRECISION {

class ParticleSide {
 public:
  explicit ParticleSide(const Model& model);
  bool any() const { return forces_.any(); }

  // Says once on the standard error when springs and cloth may swing up at such a step.
  void warn(const char* solver, Real dt);

  // See ParticleForces.
  void add_memory(GraphKey& key) const { forces_.add_memory(key); }

  // The particles of other worlds stay as they are. They are computed all the same.
  void set_active(const ActiveWorlds& active);

  // Before the bodies: forces, and where they lead.
  // status: of each world, which the step of the bodies writes where there are some.
  void send_forces(const Queue& queue, const State& in, const Control& control, const Contacts* contacts, Real dt,
                   const Array<std::int32_t>& status);
  // Of every body: what particles do to it, about its centre of mass; nullptr: there are none.
  const Real* body_push() const { return any() ? reinterpret_cast<const Real*>(push_.data()) : nullptr; }
  // Of each world: 1 where a particle would not be finite; nullptr: there are none.
  const int* lost() const { return any() ? forces_.is_lost().data() : nullptr; }
  // After the bodies, with the status of their step, to which it adds worlds with lost particles.
  void send_take(const Queue& queue, const State& in, const State& out, const Array<std::int32_t>& status) const;

 private:
  ParticleForces forces_;
  Array<SpatialVector> push_, none_;
  Array<std::int32_t> no_status_;
  Array<int> frozen_, left_out_;
  bool warned_ = false;
};

}  // namespace carom::inline CAROM_PRECISION
