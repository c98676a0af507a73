// What a step of MuJoCo's model is made from: structure, numbers and arrays of the parts of one archetype, and the
// memory that one part, or W of them, is stepped in.
#pragma once

#include "backend/launch.h"
#include "backend/world_lanes.h"
#include "dynamics/bias_rates.kernel.h"
#include "solvers/mujoco/discrete.kernel.h"
#include "solvers/mujoco/fluid.kernel.h"
#include "solvers/mujoco/force_view.h"
#include "solvers/mujoco/newton.kernel.h"
#include "solvers/mujoco/no_slip.kernel.h"
#include "solvers/mujoco/part_layout.h"
#include "solvers/mujoco/row_space.kernel.h"
#include "solvers/mujoco/runge_kutta.kernel.h"
#include "solvers/mujoco/spring_yield.kernel.h"
#include "solvers/mujoco/step_output.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct StepWork {
  TreeWork<F> tree;
  RowWork<F> rows;
  RowSpace<F> row_space;
  ForceWork<F> forces;
  F* trace;  // of the mass matrix
  TieState<F>* tie_state;
  int segment[ScalarTraits<F>::kWidth];  // of the contacts of each lane's part
  const F* params;                       // of the parts
  const Vec3T<F>* body_com;              // in the link
  const F* carried;                      // mass of each body whose weight is carried; nullptr: none is
  const FluidParams<F>* fluid;           // of each body; nullptr: there is none
  FluidDamping<F>* fluid_damping;        // likewise; nullptr: nobody asks
  Ellipsoids<F> ellipsoids;
  SpatialVectorT<F>* body_f;
  Vec3T<F>* joint_f;  // of the user, as given
  Vec3T<F>* last;     // accelerations of the last step
  F* part_dofs;
  Vec3T<F>* spare;  // vectors, of noslip and diagexact
  F* lane_params;
  RungeKuttaWork<F> runge_kutta;
  BiasRates<F> bias_rates;
  DiscreteWork<F> discrete;

  MaskOf<F> converged;
  F iterations, residual, row_count;
  int needed;
};

struct StepView {
  // The archetype of parts.
  Span<const int> worlds;  // ids of the parts to be stepped; a small world is one part
  TreeView tree;
  RowView rows;
  ForceView forces;
  Span<const int> body_link;
  const int *shape_body, *shape_type;
  const int* body_row;  // rows of the bodies, from starts.body on; nullptr: the first of them is there
  LinkDofs link_dofs;
  ParamLayout layout;

  ModelOptions options;
  NewtonOptions newton;
  Real dt;     // [s]
  bool moves;  // otherwise: evaluate

  // Parameters of the parts, by row, or of all of them when the stride is 0.
  const Real* params;
  std::int64_t params_stride;
  const Real* lane_params;  // of all of them, each number once per lane; nullptr: they differ

  PartStarts starts;

  // Input.
  const Real *joint_q, *joint_qd, *joint_qdd, *joint_f, *ctrl, *act, *ctrl_history, *target_pos, *target_vel;
  const Real* body_f;
  SpringShifts<const Real> spring_shifts;
  RungeKuttaArrays runge_kutta;  // of RK4
  Real* strokes;                 // likewise, see SpringYields
  ContactView contacts;
  bool in_island = false;  // contacts are those of an island, which deals with them
  int contact_capacity;    // slots of each list
  StepOutput out;

  CAROM_HD BodyRows body_rows() const { return {body_row, starts.body}; }
  CAROM_HD bool is_implicit() const { return options.integrator == Integrator::kImplicitFast || takes_bias_rates(); }
  CAROM_HD bool takes_bias_rates() const { return options.integrator == Integrator::kImplicit; }
  CAROM_HD bool is_discrete() const { return options.integrator == Integrator::kDiscrete; }
  CAROM_HD bool motors_carry() const { return forces.compensated && forces.has_extras; }
  CAROM_HD bool has_paths() const { return forces.path.slot.size > 0; }
  CAROM_HD bool is_runge_kutta() const { return options.integrator == Integrator::kRK4; }
  CAROM_HD bool ends_step() const { return !is_runge_kutta() || runge_kutta.stage + 1 == kRungeKuttaStages; }

  template <class F>
  CAROM_HD DelayedCtrl<F> delayed_ctrl(WorldIds<F> ids) const {
    return {forces.delay, ctrl_history, world_offsets(starts.history, ids), F(dt)};
  }
  template <class F>
  CAROM_HD SpringYields<F> yields(WorldIds<F> ids, const StepWork<F>& w) const {
    return {tree, w.tree, forces, w.forces, world_offsets(starts.dof, ids), world_offsets(starts.tendon, ids, 2)};
  }

  // What passes from phase to phase. begin() writes all but the result, solve() reads up to `end_of_input` and writes
  // the result, end() reads from `state` on.
  struct KeptLayout {
    std::int64_t state, end_of_input, result, total;  // [bytes]
  };
  template <class F>
  CAROM_HD KeptLayout take_kept(Arena& arena, StepWork<F>& w) const {
    constexpr std::int64_t kUnit = 16;  // [bytes] that a thread copies at once
    const auto place = [&] { return arena.used = (arena.used + kUnit - 1) / kUnit * kUnit; };
    const auto vectors = [&] { return arena.take<Vec3T<F>>(tree.blocks()); };
    const std::int64_t first = place();
    KeptLayout kept;
    take_tree_motion(arena, tree, w.tree);
    w.rows.smooth_acceleration = vectors();
    w.trace = arena.take<F>(1);
    w.tie_state = arena.take<TieState<F>>(rows.tie.size);
    w.rows.kinds.joint.tie_state = w.tie_state;
    w.rows.kinds.joint.moving_coef = arena.take<F>(has_paths() ? rows.joint_entry.size : 0);
    w.discrete.diagonal = is_discrete() ? Diagonals<F>{vectors(), vectors()} : Diagonals<F>{};
    const bool by_backbone = is_discrete() && options.diagexact;
    w.discrete.backbone = by_backbone ? arena.take<Mat33T<F>>(block_total(tree.blocks())) : nullptr;
    // The damping of a fluid is put together from motions, in end().
    kept.state = forces.in_fluid && is_implicit() ? 0 : place() - first;
    w.forces.path.length = arena.take<F>(forces.path.paths());
    w.rows.kinds.joint.path_length = w.forces.path.length;
    take_tree_state(arena, tree, w.tree);
    kept.end_of_input = place() - first;
    take_tree_mass(arena, tree, w.tree);
    w.rows.smooth_force = vectors();
    w.forces.damping = is_implicit() ? vectors() : nullptr;
    w.forces.tendon_damping = is_implicit() ? arena.take<F>(forces.tendon_actuators) : nullptr;
    w.forces.moving_actuator_coef = arena.take<F>(has_paths() ? forces.actuator_entry.size : 0);
    w.forces.moving_spring_coef = arena.take<F>(has_paths() ? forces.spring_entry.size : 0);
    w.forces.act = arena.take<F>(forces.activation.size), w.forces.act_rate = arena.take<F>(forces.activation.size);
    w.forces.act_span = arena.take<F>(forces.controller.size > 0 ? forces.activation.size : 0);
    w.forces.yield.joint_shift = forces.yields ? vectors() : nullptr;
    w.forces.yield.tendon_shift = forces.yields ? arena.take<F>(2 * forces.spring.size) : nullptr;
    w.fluid_damping = forces.in_fluid && is_implicit() ? arena.take<FluidDamping<F>>(body_link.size) : nullptr;
    const bool damped = forces.ellipsoid_link.size > 0 && is_implicit();
    w.ellipsoids.damping = damped ? arena.take<EllipsoidDamping<F>>(forces.ellipsoid_link.size) : nullptr;
    if (takes_bias_rates()) take_bias_rates(arena, tree, w.bias_rates);
    w.discrete.held = arena.take<F>(is_discrete() ? tree.links() : 0);
    kept.result = place() - first;
    w.rows.acceleration = vectors(), w.rows.constraint_force = vectors();
    w.discrete.touched = arena.take<F>(is_discrete() ? tree.links() : 0);
    kept.total = place() - first;
    return kept;
  }

  // What each phase needs beside it.
  template <class F>
  CAROM_HD void take_for_begin(Arena& arena, StepWork<F>& w) const {
    take_tree_temporaries(arena, tree, w.tree);
    if (takes_bias_rates()) take_bias_rates_temporaries(arena, tree, w.bias_rates);
    w.forces.actuator_force = arena.take<F>(forces.actuator.size);
    w.forces.ungeared_force = out.sensed.actuator_force ? arena.take<F>(forces.actuator.size) : nullptr;
    w.forces.motor_force = out.sensed.joint_actuator_force ? arena.take<Vec3T<F>>(tree.blocks()) : nullptr;
    w.forces.ctrl = arena.take<F>(forces.ctrls);
    w.forces.actuator_damping = is_implicit() || is_discrete() ? arena.take<F>(forces.actuator.size) : nullptr;
    take_stiffness(arena, w);
    w.forces.path.J = arena.take<F>(forces.path.entry.size);
    w.forces.path.drift = forces.has_armature && has_paths() ? arena.take<F>(forces.path.paths()) : nullptr;
    w.forces.path.pull = arena.take<SpatialVectorT<F>>(forces.path.link.size);
    w.forces.applied = arena.take<Vec3T<F>>(tree.blocks());
    w.forces.target_pos = forces.driven ? arena.take<Vec3T<F>>(tree.blocks()) : nullptr;
    w.forces.target_vel = forces.driven ? arena.take<Vec3T<F>>(tree.blocks()) : nullptr;
    w.forces.carried = motors_carry() ? arena.take<Vec3T<F>>(tree.blocks()) : nullptr;
    w.joint_f = arena.take<Vec3T<F>>(tree.blocks());
    w.body_f = arena.take<SpatialVectorT<F>>(body_link.size);
  }
  // What Discrete is made from; the others keep their damping for end().
  template <class F>
  CAROM_HD void take_stiffness(Arena& arena, StepWork<F>& w) const {
    w.forces.actuator_stiffness = is_discrete() ? arena.take<F>(forces.actuator.size) : nullptr;
    w.forces.stiffness = is_discrete() ? arena.take<Vec3T<F>>(tree.blocks()) : nullptr;
    w.ellipsoids.damps_by_drag = is_discrete();
    if (!is_discrete()) return;
    w.forces.damping = arena.take<Vec3T<F>>(tree.blocks());
    w.forces.tendon_damping = arena.take<F>(forces.tendon_actuators);
    w.fluid_damping = forces.in_fluid ? arena.take<FluidDamping<F>>(body_link.size) : nullptr;
    if (forces.ellipsoid_link.size > 0)
      w.ellipsoids.damping = arena.take<EllipsoidDamping<F>>(forces.ellipsoid_link.size);
  }
  // What every step goes through comes first; what only worlds with contacts touch, last.
  template <class F>
  CAROM_HD void take_for_solve(Arena& arena, StepWork<F>& w) const {
    take_row_work(arena, rows, w.rows);
    w.last = arena.take<Vec3T<F>>(tree.blocks());
    w.rows.kinds.contacts.each([&](auto& kind)
                                   CAROM_HD_LAMBDA { kind.take(arena, rows, contacts.traits, contact_capacity); });
    take_row_space(arena, rows, w.rows.kinds, w.row_space);
    const int spare = options.noslip_iterations > 0 ? kSlipVectors : options.diagexact ? 1 : 0;
    w.spare = arena.take<Vec3T<F>>(spare * tree.blocks());
  }
  template <class F>
  CAROM_HD void take_part_dofs(Arena& arena, StepWork<F>& w) const {
    w.part_dofs = arena.take<F>(tree.part_dof_count);
    if (is_runge_kutta()) w.runge_kutta.take(arena, tree);
  }

  // All of it, for phases that follow each other in one memory.
  template <class F>
  CAROM_HD void take_work(Arena& arena, StepWork<F>& w) const {
    take_kept(arena, w);
    take_part_dofs(arena, w);
    Arena first = arena;  // two uses of one place, one after the other
    take_for_begin(first, w);
    take_for_solve(arena, w);
    arena.used = first.used > arena.used ? first.used : arena.used;
    w.lane_params = PlainNumber<F> || lane_params ? nullptr : arena.take<F>(layout.total);
  }

  template <class F>
  CAROM_HD std::int64_t scratch_bytes() const {
    Arena arena;
    arena.take<StepWork<F>>(1);
    StepWork<F> w;
    take_work<F>(arena, w);
    return arena.used;
  }

  template <class F, class Team>
  CAROM_HD void lay_out(Team, void* scratch) const {
    Arena arena{static_cast<char*>(scratch), 0};
    StepWork<F>& w = *arena.take<StepWork<F>>(1);
    take_work<F>(arena, w);
  }
};

}  // namespace carom::inline CAROM_PRECISION
