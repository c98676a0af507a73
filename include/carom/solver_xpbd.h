// SolverXPBD: extended position-based dynamics with sub-steps. Contacts are hard, with Coulomb friction, torsional and
// rolling friction and, when asked for, restitution; joints hold what they hold. Worlds of thousands of bodies cost
// what their contacts cost. Formulas: docs/solvers.md.
//
// It begins its search with the forces of the last step, in worlds whose state is just as that step left it.
//
// What it does not support is an Error when the solver is made, with the name of what it cannot do.
#pragma once

#include <memory>

#include "carom/solver.h"
#include "carom/solver_features.h"

namespace carom::inline CAROM_PRECISION {

struct SolverXPBDConfig {
  int iterations = 1;  // sweeps over joints and contacts in a sub-step
  int substeps = 4;    // of a step
  bool enable_restitution = false;
  Real contact_frequency = 1000;  // of the spring that takes overlaps away [Hz]; the sub-steps bound it
  Real contact_damping = 1;       // its damping ratio
  Real push_speed = Real(0.25);   // at which overlaps are pushed out, at most [m/s]
  Real overlap = Real(1e-4);      // that is left alone [m]
  Real angular_damping = 0;       // of every body [1/s]
  int max_contacts = 32;          // on a GPU: room per world, asleep ones too; a CPU takes as many as there are
};

template <class Visit>
void visit_options(SolverXPBDConfig& c, Visit&& visit) {
  visit("iterations", c.iterations, "sweeps over joints and contacts in a sub-step");
  visit("substeps", c.substeps, "sub-steps of a step");
  visit("enable_restitution", c.enable_restitution, "contacts bounce by shape_material_restitution");
  visit("contact_frequency", c.contact_frequency, "of the spring that takes overlaps away [Hz]");
  visit("contact_damping", c.contact_damping, "its damping ratio");
  visit("push_speed", c.push_speed, "at which overlaps are pushed out, at most [m/s]");
  visit("overlap", c.overlap, "that is left alone [m]");
  visit("angular_damping", c.angular_damping, "of every body [1/s]");
  visit("max_contacts", c.max_contacts, "on a GPU: room per world, asleep ones too; a CPU takes as many as there are");
}

class SolverXPBD {
 public:
  using Config = SolverXPBDConfig;
  static constexpr const char* kName = "xpbd";
  static constexpr SolverAbilities kAbilities{
      .coordinates = "bodies; joints hold by impulses",
      .contacts = "hard, with `mu`, `torsional_friction`, `rolling_friction`, `restitution`",
      .features = {Feature::kDistanceJoints, Feature::kTurningEffortLimits, Feature::kUnevenTurning,
                   Feature::kActuators, Feature::kEqualities, Feature::kSleep, Feature::kParticles}};

  // The queue must outlive the solver; without one it is the default queue of the model's device.
  explicit SolverXPBD(const Model& model, const SolverXPBDConfig& config = {}, const Queue* queue = nullptr);

  // From state_in to state_out, which may be one, by dt [s]. contacts: that push, and get their forces; nullptr: none.
  void step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts, Real dt);

  // See SolverThatSends.
  void prepare(const State& state_in, const State& state_out, const Control& control, Real dt, GraphKey& key);
  void send(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts, Real dt,
            StepOfCall step);

  void set_active(std::span<const std::uint8_t> mask);  // see SolverThatLeavesOut

  // Of a model that sleeps; send_wake(), before contacts are looked for, wakes what was written to.
  bool sleeps() const;
  void send_wake(const State& state, const Control& control);

  // See SolverThatRemembers.
  std::shared_ptr<const void> remember() const;
  void recall(const std::shared_ptr<const void>& memory);

  const Array<std::int32_t>& status() const;
  const SolverReports& reports() const;
  const SolverForces& forces() const;  // what sensors of the model ask for
  const SolverXPBDConfig& config() const;
  const Model& model() const;
  const Queue& queue() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
