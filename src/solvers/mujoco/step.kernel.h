// The solve of MuJoCo's model, from joint coordinates and contacts to joint coordinates and forces, in three phases:
// begin() finds the accelerations without constraints, solve() those with them, end() moves. Parts of worlds
// (dynamics/parts.h) that touch no other part are solved here; those that touch each other: island_step.kernel.h. On
// the CPU the phases follow each other in one workspace; on a GPU each is a kernel of its own (step_phases.kernel.h).
#pragma once

#include "dynamics/tree_kinematics.kernel.h"
#include "solvers/mujoco/body_forces.kernel.h"
#include "solvers/mujoco/contact_pull.kernel.h"
#include "solvers/mujoco/exact_diagonals.kernel.h"
#include "solvers/mujoco/part_problem.kernel.h"
#include "solvers/mujoco/path.kernel.h"
#include "solvers/mujoco/step_velocities.kernel.h"
#include "solvers/mujoco/step_writer.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct MuJoCoStep : StepView {
  using Number = Real;

  template <class Team, class F>
  CAROM_HD void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    StepWork<F>& w = *static_cast<StepWork<F>*>(scratch);
    begin(team, ids, w);
    solve(team, ids, w);
    end(team, ids, w);
  }

  // -- The step.

  // Up to the accelerations without constraints. Which way it goes does not depend on the numbers of a world, so that
  // teams walk through it in step.
  template <class Team, class F>
  CAROM_HD_FREE void begin(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    StageClock clock(out.stage_ticks, ids[0], team.rank() == 0);
    const StepReader<F> reader{*this, ids, w};
    reader.take_params(team);
    const bool pushed = reader.open(team);
    reader.move_to_origins(team);
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
    if (contacts.traits.has_adhesion && contacts.extras && !in_island) pull_of_contacts(w).pull_together(team, ids);
    if (takes_bias_rates()) begin_bias_rates(team, tree, w.tree, w.bias_rates);
    gather_subtrees(team, tree, w.tree);
    if (takes_bias_rates()) finish_bias_rates(team, tree, w.tree, w.bias_rates);
    fill_mass_matrix(team, tree, w.tree);
    if (forces.has_armature) add_armatures(team, tree, w.tree, forces, w.forces.spring_params, w.forces.spring_coef);
    if (motors_carry()) bodies.find_carried(team, w.carried, w.forces.carried);
    clock.lap(Stage::kMassMatrix);
    add_smooth_forces(team, tree, w.tree, forces, w.forces, w.rows, F(dt));
    if (out.forward.mass_matrix != nullptr) StepWriter<F>{*this, ids, w}.write_smooth(team);
    if (out.sensed.has_smooth()) StepWriter<F>{*this, ids, w}.write_sensed(team);
    find_trace(team, w);
    if (is_discrete()) discrete::Hold<F>{velocity_step(w), w.discrete}.add(team);
    accelerate_smoothly(team, w);
    clock.lap(Stage::kSmooth);
  }

  // The accelerations with them.
  template <class Team, class F>
  CAROM_HD void solve(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    StageClock clock(out.stage_ticks, ids[0], team.rank() == 0);
    open_report(team, ids, w);
    make_rows(team, w);
    if (options.diagexact) take_exact_diagonals(team, w);
    if (is_discrete()) discrete::find_touched(team, tree, rows, contacts, w.rows.kinds, w.discrete.touched);
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
  CAROM_HD_FREE void end(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    StageClock clock(out.stage_ticks, ids[0], team.rank() == 0);
    const StepWriter<F> writer{*this, ids, w};
    if (is_discrete()) discrete::turn_free_bodies(team, velocity_step(w), w.discrete);
    if (out.forward.mass_matrix != nullptr) writer.write_forward(team);
    if (moves) {
      if (forces.has_given) hold_given_motions(team, tree, w.tree, w.rows.acceleration);
      if (is_runge_kutta()) {
        if (forces.yields && runge_kutta.stage == 0) yields(ids, w).keep_strokes(team, strokes, strokes_of(ids));
        step_runge_kutta(team, tree, w.tree, w.rows.acceleration, F(dt), runge_kutta, world_offsets(starts.coord, ids),
                         world_offsets(starts.dof, ids, RungeKuttaWork<F>::kColumns), w.runge_kutta);
      } else {
        step_velocities(team, velocity_step(w), options);
        if (forces.yields) yields(ids, w).yield_tendons(team, F(dt));
        step_positions(team, tree, w.tree, F(dt));
      }
      if (forces.yields) yield_springs(team, ids, w);
      if (forces.activation.size > 0) advance_activations(team, ids, w);
      if (forces.orientation.size > 0 && ends_step()) forces::shorten_turns(team, forces, w.forces);
      move_velocities_to_coms(team, tree, w.tree);
      const MaskOf<F> finite = writer.keep_last_finite(team);
      if (forces.delay.size > 0)  // what is kept changes where a step ends
        delayed_ctrl(ids).add(team, ctrl, world_offsets(starts.ctrl, ids), finite && F(ends_step() ? 1 : 0) > F(0),
                              out.ctrl_history);
      writer.close(team);
    }
    clock.lap(Stage::kEuler);
  }

  // -- What islands share with it.

  template <class Team, class F>
  CAROM_HD_FREE void open_report(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    team.note([&] {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) w.segment[l] = ids[l];
      w.converged = F(0) <= F(0);
      w.iterations = w.residual = w.row_count = F(0);
      w.needed = 0;
    });
  }

  template <class Team, class F>
  CAROM_HD_FREE void take_exact_diagonals(Team team, StepWork<F>& w) const {
    const Mat33T<F>* const factor = is_discrete() ? w.discrete.backbone : w.tree.factor;
    ExactDiagonals<F>{rows, contacts, tree.mass_pattern, factor, w.spare, shape_type}.take(team, w.rows.kinds);
  }

  template <class Team, class F>
  CAROM_HD_FREE void count_rows(Team team, StepWork<F>& w) const {
    F row_count{};
    w.rows.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
      row_count += team.sum(kind.count(rows), [&](int s) { return select(kind.D[s] > F(0), kind.edges(s), F(0)); });
    });
    team.note([&] {
      w.row_count = row_count;
      w.rows.has_rows = row_count > F(0);
    });
  }

  template <class Team, class F>
  CAROM_HD void close_rows(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    const StepWriter<F> writer{*this, ids, w};
    writer.report(team);
    if (out.sensed.has_limits()) writer.write_limit_forces(team);
    if (out.sensed.equality_force) writer.write_tie_forces(team);
    if (!any(w.rows.has_rows)) return;
    writer.write_forces(team);
    if (out.forward.mass_matrix != nullptr) writer.write_rows(team);
  }

  template <class F>
  CAROM_HD ImplicitRows<F> implicit_rows(const StepWork<F>& w) const {
    return {is_discrete(), options.refsafe, options.diagexact, F(dt), w.discrete.diagonal, shape_type};
  }

 private:
  template <class F>
  CAROM_HD VelocityStep<F> velocity_step(const StepWork<F>& w) const {
    return {tree, w.tree, forces, w.forces, w.rows, F(dt), fluid_view(w), w.bias_rates};
  }

  template <class Team, class F>
  CAROM_HD_FREE void find_trace(Team team, StepWork<F>& w) const {
    const F trace = team.sum(tree.dofs(), [&](int i) {
      const F mass = tree.dof_link[i] < 0 ? F(0) : mass_entry(w.tree, i, i);
      return select(mass >= F(kGivenMotion), F(0), mass);
    });
    team.each(1, [&](int) { *w.trace = trace; });
  }
  template <class Team, class F>
  CAROM_HD_FREE void accelerate_smoothly(Team team, StepWork<F>& w) const {
    factor_mass(team, w);
    team.each(tree.blocks(), [&](int b) { w.rows.smooth_acceleration[b] = w.rows.smooth_force[b]; });
    solve_blocks(team, tree.mass_pattern, w.tree.factor, w.rows.smooth_acceleration);
  }
  template <class Team, class F>
  CAROM_HD_FREE void factor_mass(Team team, StepWork<F>& w) const {
    factor_blocks(team, tree.mass_pattern, w.tree.M, w.tree.factor);
  }

  // Paths of spatial tendons and actuators, and the coefficients that they give to their entries.
  template <class Team, class F>
  CAROM_HD_FREE void find_paths(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    place_paths(team, forces.path, tree, w.tree, w.forces.path);
    if (forces.pulls_contacts) pull_of_contacts(w).find_paths(team, ids, body_rows());
    const F* const p = w.params;
    gather_coefs(team, rows.joint_source, p + layout.joint_coefs, w.forces.path.J, w.rows.kinds.joint.moving_coef);
    gather_coefs(team, forces.actuator_source, p + layout.actuator_coefs, w.forces.path.J,
                 w.forces.moving_actuator_coef);
    gather_coefs(team, forces.spring_source, p + layout.spring_coefs, w.forces.path.J, w.forces.moving_spring_coef);
  }

  template <class F>
  CAROM_HD ContactPull<F> pull_of_contacts(const StepWork<F>& w) const {
    return {contacts, tree, w.tree, link_dofs, forces.path, w.forces.path, shape_body};
  }

  template <class F>
  CAROM_HD FluidView<F> fluid_view(const StepWork<F>& w) const {
    return {w.fluid_damping, body_link, link_dofs, w.ellipsoids.damping, forces.ellipsoid_link};
  }

  template <class F>
  CAROM_HD Offsets<F> strokes_of(WorldIds<F> ids) const {
    return world_offsets(starts.params_row, ids, SpringYields<F>::kept_strokes(forces));
  }
  // Once a step, not once a stage.
  template <class Team, class F>
  CAROM_HD_FREE void yield_springs(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    if (!ends_step()) return;
    if (is_runge_kutta()) yields(ids, w).yield_tendons(team, strokes, strokes_of(ids), w.runge_kutta, F(dt));
    yields(ids, w).yield_joints(team);
  }

  // The activations of the next step, or stage, from those of this one and their rates.
  template <class Team, class F>
  CAROM_HD_FREE void advance_activations(Team team, WorldIds<F> ids, StepWork<F>& w) const {
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

  template <class Team, class F>
  CAROM_HD_FREE void make_rows(Team team, StepWork<F>& w) const {
    const RowInput<F> in{tree,
                         w.tree,
                         link_dofs,
                         contacts,
                         w.segment,
                         F(least_time(options, dt)),
                         F(options.impratio),
                         implicit_rows(w)};
    w.rows.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.make(team, rows, in); });
    int most = 0;
    w.rows.kinds.contacts.each([&](auto& kind)
                                   CAROM_HD_LAMBDA { most = kind.list.needed > most ? kind.list.needed : most; });
    team.note([&] { w.needed = most > contact_capacity ? most : 0; });
  }

  template <class Team, class F>
  CAROM_HD void solve_rows(Team team, WorldIds<F> ids, StepWork<F>& w) const {
    if (!any(w.rows.has_rows)) return solve_without_rows(team, w);
    StepReader<F>{*this, ids, w}.load_last(team, w.last);
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
  CAROM_HD_STAGE void remove_slip(Team team, StepWork<F>& w) const {
    if (any(w.rows.has_rows && !w.row_space.lanes)) factor_mass(team, w);  // H stands in its place
    const PartDofs<F> dofs{rows, tree.mass_pattern, w.tree.factor, w.rows, w.spare};
    NoSlip<PartDofs<F>>{dofs, F(1) / *w.trace}.sweep(team, options.noslip_iterations, F(options.noslip_tolerance));
  }

  // By value: what others hold of them stays in registers.
  template <class Team, class F>
  CAROM_HD_STAGE NewtonReport<F> solve_in_dofs(Team team, TreeWork<F> of_tree, RowWork<F> of_rows, F trace,
                                               MaskOf<F> lanes) const {
    return solve_newton(team, PartProblem<F>{rows, tree, of_tree, of_rows, trace}, newton, lanes);
  }

  template <class Team, class F>
  CAROM_HD_FREE void solve_without_rows(Team team, StepWork<F>& w) const {
    team.each(tree.blocks(), [&](int b) {
      w.rows.acceleration[b] = w.rows.smooth_acceleration[b];
      w.rows.constraint_force[b] = {};
    });
    w.rows.kinds.contacts.each(
        [&](auto& kind) CAROM_HD_LAMBDA { team.each(kind.count(rows), [&](int c) { kind.force[c] = {}; }); });
  }
};

}  // namespace carom::inline CAROM_PRECISION
