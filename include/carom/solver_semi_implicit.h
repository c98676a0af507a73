// SolverSemiImplicit: bodies that move on their own, joints as springs between them, and contacts by the material of
// the shapes: ke, kd, kf, ka, mu, torsional and rolling friction. Formulas: docs/solvers.md.
//
// What it does not support is an Error when the solver is made, with the name of what it cannot do.
#pragma once

#include <memory>

#include "carom/solver.h"
#include "carom/solver_features.h"

namespace carom::inline CAROM_PRECISION {

struct SolverSemiImplicitConfig {
  int iterations = 100;  // sweeps over the contacts of a world, at most
  // Sweeps end when one changes the velocities of contacts by less, all together [m/s], [rad/s]; above 1, by this
  // share.
  Real tolerance = sizeof(Real) == 4 ? Real(1e-5) : Real(1e-6);
  int max_contacts = 32;             // on a GPU: room per world; a CPU takes as many as there are
  Real joint_attach_ke = Real(1e6);  // of what holds a joint [N/m], [N m/rad]
  Real joint_attach_kd = Real(1e3);  // of it [N s/m], [N m s/rad]
  Real angular_damping = 0;          // of every body [1/s]
};

template <class Visit>
void visit_options(SolverSemiImplicitConfig& c, Visit&& visit) {
  visit("iterations", c.iterations, "sweeps over the contacts of a world, at most");
  visit("tolerance", c.tolerance,
        "they end when one changes the velocities of contacts by less; above 1 m/s, by this share");
  visit("max_contacts", c.max_contacts, "on a GPU: room per world; a CPU takes as many as there are");
  visit("joint_attach_ke", c.joint_attach_ke, "stiffness of what holds a joint [N/m], [N m/rad]");
  visit("joint_attach_kd", c.joint_attach_kd, "damping of it [N s/m], [N m s/rad]");
  visit("angular_damping", c.angular_damping, "of every body [1/s]");
}

class SolverSemiImplicit {
 public:
  using Config = SolverSemiImplicitConfig;
  static constexpr const char* kName = "semi_implicit";
  static constexpr SolverAbilities kAbilities{
      .coordinates = "bodies; joints are springs, taken at the end of the step",
      .contacts = "soft, by `ke`, `kd`, `kf`, `ka`, `mu`, `torsional_friction`, `rolling_friction`",
      .features = {Feature::kDistanceJoints, Feature::kTurningEffortLimits, Feature::kUnevenTurning,
                   Feature::kActuators, Feature::kEqualities, Feature::kParticles}};

  // The queue must outlive the solver; without one it is the default queue of the model's device.
  explicit SolverSemiImplicit(const Model& model, const SolverSemiImplicitConfig& config = {},
                              const Queue* queue = nullptr);

  // From state_in to state_out, which may be one, by dt [s]. contacts: that push, and get their forces; nullptr: none.
  void step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts, Real dt);

  // See SolverThatSends.
  void prepare(const State& state_in, const State& state_out, const Control& control, Real dt, GraphKey& key);
  void send(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts, Real dt,
            StepOfCall step);

  void set_active(std::span<const std::uint8_t> mask);  // see SolverThatLeavesOut
  const Array<std::int32_t>& status() const;
  const SolverReports& reports() const;
  const SolverForces& forces() const;  // what sensors of the model ask for
  const SolverSemiImplicitConfig& config() const;
  const Model& model() const;
  const Queue& queue() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
