// The solve of MuJoCo's model, from joint coordinates and contacts to joint coordinates and forces, in three phases:
// begin() finds the accelerations without constraints, solve() those with them, end() moves. Parts of worlds
// (dynamics/parts.h) that touch no other part are solved here; those that touch each other: island_step.kernel.h. On
// the CPU the phases follow each other in one workspace; on a GPU each is a kernel of its own (step_phases.kernel.h).
#pragma once

#include "backend/launch.h"
#include "backend/world_lanes.h"
#include "dynamics/tree_dynamics.kernel.h"
#include "dynamics/tree_kinematics.kernel.h"
#include "solvers/mujoco/body_forces.kernel.h"
#include "solvers/mujoco/contact_pull.kernel.h"
#include "solvers/mujoco/newton.kernel.h"
#include "solvers/mujoco/no_slip.kernel.h"
#include "solvers/mujoco/part_layout.h"
#include "solvers/mujoco/part_problem.kernel.h"
#include "solvers/mujoco/path.kernel.h"
#include "solvers/mujoco/row_space.kernel.h"
#include "solvers/mujoco/runge_kutta.kernel.h"
#include "solvers/mujoco/spring_yield.kernel.h"
#include "solvers/mujoco/step_output.h"
#include "solvers/mujoco/step_velocities.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct MuJoCoStep {
  using Number = Real;

  // The archetype of parts.
  Span<const int> worlds;  // ids of the parts to be stepped; a small world is one part
  TreeView tree;
  RowView rows;
  ForceView forces;
  Span<const int> body_link;
  const int* shape_body;
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
  int contact_capacity;  // slots of each list
  StepOutput out;

  template <class F>
  struct Work {
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
    Vec3T<F>* slip;  // room for noslip
    F* lane_params;
    RungeKuttaWork<F> runge_kutta;

    MaskOf<F> converged;
    F iterations, residual, row_count;
    int needed;
  };

  CAROM_HD bool is_implicit() const { return options.integrator == Integrator::kImplicitFast; }
  CAROM_HD bool motors_carry() const { return forces.compensated && forces.has_extras; }
  CAROM_HD bool has_paths() const { return forces.path.slot.size > 0; }
  CAROM_HD bool is_runge_kutta() const { return options.integrator == Integrator::kRK4; }

  // What passes from phase to phase. begin() writes all but the result, solve() reads up to `end_of_input` and writes
  // the result, end() reads from `state` on.
  struct KeptLayout {
    std::int64_t state, end_of_input, result, total;  // [bytes]
  };
  template <class F>
  CAROM_HD KeptLayout take_kept(Arena& arena, Work<F>& w) const {
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
    w.forces.yield.joint_shift = forces.yields ? vectors() : nullptr;
    w.forces.yield.tendon_shift = forces.yields ? arena.take<F>(2 * forces.spring.size) : nullptr;
    w.forces.act_span = arena.take<F>(forces.controller.size > 0 ? forces.activation.size : 0);
    w.fluid_damping = forces.in_fluid && is_implicit() ? arena.take<FluidDamping<F>>(body_link.size) : nullptr;
    const bool damped = forces.ellipsoid_link.size > 0 && is_implicit();
    w.ellipsoids.damping = damped ? arena.take<EllipsoidDamping<F>>(forces.ellipsoid_link.size) : nullptr;
    kept.result = place() - first;
    w.rows.acceleration = vectors(), w.rows.constraint_force = vectors();
    kept.total = place() - first;
    return kept;
  }

  // What each phase needs beside it.
  template <class F>
  CAROM_HD void take_for_begin(Arena& arena, Work<F>& w) const {
    take_tree_temporaries(arena, tree, w.tree);
    w.forces.actuator_force = arena.take<F>(forces.actuator.size);
    w.forces.ctrl = arena.take<F>(forces.ctrls);
    w.forces.actuator_damping = is_implicit() ? arena.take<F>(forces.actuator.size) : nullptr;
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
  // What every step goes through comes first; what only worlds with contacts touch, last.
  template <class F>
  CAROM_HD void take_for_solve(Arena& arena, Work<F>& w) const {
    take_row_work(arena, rows, w.rows);
    w.last = arena.take<Vec3T<F>>(tree.blocks());
    w.rows.kinds.contacts.each([&](auto& kind)
                                   CAROM_HD_LAMBDA { kind.take(arena, rows, contacts.traits, contact_capacity); });
    take_row_space(arena, rows, w.rows.kinds, w.row_space);
    w.slip = arena.take<Vec3T<F>>(options.noslip_iterations > 0 ? kSlipVectors * tree.blocks() : 0);
  }
  template <class F>
  CAROM_HD void take_part_dofs(Arena& arena, Work<F>& w) const {
    w.part_dofs = arena.take<F>(tree.part_dof_count);
    if (is_runge_kutta()) w.runge_kutta.take(arena, tree);
  }

  // All of it, for phases that follow each other in one memory.
  template <class F>
  CAROM_HD void take_work(Arena& arena, Work<F>& w) const {
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
    arena.take<Work<F>>(1);
    Work<F> w;
    take_work<F>(arena, w);
    return arena.used;
  }

  template <class F, class Team>
  CAROM_HD void lay_out(Team, void* scratch) const {
    Arena arena{static_cast<char*>(scratch), 0};
    Work<F>& w = *arena.take<Work<F>>(1);
    take_work<F>(arena, w);
  }

  template <class Team, class F>
  CAROM_HD void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    Work<F>& w = *static_cast<Work<F>*>(scratch);
    begin(team, ids, w);
    solve(team, ids, w);
    end(team, ids, w);
  }

  // -- The step.

  // Up to the accelerations without constraints. Which way it goes does not depend on the numbers of a world, so that
  // teams walk through it in step.
  template <class Team, class F>
  CAROM_HD_FREE void begin(Team team, WorldIds<F> ids, Work<F>& w) const {
    StageClock clock(out.stage_ticks, ids[0], team.rank() == 0);
    point_to_params(params_of(team, ids, w), w);
    const bool pushed = open(team, ids, w);
    move_to_origins(team, w);
    place_links(team, tree, w.tree);
    move_to_com_frames(team, tree, w.tree);
    clock.lap(Stage::kKinematics);
    move_links(team, tree, w.tree);
    place_ties(team, rows, tree, w.tree, w.rows.kinds.joint.tie, w.tie_state);
    if (has_paths()) find_paths(team, ids, w);
    const BodyForces<F> bodies{tree, w.tree, body_link, link_dofs, w.body_com};
    if (pushed) bodies.push(team, [&](int b) CAROM_HD_LAMBDA { return w.body_f[b]; });
    if (w.carried) bodies.carry(team, w.carried);
    if (w.fluid) bodies.push_through_fluid(team, w.fluid, options, w.fluid_damping);
    if (forces.ellipsoid_link.size > 0) w.ellipsoids.push(team, tree, w.tree, options.wind);
    if (contacts.traits.has_adhesion && contacts.extras) pull_of_contacts(w).pull_together(team, ids);
    gather_subtrees(team, tree, w.tree);
    fill_mass_matrix(team, tree, w.tree);
    if (forces.has_armature) add_armatures(team, tree, w.tree, forces, w.forces.spring_params, w.forces.spring_coef);
    if (motors_carry()) bodies.find_carried(team, w.carried, w.forces.carried);
    clock.lap(Stage::kMassMatrix);
    add_smooth_forces(team, tree, w.tree, forces, w.forces, w.rows, F(dt));
    accelerate_smoothly(team, w);
    clock.lap(Stage::kSmooth);
  }

  // The accelerations with them.
  template <class Team, class F>
  CAROM_HD void solve(Team team, WorldIds<F> ids, Work<F>& w) const {
    StageClock clock(out.stage_ticks, ids[0], team.rank() == 0);
    open_report(team, ids, w);
    make_rows(team, w);
    count_rows(team, w);
    team.together();
    clock.lap(Stage::kRows);
    solve_rows(team, ids, w);
    team.together();
    if (options.noslip_iterations > 0 && any(w.rows.has_rows)) remove_slip(team, w);
    close_rows(team, ids, w);
    clock.lap(Stage::kSolve);
  }

  // From them to the new state; as begin().
  template <class Team, class F>
  CAROM_HD_FREE void end(Team team, WorldIds<F> ids, Work<F>& w) const {
    StageClock clock(out.stage_ticks, ids[0], team.rank() == 0);
    if (out.forward.mass_matrix != nullptr) write_forward(team, ids, w);
    if (moves) {
      if (forces.has_given) hold_given_motions(team, tree, w.tree, w.rows.acceleration);
      if (is_runge_kutta()) {
        if (forces.yields && runge_kutta.stage == 0) yields(ids, w).keep_strokes(team, strokes, strokes_of(ids));
        step_runge_kutta(team, tree, w.tree, w.rows.acceleration, F(dt), runge_kutta, world_offsets(starts.coord, ids),
                         world_offsets(starts.dof, ids), w.runge_kutta);
      } else {
        step_velocities(team, VelocityStep<F>{tree, w.tree, forces, w.forces, w.rows, F(dt), fluid_view(w)}, options);
        if (forces.yields) yields(ids, w).yield_tendons(team, F(dt));
        step_positions(team, tree, w.tree, F(dt));
      }
      if (forces.yields) yield_springs(team, ids, w);
      if (forces.activation.size > 0) advance_activations(team, ids, w);
      if (forces.orientation.size > 0 && ends_step()) forces::shorten_turns(team, forces, w.forces);
      move_to_coms(team, w);
      const MaskOf<F> finite = keep_last_finite(team, ids, w);
      if (forces.delay.size > 0)  // what is kept changes where a step ends
        delayed_ctrl<F>(ids).add(team, ctrl, world_offsets(starts.ctrl, ids), finite && F(ends_step() ? 1 : 0) > F(0),
                                 out.ctrl_history);
      close(team, ids, w);
    }
    clock.lap(Stage::kEuler);
  }

  // -- What islands share with it.

  template <class Team, class F>
  CAROM_HD_FREE void open_report(Team team, WorldIds<F> ids, Work<F>& w) const {
    team.note([&] {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) w.segment[l] = ids[l];
      w.converged = F(0) <= F(0);
      w.iterations = w.residual = w.row_count = F(0);
      w.needed = 0;
    });
  }

  template <class Team, class F>
  CAROM_HD_FREE void count_rows(Team team, Work<F>& w) const {
    F row_count{};
    w.rows.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
      row_count += team.sum(kind.count(rows), [&](int s) { return select(kind.D[s] > F(0), kind.edges(s), F(0)); });
    });
    team.note([&] {
      w.row_count = row_count;
      w.rows.has_rows = row_count > F(0);
    });
  }

  // Accelerations of the last step.
  template <class Team, class F>
  CAROM_HD_FREE void load_last(Team team, WorldIds<F> ids, const Work<F>& w, Vec3T<F>* last) const {
    team.each(tree.blocks(), [&](int b) { last[b] = {}; });
    load_dofs(team, joint_qdd, world_offsets(starts.dof, ids), w.part_dofs, last);
  }

  template <class Team, class F>
  CAROM_HD void close_rows(Team team, WorldIds<F> ids, Work<F>& w) const {
    report(team, w);
    if (!any(w.rows.has_rows)) return;
    write_forces(team, w);
    if (out.forward.mass_matrix != nullptr) write_rows(team, ids, w);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void report(Team team, Work<F>& w) const {
    team.each(1, [&](int) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        const ReportView& r = out.report;
        const int part = w.segment[l];
        int contacts_listed = 0, frictional = 0, padded = 0;
        w.rows.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
          contacts_listed += kind.list.lane_count[l];
          frictional += kind.kHasFriction ? kind.list.lane_count[l] : 0;
          padded += kind.list.count;
        });
        r.status[part] = (w.needed > 0 ? kStatusOverflow : 0) | (lane_of(w.converged, l) ? 0 : kStatusNotConverged);
        r.contacts[part] = contacts_listed;
        r.needed[part] = w.needed;
        r.rows[part] = static_cast<int>(lane_of(w.row_count, l));
        r.iterations[part] = static_cast<int>(lane_of(w.iterations, l));
        r.residual[part] = lane_of(w.residual, l);
        r.frictional[part] = frictional;
        r.padded[part] = padded;
      }
    });
  }

  template <class Team, class F>
  CAROM_HD_FREE void accelerate_smoothly(Team team, Work<F>& w) const {
    const F trace = team.sum(tree.dofs(), [&](int i) {
      const F mass = tree.dof_link[i] < 0 ? F(0) : mass_entry(w.tree, i, i);
      return select(mass >= F(kGivenMotion), F(0), mass);
    });
    team.each(1, [&](int) { *w.trace = trace; });
    factor_mass(team, w);
    team.each(tree.blocks(), [&](int b) { w.rows.smooth_acceleration[b] = w.rows.smooth_force[b]; });
    solve_blocks(team, tree.mass_pattern, w.tree.factor, w.rows.smooth_acceleration);
  }
  template <class Team, class F>
  CAROM_HD_FREE void factor_mass(Team team, Work<F>& w) const {
    factor_blocks(team, tree.mass_pattern, w.tree.M, w.tree.factor);
  }

  // Paths of spatial tendons and actuators, and the coefficients that they give to their entries.
  template <class Team, class F>
  CAROM_HD_FREE void find_paths(Team team, WorldIds<F> ids, Work<F>& w) const {
    place_paths(team, forces.path, tree, w.tree, w.forces.path);
    if (forces.pulls_contacts && contacts.segment_start) pull_of_contacts(w).find_paths(team, ids, body_rows());
    const F* const p = w.params;
    gather_coefs(team, rows.joint_source, p + layout.joint_coefs, w.forces.path.J, w.rows.kinds.joint.moving_coef);
    gather_coefs(team, forces.actuator_source, p + layout.actuator_coefs, w.forces.path.J,
                 w.forces.moving_actuator_coef);
    gather_coefs(team, forces.spring_source, p + layout.spring_coefs, w.forces.path.J, w.forces.moving_spring_coef);
  }

  template <class F>
  CAROM_HD ContactPull<F> pull_of_contacts(const Work<F>& w) const {
    return {contacts, tree, w.tree, link_dofs, forces.path, w.forces.path, shape_body};
  }

  template <class F>
  CAROM_HD FluidView<F> fluid_view(const Work<F>& w) const {
    return {w.fluid_damping, body_link, link_dofs, w.ellipsoids.damping, forces.ellipsoid_link};
  }

  template <class F>
  CAROM_HD SpringYields<F> yields(WorldIds<F> ids, const Work<F>& w) const {
    return {tree, w.tree, forces, w.forces, world_offsets(starts.dof, ids), world_offsets(starts.tendon, ids, 2)};
  }
  template <class F>
  CAROM_HD Offsets<F> strokes_of(WorldIds<F> ids) const {
    return world_offsets(starts.params_row, ids, SpringYields<F>::kept_strokes(forces));
  }
  // Once a step, not once a stage.
  template <class Team, class F>
  CAROM_HD_FREE void yield_springs(Team team, WorldIds<F> ids, Work<F>& w) const {
    if (is_runge_kutta()) {
      if (runge_kutta.stage + 1 < kRungeKuttaStages) return;
      yields(ids, w).yield_tendons(team, strokes, strokes_of(ids), w.runge_kutta, F(dt));
    }
    yields(ids, w).yield_joints(team);
  }

  // The activations of the next step, or stage, from those of this one and their rates.
  template <class Team, class F>
  CAROM_HD_FREE void advance_activations(Team team, WorldIds<F> ids, Work<F>& w) const {
    const Offsets<F> acts = world_offsets(starts.act, ids);
    team.each(static_cast<int>(forces.activation.size), [&](int k) {
      const int actuator = forces.activation[k].actuator, place = forces.activation[k].act;
      const ActivationSpan sort = forces.activation[k].span;
      const F span = sort == ActivationSpan::kStep ? F(dt) : w.forces.act_span[k];
      const ActuatorDynamics dynamics = forces.activation[k].dynamics;
      const ActivationParams<F>& p = w.forces.activation_params[k];
      const F rate = w.forces.act_rate[k];
      F& act = w.forces.act[k];
      const ActuatorSlot& slot = forces.actuator[actuator];
      const forces::ShorterWay<F> way(w.forces, slot, w.forces.actuator_params[actuator]);
      const auto near = [&](F a) CAROM_HD_LAMBDA {
        if (!slot.turns || sort != ActivationSpan::kStep) return a;
        return way(a, w.forces.actuator_params[actuator].gear * w.forces.path.length[slot.path]);
      };
      if (!is_runge_kutta()) {
        act = near(activation::next(dynamics, p, act, rate, span));
        return;
      }
      const int stage = runge_kutta.stage;
      const F begun = load<F>(runge_kutta.act, acts, place);
      const F before = stage == 0 ? F(0) : load<F>(runge_kutta.sum_act, acts, place);
      const bool by_first = sort == ActivationSpan::kOwnOfFirstStage;
      const F sum = !by_first ? fma(rate, F(runge_kutta::share(stage)), before) : stage == 0 ? rate * span : before;
      store(runge_kutta.sum_act, acts, place, sum);
      act = stage + 1 < kRungeKuttaStages ? fma(rate, F(runge_kutta::ahead(stage)) * F(dt), begun)
                                          : near(activation::next(dynamics, p, begun, sum, by_first ? F(1) : span));
    });
  }

  CAROM_HD bool ends_step() const { return !is_runge_kutta() || runge_kutta.stage + 1 == kRungeKuttaStages; }
  template <class F>
  CAROM_HD DelayedCtrl<F> delayed_ctrl(WorldIds<F> ids) const {
    return {forces.delay, ctrl_history, world_offsets(starts.history, ids), F(dt)};
  }

  template <class Team, class F>
  CAROM_HD_FREE void make_rows(Team team, Work<F>& w) const {
    const RowInput<F> in{tree, w.tree, link_dofs, contacts, w.segment, F(least_time(options, dt)), F(options.impratio)};
    w.rows.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.make(team, rows, in); });
    int most = 0;
    w.rows.kinds.contacts.each([&](auto& kind)
                                   CAROM_HD_LAMBDA { most = kind.list.needed > most ? kind.list.needed : most; });
    team.note([&] { w.needed = most > contact_capacity ? most : 0; });
  }

  template <class Team, class F>
  CAROM_HD void solve_rows(Team team, WorldIds<F> ids, Work<F>& w) const {
    if (!any(w.rows.has_rows)) return solve_without_rows(team, w);
    load_last(team, ids, w, w.last);
    row_space::list_rows(team, rows, w.rows, w.row_space);
    const MaskOf<F> small = w.row_space.lanes, large = w.rows.has_rows && !small;
    const auto note = [&](MaskOf<F> lanes, const NewtonReport<F>& report) CAROM_HD_LAMBDA {
      team.note([&] {
        w.iterations = select(lanes, report.iterations, w.iterations);
        w.residual = select(lanes, report.residual, w.residual);
        w.converged = w.converged && (report.converged || !lanes);
      });
    };
    if (any(large)) {
      team.each(tree.blocks(), [&](int b) { w.rows.acceleration[b] = w.last[b]; });
      note(large, solve_in_dofs(team, w.tree, w.rows, *w.trace, large));
      if constexpr (!PlainNumber<F>)
        if (any(small)) factor_mass(team, w);  // H stands in its place
    } else {
      solve_without_rows(team, w);
    }
    if (any(small))
      note(small, solve_in_row_space(team, rows, tree.mass_pattern, w.tree.factor, *w.trace, w.last, w.rows,
                                     w.row_space, newton));
  }

  template <class Team, class F>
  CAROM_HD_STAGE void remove_slip(Team team, Work<F>& w) const {
    if (any(w.rows.has_rows && !w.row_space.lanes)) factor_mass(team, w);  // H stands in its place
    const NoSlip<F> slip{rows, tree.mass_pattern, w.tree.factor, w.rows, w.slip, F(1) / *w.trace};
    slip.sweep(team, options.noslip_iterations, F(options.noslip_tolerance));
  }

  // By value: what others hold of them stays in registers.
  template <class Team, class F>
  CAROM_HD_STAGE NewtonReport<F> solve_in_dofs(Team team, TreeWork<F> of_tree, RowWork<F> of_rows, F trace,
                                               MaskOf<F> lanes) const {
    return solve_newton(team, PartProblem<F>{rows, tree, of_tree, of_rows, trace}, newton, lanes);
  }

  template <class Team, class F>
  CAROM_HD_FREE void solve_without_rows(Team team, Work<F>& w) const {
    team.each(tree.blocks(), [&](int b) {
      w.rows.acceleration[b] = w.rows.smooth_acceleration[b];
      w.rows.constraint_force[b] = {};
    });
    w.rows.kinds.contacts.each(
        [&](auto& kind) CAROM_HD_LAMBDA { team.each(kind.count(rows), [&](int c) { kind.force[c] = {}; }); });
  }

  // -- Worlds that stop being finite keep their last good state, which still stands where it was read.

  template <class Team, class F>
  CAROM_HD_FREE MaskOf<F> keep_last_finite(Team team, WorldIds<F> ids, Work<F>& w) const {
    // 0 x is 0 for every finite x.
    const F q = team.sum(tree.coord_count, [&](int i) { return w.tree.q[i] * F(0); });
    const F rest = team.sum(tree.blocks(), [&](int b) {
      const Vec3T<F> v = (w.tree.qd[b] + w.rows.acceleration[b]) * F(0);
      return v.x + v.y + v.z;
    });
    const F activations =
        team.sum(static_cast<int>(forces.activation.size), [&](int k) { return w.forces.act[k] * F(0); });
    const F springs = forces.yields ? yields(ids, w).sum_of_zeros(team) : F(0);
    const MaskOf<F> finite = q + rest + activations + springs == F(0);
    if (!team.any_in_step(!all(finite))) return finite;
    const Offsets<F> coords = world_offsets(starts.coord, ids), dofs = world_offsets(starts.dof, ids);
    const Real *const last_q = is_runge_kutta() ? runge_kutta.joint_q : joint_q, *const last_qd =
                                                                                     is_runge_kutta()
                                                                                         ? runge_kutta.joint_qd
                                                                                         : joint_qd;
    team.each(tree.coord_count, [&](int i) { w.tree.q[i] = select(finite, w.tree.q[i], load<F>(last_q, coords, i)); });
    team.each(tree.dofs(), [&](int i) {
      const int place = tree.dof_in_part[i];
      if (place < 0) return;
      F &speed = entry(w.tree.qd, i), &acceleration = entry(w.rows.acceleration, i);
      speed = select(finite, speed, load<F>(last_qd, dofs, place));
      acceleration = select(finite, acceleration, load<F>(joint_qdd, dofs, place));
    });
    const Offsets<F> acts = world_offsets(starts.act, ids);
    team.each(static_cast<int>(forces.activation.size), [&](int k) {
      const F last = load<F>(is_runge_kutta() ? runge_kutta.act : act, acts, forces.activation[k].act);
      w.forces.act[k] = select(finite, w.forces.act[k], last);
    });
    if (forces.yields) yields(ids, w).keep(team, finite, spring_shifts);
    team.each(1, [&](int) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        if (!lane_of(finite, l)) out.report.status[ids[l]] |= kStatusNotFinite;
    });
    return finite;
  }

  // -- Reading worlds.

  // Whether somebody applies forces to bodies, of some world at least.
  template <class Team, class F>
  CAROM_HD_FREE bool open(Team team, WorldIds<F> ids, Work<F>& w) const {
    team.each(tree.blocks(), [&](int b) {
      const Vec3T<F> zero{F(0), F(0), F(0)};
      w.tree.qd[b] = w.rows.smooth_force[b] = w.joint_f[b] = zero;
    });
    clear_mass_matrix(team, tree, w.tree);

    const Offsets<F> dofs = world_offsets(starts.dof, ids);
    load_block(team, joint_q, world_offsets(starts.coord, ids), tree.coord_count, w.tree.q);
    load_dofs(team, joint_f, dofs, w.part_dofs, w.joint_f);
    load_dofs(team, joint_qd, dofs, w.part_dofs, w.tree.qd);
    if (forces.driven) {
      load_dofs(team, target_pos, dofs, w.part_dofs, w.forces.target_pos);
      load_dofs(team, target_vel, dofs, w.part_dofs, w.forces.target_vel);
    }
    load_block(team, ctrl, world_offsets(starts.ctrl, ids), forces.ctrls, w.forces.ctrl);
    if (forces.delay.size > 0) {
      const int stage = is_runge_kutta() && moves ? runge_kutta.stage : 0;
      const Real ahead = stage == 0 ? Real(0) : runge_kutta::ahead(stage - 1) * dt;
      delayed_ctrl<F>(ids).read(team, w.forces.delay, F(ahead), w.forces.ctrl);
    }
    const Offsets<F> acts = world_offsets(starts.act, ids);
    team.each(static_cast<int>(forces.activation.size),
              [&](int k) { w.forces.act[k] = load<F>(act, acts, forces.activation[k].act); });
    if (forces.yields) yields(ids, w).load_from(team, spring_shifts);
    const bool pushed = any_body_force(team, ids);
    if (pushed) load_body_forces(team, ids, w);
    return pushed;
  }

 public:
  // The parameters of the parts.
  template <class Team, class F>
  CAROM_HD_FREE const F* params_of(Team team, WorldIds<F> ids, Work<F>& w) const {
    if constexpr (PlainNumber<F>) {
      return params + starts.params_row[ids[0]] * params_stride;
    } else {
      if (lane_params) return reinterpret_cast<const F*>(lane_params);
      Offsets<F> rows_of_parts;
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        rows_of_parts.start[l] = starts.params_row[ids[l]] * params_stride;
      load_block(team, params, rows_of_parts, layout.total, w.lane_params);
      return w.lane_params;
    }
  }
  template <class F>
  CAROM_HD void point_to_params(const F* p, Work<F>& w) const {
    w.tree.gravity = {p[layout.gravity], p[layout.gravity + 1], p[layout.gravity + 2]};
    w.tree.link_params = reinterpret_cast<const LinkParams<F>*>(p + layout.links);
    w.tree.dof_params = reinterpret_cast<const DofParams<F>*>(p + layout.dofs);
    w.rows.kinds.joint.params = reinterpret_cast<const JointRowParams<F>*>(p + layout.joint_rows);
    w.params = p;
    w.rows.kinds.joint.coef = has_paths() ? w.rows.kinds.joint.moving_coef : p + layout.joint_coefs;
    w.rows.kinds.joint.tie = reinterpret_cast<const TieParams<F>*>(p + layout.ties);
    w.rows.kinds.joint.equality = reinterpret_cast<const EqualityParams<F>*>(p + layout.equalities);
    w.forces.actuator_params = reinterpret_cast<const ActuatorParams<F>*>(p + layout.actuators);
    w.forces.actuator_coef = has_paths() ? w.forces.moving_actuator_coef : p + layout.actuator_coefs;
    w.forces.spring_params = reinterpret_cast<const SpringParams<F>*>(p + layout.springs);
    w.forces.spring_coef = has_paths() ? w.forces.moving_spring_coef : p + layout.spring_coefs;
    w.forces.activation_params = reinterpret_cast<const ActivationParams<F>*>(p + layout.activations);
    w.forces.muscle_params = reinterpret_cast<const MuscleParams<F>*>(p + layout.muscles);
    w.forces.controller_params = reinterpret_cast<const ControllerParams<F>*>(p + layout.controllers);
    w.forces.delay = p + layout.delays;
    w.forces.path.params = reinterpret_cast<const PathParams<F>*>(p + layout.paths);
    w.forces.path.point_params = reinterpret_cast<const PathPointParams<F>*>(p + layout.path_points);
    w.body_com = reinterpret_cast<const Vec3T<F>*>(p + layout.bodies);
    w.carried = forces.compensated ? p + layout.carried : nullptr;
    w.forces.drive = reinterpret_cast<const DriveParams<F>*>(p + layout.drives);
    w.forces.extras = forces.has_extras ? reinterpret_cast<const DofExtras<F>*>(p + layout.extras) : nullptr;
    w.forces.effort_params = reinterpret_cast<const EffortParams<F>*>(p + layout.efforts);
    w.fluid = forces.in_fluid ? reinterpret_cast<const FluidParams<F>*>(p + layout.fluid) : nullptr;
    w.forces.yield.joint = forces.yields ? p + layout.joint_yields : nullptr;
    w.forces.yield.tendon = forces.yields ? p + layout.tendon_yields : nullptr;
    w.ellipsoids.params = reinterpret_cast<const EllipsoidParams<F>*>(p + layout.ellipsoids);
    w.ellipsoids.link = forces.ellipsoid_link;
  }

 private:
  // as_given: room for the numbers in the order of joint_qd.
  template <class Team, class F>
  CAROM_HD void load_dofs(Team team, const Real* column, const Offsets<F>& dofs, F* as_given, Vec3T<F>* to) const {
    load_block(team, column, dofs, tree.part_dof_count, tree.keeps_order ? &entry(to, 0) : as_given);
    if (tree.keeps_order) return;
    team.each(tree.dofs(), [&](int i) {
      if (tree.dof_in_part[i] >= 0) entry(to, i) = as_given[tree.dof_in_part[i]];
    });
  }
  template <class Team, class F>
  CAROM_HD void from_blocks(Team team, const Vec3T<F>* from, F* to) const {
    team.each(tree.dofs(), [&](int i) {
      // Adding zero turns -0 into +0: lanes that skip a sum of zeros agree with those that do not.
      if (tree.dof_in_part[i] >= 0) to[tree.dof_in_part[i]] = entry(from, i) + F(0);
    });
  }

  CAROM_HD BodyRows body_rows() const { return {body_row, starts.body}; }
  // Numbers of a lane's body in body_f.
  CAROM_HD std::int64_t first_force(int part, int b) const { return std::int64_t{6} * body_rows()(part, b); }

  template <class Team, class F>
  CAROM_HD_FREE bool any_body_force(Team team, WorldIds<F> ids) const {
    const int bodies = static_cast<int>(body_link.size);
    // Bodies that stand one after the other are looked at as one.
    const int pieces = body_row ? bodies : 1, count = body_row ? 6 : 6 * bodies;
    int different = 0;  // no branches, so that numbers are compared several at a time
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      for (int b = 0; b < pieces; ++b) {
        const Real* const f = body_f + first_force(ids[l], b);
        for (int k = team.rank(); k < count; k += team.size()) different |= f[k] != Real(0);
      }
    return team.any_in_step(different != 0);
  }

  template <class Team, class F>
  CAROM_HD_FREE void load_body_forces(Team team, WorldIds<F> ids, Work<F>& w) const {
    team.each(static_cast<int>(body_link.size), [&](int b) {
      Offsets<F> at;
      if constexpr (PlainNumber<F>) {
        at.start = first_force(ids[0], b);
      } else {
        for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) at.start[l] = first_force(ids[l], b);
      }
      F* const out = reinterpret_cast<F*>(w.body_f + b);
      for (int k = 0; k < 6; ++k) out[k] = load<F>(body_f, at, k);
    });
  }

  // A free joint's velocity, and the force applied there, are those of the body's centre of mass between steps, and
  // those of the joint frame's origin inside a step.
  template <class F>
  CAROM_HD Vec3T<F> com_from_origin(const Work<F>& w, int link) const {
    return FreeJoint::com_from_origin(w.tree.q + tree.link[link].q, w.tree.link_params[link].p_JBcom);
  }

  template <class Team, class F>
  CAROM_HD_FREE void move_to_origins(Team team, Work<F>& w) const {
    team.each(tree.blocks(), [&](int b) { w.forces.applied[b] = w.joint_f[b]; });
    team.each(tree.links(), [&](int l) {
      if (!velocity_at_com(tree.link[l].type)) return;
      const int linear = tree.link[l].dof, angular = linear + 3;
      const Vec3T<F> arm = com_from_origin(w, l);
      write3(w.tree.qd, linear, read3(w.tree.qd, linear) - cross(read3(w.tree.qd, angular), arm));
      write3(w.forces.applied, angular, read3(w.joint_f, angular) + cross(arm, read3(w.joint_f, linear)));
    });
  }
  template <class Team, class F>
  CAROM_HD_FREE void move_to_coms(Team team, Work<F>& w) const {
    team.each(tree.links(), [&](int l) {
      if (!velocity_at_com(tree.link[l].type)) return;
      const int linear = tree.link[l].dof, angular = linear + 3;
      const Vec3T<F> arm = com_from_origin(w, l);
      write3(w.tree.qd, linear, read3(w.tree.qd, linear) + cross(read3(w.tree.qd, angular), arm));
    });
  }

  // -- Writing worlds.

  template <class Team, class F>
  CAROM_HD_FREE void close(Team team, WorldIds<F> ids, Work<F>& w) const {
    const Offsets<F> dofs = world_offsets(starts.dof, ids);
    const int count = tree.part_dof_count;
    store_block(team, out.joint_q, world_offsets(starts.coord, ids), tree.coord_count, w.tree.q);
    from_blocks(team, w.tree.qd, w.part_dofs);
    store_block(team, out.joint_qd, dofs, count, w.part_dofs);
    from_blocks(team, w.rows.acceleration, w.part_dofs);
    store_block(team, out.joint_qdd, dofs, count, w.part_dofs);
    const Offsets<F> acts = world_offsets(starts.act, ids);
    team.each(static_cast<int>(forces.activation.size),
              [&](int k) { store(out.act, acts, forces.activation[k].act, w.forces.act[k]); });
    if (forces.yields) yields(ids, w).store_to(team, out.spring_shifts);
  }

  // CombineMaterials left 0 where a contact has no row.
  template <class Team, class F>
  CAROM_HD_FREE void write_forces(Team team, Work<F>& w) const {
    w.rows.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      team.each(kind.count(rows),
                [&](int c) { write_force(kind.list.template of_slot<F>(c), kind.force_in_world(c)); });
    });
  }
  template <class F>
  CAROM_HD void write_force(const int* contact, Vec3T<F> force) const {
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
      const int source = contact[l];
      if (source < 0) continue;
      // + 0: never -0, see from_blocks()
      Vec3 all{lane_of(force.x, l), lane_of(force.y, l), lane_of(force.z, l)};
      if (contacts.extras) all = all - contacts.normal[source] * contacts.extras[source].adhesion;
      contacts.force[source] = all + Vec3{};
    }
  }

  template <class Team, class F>
  CAROM_HD_FREE void write_rows(Team team, WorldIds<F> ids, Work<F>& w) const {
    const JointRows<F>& joints = w.rows.kinds.joint;
    team.each(rows.joint_rows(), [&](int s) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        out.forward.joint_row[out.forward.joint_row_start[ids[l]] + s] = record_of_row(joints, s, l);
    });
    w.rows.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      team.each(kind.count(rows), [&](int c) {
        for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
          if (const int source = kind.list.template of_slot<F>(c)[l]; source >= 0)
            out.forward.contact_row[source] = record_of_row(kind, c, l);
      });
    });
  }

  template <class Team, class F>
  CAROM_HD_FREE void write_forward(Team team, WorldIds<F> ids, Work<F>& w) const {
    team.each(1, [&](int) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        const std::int64_t first = starts.dof[ids[l]], n = out.forward.mass_stride[ids[l]];
        Real* const M = out.forward.mass_matrix + out.forward.mass_start[ids[l]];
        for (int i = 0; i < tree.dofs(); ++i) {
          const int row = tree.dof_in_part[i];
          if (row < 0) continue;
          out.forward.bias[first + row] = lane_of(entry(w.tree.bias, i), l);
          out.forward.qacc_smooth[first + row] = lane_of(entry(w.rows.smooth_acceleration, i), l);
          out.forward.qacc[first + row] = lane_of(entry(w.rows.acceleration, i), l);
          out.forward.smooth_force[first + row] = lane_of(entry(w.rows.smooth_force, i), l);
          out.forward.constraint_force[first + row] = lane_of(entry(w.rows.constraint_force, i), l);
          for (int j = 0; j <= i; ++j) {
            const int column = tree.dof_in_part[j];
            if (column < 0) continue;
            const bool coupled = i / 3 == j / 3 || tree.mass_pattern.coupled.has(i / 3, j / 3);
            const Real value = coupled ? lane_of(w.tree.M[block_index(i / 3, j / 3)][i % 3][j % 3], l) : Real(0);
            M[row * n + column] = M[column * n + row] = value;
          }
        }
      }
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
