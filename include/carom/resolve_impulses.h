// The impulses of all contacts of a model at once: bodies that touch and approach each other bounce.
//
// All contacts of a world are solved together (carom/impulse/impact.h), with the restitution and friction of their
// shapes. Bodies are free, kinematic (their velocity is given, nothing moves them) or static; joints that tie bodies to
// each other are the work of a solver.
#pragma once

#include <memory>

#include "carom/contacts.h"
#include "carom/impulse/impact.h"
#include "carom/model.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

struct ImpulseConfig {
  Real tangential_restitution = 0;  // -1 .. 1: of the slip, where a contact sticks
  Real restitution_threshold = 0;   // [m/s], below this approach speed restitution fades linearly to 0
  CombineRule restitution_rule = CombineRule::kAverage;
  CombineRule friction_rule = CombineRule::kAverage;
  Real least_depth = 0;                                // contacts that are less deep get no impulse [m]
  int max_iterations = ImpactConfig{}.max_iterations;  // sweeps over the contacts of a world
  Real tolerance = ImpactConfig{}.tolerance;  // largest change of a velocity, relative to those at the contacts
};

class ImpulseResolver {
 public:
  // Throws Error when a joint other than a free one, or one that fixes a body to the world, moves a body. The queue
  // runs what resolve() sends; that of the model's device by default.
  explicit ImpulseResolver(const Model& model, const ImpulseConfig& config = {}, const Queue* queue = nullptr);

  // The impulse of each contact on shape 1, world frame [N s]; shape 0 gets its negative. state_out becomes state_in
  // with the velocities after the impact, in body_qd and joint_qd; it may be the same state. What they changed is added
  // to body_jump, so that accelerometers feel it. The contacts are those of state_in. The result belongs to the
  // resolver: the next call writes over it. Allocates nothing once it has met contacts with as much room.
  const Array<Vec3>& resolve(const State& state_in, const State& state_out, const Contacts& contacts);

  // StatusBit bits per world, then of the globals, of the last call: not converged, not finite.
  const Array<std::int32_t>& status() const;

  const ImpulseConfig& config() const;
  const Model& model() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

// The same once: a resolver that is made for one call.
Array<Vec3> resolve_impulses(const Model& model, const State& state_in, const State& state_out,
                             const Contacts& contacts, const ImpulseConfig& config = {}, const Queue* queue = nullptr);

}  // namespace carom::inline CAROM_PRECISION
