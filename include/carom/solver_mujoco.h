// SolverMuJoCo: MuJoCo's soft contacts, limits and forces in joint coordinates, solved by Newton's method; all worlds
// of a model in one call. Formulas: docs/mujoco_solver.md.
//
// Contacts come from a CollisionPipeline, or from anybody else who fills their arrays. What it does not support yet is
// an Error when the solver is made, with the name of what it cannot do.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "carom/solver.h"
#include "carom/solver_features.h"

namespace carom::inline CAROM_PRECISION {

struct SolverMuJoCoConfig {
  Real tolerance = sizeof(Real) == 4 ? Real(1e-6) : Real(1e-8);  // of gradient and improvement, over the trace of M
  int iterations = 100;
  Real ls_tolerance = Real(0.01);  // of a line search, relative to the tolerance
  int ls_iterations = 50;
  int max_contacts = 32;  // on a GPU: room per world, with and without friction; a CPU takes as many as there are
  int team_size = 0;      // threads per world on a GPU: 1, 8 or 32; 0 = by number, size and rows of the worlds
};

template <class Visit>
void visit_options(SolverMuJoCoConfig& c, Visit&& visit) {
  visit("tolerance", c.tolerance, "of gradient and improvement, over the trace of the mass matrix");
  visit("iterations", c.iterations, "of Newton's method, at most");
  visit("ls_tolerance", c.ls_tolerance, "of a line search, relative to the tolerance");
  visit("ls_iterations", c.ls_iterations, "of a line search, at most");
  visit("max_contacts", c.max_contacts, "on a GPU: room per world, for those with and those without friction each");
  visit("team_size", c.team_size, "threads per world on a GPU: 1, 8 or 32; 0 = by number, size and rows of the worlds");
}

// Kinds of constraint rows.
enum class RowKind : std::int32_t {
  kNone,
  kJointLimit,
  kTendonLimit,
  kJointFriction,
  kTendonFriction,
  kEquality,  // of joints or tendons
  kFrictionless,
  kSliding,
  kTurning,
};
const char* row_kind_name(RowKind kind);  // "joint limit", "tendon limit", "frictionless contact", ...

// The rows of a constraint problem: first those of contacts, then those of joints, tendons and equalities by world,
// which have one direction as contacts without friction do. Contacts with friction have three, along the normal and
// both tangents (linear), and those that resist spinning or rolling six: turning about the same axes, too (angular).
// Minimised is the sum of 1/2 D min(e, 0)^2, where e is the residual of a limit or of a contact without friction, or
// x_n
// +- mu_i x_i of a pyramid's edges; of 1/2 D e^2 for equalities, and the same for dry friction up to its force.
struct ConstraintRows {
  Array<std::int32_t> kind;    // RowKind
  Array<std::int32_t> source;  // number of the contact, the degree of freedom, the tendon or the equality constraint
  Array<Real> D;               // stiffness: 1 / regularisation
  Array<SpatialVector> reference;  // acceleration that the row asks for [m/s^2], [rad/s^2]
  Array<SpatialVector> residual;   // of the solution: J a - reference
  Array<SpatialVector> force;      // [N], [N m]
};

// What a step computes on its way, without moving. Velocities and forces are those of joint_qd, except that a free
// joint's linear velocity is that of its frame's origin.
struct Forward {
  std::vector<std::int64_t> mass_matrix_start;                          // per world, then the total
  std::vector<int> dof_count;                                           // per world
  Array<Real> mass_matrix;                                              // of each world, row by row
  Array<Real> bias, smooth_force, qacc_smooth, qacc, constraint_force;  // per degree of freedom
  Array<Real> actuator_length;  // per actuator, times its gear [m], [rad]; 0 of an orientation, which has three axes
  ConstraintRows rows;          // that act; on the CPU

  Array<Real> world_mass_matrix(int world) const;
};

class SolverMuJoCo {
 public:
  static constexpr const char* kName = "mujoco";
  static constexpr SolverAbilities kAbilities{
      .coordinates = "joints",
      .contacts = "MuJoCo's soft constraints, by `mu`, torsional and rolling friction, `solref`, `solimp`, `condim`",
      .features = {Feature::kDistanceJoints, Feature::kHeldDistanceJoints, Feature::kFreeJointSprings,
                   Feature::kYieldingSprings, Feature::kNonlinearSprings, Feature::kActuators,
                   Feature::kActuatorTargets, Feature::kActuatorLaws, Feature::kActuatorDelays, Feature::kTendons,
                   Feature::kEqualities, Feature::kTendonEqualities, Feature::kGravcomp, Feature::kFluids,
                   Feature::kSleep, Feature::kContactPairs, Feature::kAdhesion, Feature::kSurfaceVelocity}};
  using Config = SolverMuJoCoConfig;

  explicit SolverMuJoCo(const Model& model, const SolverMuJoCoConfig& config = {}, const Queue* queue = nullptr);

  // A step of dt [s] from joint_q and joint_qd; bodies of state_in that were written from outside count, too
  // (Model::align). state_out may be state_in. The contacts push, and get their rigid_contact_force; nullptr: none do.
  // RK4 is another state, and other contacts, four times a step: it takes none here, and Simulation steps it with them.
  // The first step after an edit of the model reads it again; it throws Error when the edit switched on what is not
  // supported.
  void step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts, Real dt);
  // step() in parts, for several steps that a GPU runs as a whole. prepare() checks, notices edits, and adds to the key
  // what the launches depend on beside the contacts. send() does nothing but launch; it takes a state whose sides are
  // in line, and contacts of a pipeline, which may have room for more.
  void prepare(const State& state_in, const State& state_out, const Control& control, Real dt, GraphKey& key);
  void send(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts, Real dt,
            StepOfCall step = {});
  void set_active(std::span<const std::uint8_t> mask);  // see SolverThatLeavesOut
  int stages() const;                                   // of a step, as StepOfCall counts them
  bool sleeps() const;
  // Of a model that sleeps, before contacts are looked for: wakes what was written to.
  void send_wake(const State& state, const Control& control);
  // What a step computes, without moving; the contacts get their forces here, too.
  Forward forward(const State& state, const Control& control, const Contacts* contacts, Real dt);

  // Of the last step or forward.
  const Array<std::int32_t>& status() const;  // per world
  const SolverReports& reports() const;
  const SolverForces& forces() const;  // what sensors of the model ask for; of a step alone

  // Time per stage, summed over all worlds and steps since it was switched on [ticks of a clock of constant rate].
  void time_stages(bool on);
  static const std::vector<const char*>& stage_names();
  std::vector<std::int64_t> stage_ticks() const;

  const SolverMuJoCoConfig& config() const;
  const Model& model() const;
  const Queue& queue() const;  // that runs its steps

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
