// The solve of MuJoCo's model, from joint coordinates and contacts to joint coordinates and forces: the list of stages
// is in operator(). Parts of worlds (dynamics/parts.h) that touch no other part are solved here; they are read once,
// stay in a workspace, and are written once. Those that touch each other: island_step.kernel.h.
#pragma once

#include "backend/launch.h"
#include "backend/world_lanes.h"
#include "dynamics/tree_dynamics.kernel.h"
#include "dynamics/tree_kinematics.kernel.h"
#include "solvers/mujoco/euler.kernel.h"
#include "solvers/mujoco/newton.kernel.h"
#include "solvers/mujoco/part_problem.kernel.h"
#include "solvers/mujoco/row_space.kernel.h"
#include "solvers/mujoco/step_output.h"

namespace carom::inline CAROM_PRECISION {

// Where the numbers of a part stand in its row of parameters. A step reads `total` numbers of it.
struct ParamLayout {
  int gravity, links, dofs, limits, limit_coefs, actuators, springs, spring_coefs, bodies, total;
  int inverse_masses, row;  // of the bodies; length of a row
};

template <class Kind>
CAROM_HD RowRecord record_of_row(const Kind& kind, int s, int lane) {
  const Real D = lane_of(kind.D[s], lane);
  if (!(D > 0)) return {};
  const auto of_lane = [&](const auto& column)
                           CAROM_HD_LAMBDA { return vector_of_lane(column[s], lane) + SpatialVector{}; };
  return {Kind::kKind, D, of_lane(kind.aref), of_lane(kind.x), of_lane(kind.force)};  // + 0: never -0
}

// Where the rows of each part begin, and which row of its archetype's parameters it reads.
struct PartStarts {
  Span<const int> coord, dof, body, actuator, params_row;
};

struct MuJoCoStep {
  using Number = Real;

  // The archetype of parts.
  Span<const int> worlds;  // ids of the parts to be stepped; a small world is one part
  TreeView tree;
  RowView rows;
  ForceView forces;
  Span<const int> body_link;
  const int* body_row;  // rows of the bodies, from starts.body on; nullptr: the first of them is there
  LinkDofs link_dofs;
  ParamLayout layout;

  NewtonOptions newton;
  Real dt;     // [s]
  bool moves;  // otherwise: evaluate

  // Parameters of the parts, by row, or of all of them when the stride is 0.
  const Real* params;
  std::int64_t params_stride;
  const Real* lane_params;  // of all of them, each number once per lane; nullptr: they differ

  PartStarts starts;

  // Input.
  const Real *joint_q, *joint_qd, *joint_qdd, *joint_f, *ctrl;
  const Real* body_f;
  ContactView contacts;
  int contact_capacity;  // slots of each list
  StepOutput out;

  template <class F>
  struct Work {
    TreeWork<F> tree;
    RowWork<F> rows;
    RowSpace<F> row_space;
    ForceWork<F> forces;
    int segment[ScalarTraits<F>::kWidth];  // of the contacts of each lane's part
    const Vec3T<F>* body_com;              // in the link
    SpatialVectorT<F>* body_f;
    Vec3T<F>* joint_f;  // of the user, as given
    bool pushed;        // somebody applies forces to bodies
    F *saved_q, *part_dofs;
    Vec3T<F>*saved_qd, *saved_acceleration;
    F* lane_params;

    MaskOf<F> finite, converged;
    F iterations, residual, row_count;
    int needed;
  };

  // What every step goes through comes first; what only worlds with contacts touch, or no more than once a step, last.
  template <class F>
  CAROM_HD void take_work(Arena& arena, Work<F>& w) const {
    const int blocks = tree.blocks();
    take_tree_work(arena, tree, w.tree);
    Arena first = arena;  // two uses of one place, one after the other
    take_tree_temporaries(first, tree, w.tree);
    take_factor(arena, tree, w.tree);
    Mat33T<F>* const H = arena.take<Mat33T<F>>(block_total(blocks));
    arena.used = first.used > arena.used ? first.used : arena.used;
    take_row_work(arena, rows, w.rows);
    w.rows.H = H;
    w.forces.actuator_force = arena.take<F>(forces.actuator.size);
    w.rows.kinds.contacts.each([&](auto& kind)
                                   CAROM_HD_LAMBDA { kind.take(arena, rows, contacts.condims, contact_capacity); });
    take_row_space(arena, rows, w.rows.kinds, w.row_space);
    w.forces.ctrl = arena.take<F>(forces.actuator.size);
    w.forces.applied = arena.take<Vec3T<F>>(blocks);
    w.joint_f = arena.take<Vec3T<F>>(blocks);
    w.body_f = arena.take<SpatialVectorT<F>>(body_link.size);
    w.saved_q = arena.take<F>(tree.coord_count);
    w.part_dofs = arena.take<F>(tree.part_dof_count);
    w.saved_qd = arena.take<Vec3T<F>>(blocks);
    w.saved_acceleration = arena.take<Vec3T<F>>(blocks);
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

  // The pointers into the scratch memory stand there, too: a team keeps them once instead of once per thread.
  template <class F, class Team>
  CAROM_HD_STAGE void lay_out(Team team, void* scratch) const {
    Arena arena{static_cast<char*>(scratch), 0};
    Work<F>& w = *arena.take<Work<F>>(1);
    team.each(1, [&](int) { take_work<F>(arena, w); });
  }

  template <class Team, class F>
  CAROM_HD_STAGE void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    Work<F>& w = *static_cast<Work<F>*>(scratch);
    StageClock clock(out.stage_ticks, ids[0], team.rank() == 0);
    begin(team, ids, w, clock);
    make_rows(team, w);
    count_rows(team, w);
    team.together();
    clock.lap(Stage::kRows);
    solve(team, w);
    team.together();
    clock.lap(Stage::kSolve);
    end(team, ids, w);
    clock.lap(Stage::kEuler);
  }

  // -- The step.

  // Up to the accelerations without constraints.
  template <class Team, class F>
  CAROM_HD_STAGE void begin(Team team, WorldIds<F> ids, Work<F>& w, StageClock& clock) const {
    open(team, ids, w);
    save(team, w);
    move_to_origins(team, w);
    place_links(team, tree, w.tree);
    move_to_com_frames(team, tree, w.tree);
    team.together();
    clock.lap(Stage::kKinematics);
    move_links(team, tree, w.tree);
    if (w.pushed) push_bodies(team, w);
    gather_subtrees(team, tree, w.tree);
    fill_mass_matrix(team, tree, w.tree);
    team.together();
    clock.lap(Stage::kMassMatrix);
    add_smooth_forces(team, tree, w.tree, forces, w.forces, w.rows);
    accelerate_smoothly(team, w);
    team.together();
    clock.lap(Stage::kSmooth);
  }

  template <class Team, class F>
  CAROM_HD_STAGE void count_rows(Team team, Work<F>& w) const {
    F row_count{};
    w.rows.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
      row_count += team.sum(kind.count(rows), [&](int s) { return select(kind.D[s] > F(0), kind.edges(s), F(0)); });
    });
    team.each(1, [&](int) {
      w.row_count = row_count;
      w.rows.has_rows = row_count > F(0);
    });
  }

  // From the accelerations with them.
  template <class Team, class F>
  CAROM_HD_STAGE void end(Team team, WorldIds<F> ids, Work<F>& w) const {
    if (moves) {
      step_velocities(team, tree, w.tree, forces, w.rows, F(dt));
      step_positions(team, tree, w.tree, F(dt));
      move_to_coms(team, w);
      keep_last_finite(team, w);
    }
    team.together();
    close(team, ids, w);
  }

 private:
  template <class Team, class F>
  CAROM_HD_STAGE void accelerate_smoothly(Team team, Work<F>& w) const {
    factor_mass(team, w);
    team.each(tree.blocks(), [&](int b) { w.rows.smooth_acceleration[b] = w.rows.smooth_force[b]; });
    solve_blocks(team, tree.mass_pattern, w.tree.factor, w.rows.smooth_acceleration);
  }
  template <class Team, class F>
  CAROM_HD_STAGE void factor_mass(Team team, Work<F>& w) const {
    team.each(block_total(tree.blocks()), [&](int b) { w.tree.factor[b] = w.tree.M[b]; });
    factor_blocks(team, tree.mass_pattern, w.tree.factor);
  }

  // Forces on bodies act about their centres of mass, in world axes; the links pass them on.
  template <class Team, class F>
  CAROM_HD_STAGE void push_bodies(Team team, Work<F>& w) const {
    team.each(1, [&](int) {
      for (int b = 0; b < static_cast<int>(body_link.size); ++b) {
        const int link = body_link[b];
        if (link < 0) continue;
        const SpatialVectorT<F>& f = w.body_f[b];
        const Vec3T<F> arm = transform_point(w.tree.X_WL[link], w.body_com[b]) - w.tree.tree_com[tree.link[link].tree];
        SpatialVectorT<F>& wrench = w.tree.wrench[link];
        wrench = {wrench.linear - f.linear, wrench.angular - f.angular - cross(arm, f.linear)};
      }
    });
  }

  template <class Team, class F>
  CAROM_HD_STAGE void make_rows(Team team, Work<F>& w) const {
    const RowInput<F> in{tree, w.tree, link_dofs, contacts, w.segment, F(dt)};
    w.rows.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.make(team, rows, in); });
    int most = 0;
    w.rows.kinds.contacts.each([&](auto& kind)
                                   CAROM_HD_LAMBDA { most = kind.list.needed > most ? kind.list.needed : most; });
    team.each(1, [&](int) { w.needed = most > contact_capacity ? most : 0; });
  }

  template <class Team, class F>
  CAROM_HD_STAGE void solve(Team team, Work<F>& w) const {
    if (!any(w.rows.has_rows)) return solve_without_rows(team, w);
    row_space::list_rows(team, rows, w.rows, w.row_space);
    const MaskOf<F> small = w.row_space.lanes, large = w.rows.has_rows && !small;
    const auto note = [&](MaskOf<F> lanes, const NewtonReport<F>& report) CAROM_HD_LAMBDA {
      team.each(1, [&](int) {
        w.iterations = select(lanes, report.iterations, w.iterations);
        w.residual = select(lanes, report.residual, w.residual);
        w.converged = w.converged && (report.converged || !lanes);
      });
    };
    const PartProblem<F> whole{rows, tree, w.tree, w.rows};
    if (any(large)) {
      note(large, solve_newton(team, whole, newton, large));
      if (any(small)) factor_mass(team, w);  // H stands in its place
    } else {
      solve_without_rows(team, w);
    }
    if (any(small))
      note(small, solve_in_row_space(team, rows, tree.mass_pattern, w.tree.factor, whole.trace(team),
                                     w.saved_acceleration, w.rows, w.row_space, newton));
  }

  template <class Team, class F>
  CAROM_HD_STAGE void solve_without_rows(Team team, Work<F>& w) const {
    team.each(tree.blocks(), [&](int b) {
      w.rows.acceleration[b] = w.rows.smooth_acceleration[b];
      w.rows.constraint_force[b] = {};
    });
    w.rows.kinds.contacts.each(
        [&](auto& kind) CAROM_HD_LAMBDA { team.each(kind.count(rows), [&](int c) { kind.force[c] = {}; }); });
  }

  // -- Worlds that stop being finite keep their last good state.

  template <class Team, class F>
  CAROM_HD_STAGE void save(Team team, Work<F>& w) const {
    team.each(tree.coord_count, [&](int i) { w.saved_q[i] = w.tree.q[i]; });
    team.each(tree.blocks(), [&](int b) {
      w.saved_qd[b] = w.tree.qd[b];
      w.saved_acceleration[b] = w.rows.acceleration[b];
    });
  }

  template <class Team, class F>
  CAROM_HD_STAGE void keep_last_finite(Team team, Work<F>& w) const {
    // 0 x is 0 for every finite x.
    const F q = team.sum(tree.coord_count, [&](int i) { return w.tree.q[i] * F(0); });
    const F rest = team.sum(tree.blocks(), [&](int b) {
      const Vec3T<F> v = (w.tree.qd[b] + w.rows.acceleration[b]) * F(0);
      return v.x + v.y + v.z;
    });
    team.each(1, [&](int) { w.finite = w.finite && q + rest == F(0); });
    if (all(w.finite)) return;
    team.each(tree.coord_count, [&](int i) { w.tree.q[i] = select(w.finite, w.tree.q[i], w.saved_q[i]); });
    team.each(tree.blocks(), [&](int b) {
      w.tree.qd[b] = select(w.finite, w.tree.qd[b], w.saved_qd[b]);
      w.rows.acceleration[b] = select(w.finite, w.rows.acceleration[b], w.saved_acceleration[b]);
    });
  }

  // -- Reading worlds.

  template <class Team, class F>
  CAROM_HD_STAGE void open(Team team, WorldIds<F> ids, Work<F>& w) const {
    open_params(team, ids, w);
    team.each(tree.blocks(), [&](int b) {
      const Vec3T<F> zero{F(0), F(0), F(0)};
      w.tree.qd[b] = w.rows.acceleration[b] = w.rows.smooth_force[b] = w.joint_f[b] = zero;
    });
    clear_mass_matrix(team, tree, w.tree);

    const Offsets<F> dofs = world_offsets(starts.dof, ids);
    load_block(team, joint_q, world_offsets(starts.coord, ids), tree.coord_count, w.tree.q);
    load_dofs(team, joint_qdd, dofs, w.part_dofs, w.rows.acceleration);
    load_dofs(team, joint_f, dofs, w.part_dofs, w.joint_f);
    load_dofs(team, joint_qd, dofs, w.part_dofs, w.tree.qd);
    load_block(team, ctrl, world_offsets(starts.actuator, ids), static_cast<int>(forces.actuator.size), w.forces.ctrl);
    const bool pushed = any_body_force(team, ids);
    if (pushed) load_body_forces(team, ids, w);
    team.each(1, [&](int) {
      w.pushed = pushed;
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) w.segment[l] = ids[l];
      w.finite = w.converged = F(0) <= F(0);
      w.iterations = w.residual = w.row_count = F(0);
      w.needed = 0;
    });
  }

  template <class Team, class F>
  CAROM_HD_STAGE void open_params(Team team, WorldIds<F> ids, Work<F>& w) const {
    const F* p;
    if constexpr (PlainNumber<F>) {
      p = params + starts.params_row[ids[0]] * params_stride;
    } else {
      if (lane_params == nullptr) {
        Offsets<F> rows_of_parts;
        for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
          rows_of_parts.start[l] = starts.params_row[ids[l]] * params_stride;
        load_block(team, params, rows_of_parts, layout.total, w.lane_params);
      }
      p = lane_params ? reinterpret_cast<const F*>(lane_params) : w.lane_params;
    }
    team.each(1, [&](int) {
      w.tree.gravity = {p[layout.gravity], p[layout.gravity + 1], p[layout.gravity + 2]};
      w.tree.link_params = reinterpret_cast<const LinkParams<F>*>(p + layout.links);
      w.tree.dof_params = reinterpret_cast<const DofParams<F>*>(p + layout.dofs);
      w.rows.kinds.limit.params = reinterpret_cast<const LimitParams<F>*>(p + layout.limits);
      w.rows.kinds.limit.coef = p + layout.limit_coefs;
      w.forces.actuator_params = reinterpret_cast<const ActuatorParams<F>*>(p + layout.actuators);
      w.forces.spring_params = reinterpret_cast<const SpringParams<F>*>(p + layout.springs);
      w.forces.spring_coef = p + layout.spring_coefs;
      w.body_com = reinterpret_cast<const Vec3T<F>*>(p + layout.bodies);
    });
  }

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

  // Numbers of a lane's body in body_f.
  CAROM_HD std::int64_t first_force(int part, int b) const {
    return std::int64_t{6} * (body_row ? body_row[starts.body[part] + b] : starts.body[part] + b);
  }

  template <class Team, class F>
  CAROM_HD_STAGE bool any_body_force(Team team, WorldIds<F> ids) const {
    const int bodies = static_cast<int>(body_link.size);
    // Bodies that stand one after the other are looked at as one.
    const int pieces = body_row ? bodies : 1, count = body_row ? 6 : 6 * bodies;
    int different = 0;  // no branches, so that numbers are compared several at a time
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      for (int b = 0; b < pieces; ++b) {
        const Real* const f = body_f + first_force(ids[l], b);
        for (int k = team.rank(); k < count; k += team.size()) different |= f[k] != Real(0);
      }
    return team.any(different != 0);
  }

  template <class Team, class F>
  CAROM_HD_STAGE void load_body_forces(Team team, WorldIds<F> ids, Work<F>& w) const {
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
  template <class F>
  CAROM_HD static Vec3T<F> read3(const Vec3T<F>* v, int i) {
    return {entry(v, i), entry(v, i + 1), entry(v, i + 2)};
  }
  template <class F>
  CAROM_HD static void write3(Vec3T<F>* v, int i, Vec3T<F> value) {
    for (int k = 0; k < 3; ++k) entry(v, i + k) = value[k];
  }

  template <class Team, class F>
  CAROM_HD_STAGE void move_to_origins(Team team, Work<F>& w) const {
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
  CAROM_HD_STAGE void move_to_coms(Team team, Work<F>& w) const {
    team.each(tree.links(), [&](int l) {
      if (!velocity_at_com(tree.link[l].type)) return;
      const int linear = tree.link[l].dof, angular = linear + 3;
      const Vec3T<F> arm = com_from_origin(w, l);
      write3(w.tree.qd, linear, read3(w.tree.qd, linear) + cross(read3(w.tree.qd, angular), arm));
    });
  }

  // -- Writing worlds.

  template <class Team, class F>
  CAROM_HD_STAGE void close(Team team, WorldIds<F> ids, Work<F>& w) const {
    report(team, w);
    if (out.forward.mass_matrix != nullptr) {
      write_forward(team, ids, w);
      if (any(w.rows.has_rows)) write_rows(team, ids, w);
    }
    if (any(w.rows.has_rows)) write_forces(team, w);
    if (!moves) return;
    const Offsets<F> dofs = world_offsets(starts.dof, ids);
    const int count = tree.part_dof_count;
    store_block(team, out.joint_q, world_offsets(starts.coord, ids), tree.coord_count, w.tree.q);
    from_blocks(team, w.tree.qd, w.part_dofs);
    store_block(team, out.joint_qd, dofs, count, w.part_dofs);
    from_blocks(team, w.rows.acceleration, w.part_dofs);
    store_block(team, out.joint_qdd, dofs, count, w.part_dofs);
  }

  template <class Team, class F>
  CAROM_HD_STAGE void report(Team team, Work<F>& w) const {
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
        r.status[part] = (w.needed > 0 ? kStatusOverflow : 0) | (lane_of(w.finite, l) ? 0 : kStatusNotFinite) |
                         (lane_of(w.converged, l) ? 0 : kStatusNotConverged);
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

  // CombineMaterials left 0 where a contact has no row.
  template <class Team, class F>
  CAROM_HD_STAGE void write_forces(Team team, Work<F>& w) const {
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
      contacts.force[source] = Vec3{lane_of(force.x, l), lane_of(force.y, l), lane_of(force.z, l)} + Vec3{};
    }
  }

  template <class Team, class F>
  CAROM_HD_STAGE void write_rows(Team team, WorldIds<F> ids, Work<F>& w) const {
    const LimitRows<F>& limit = w.rows.kinds.limit;
    team.each(rows.limits(), [&](int s) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        out.forward.limit_row[out.forward.limit_start[ids[l]] + s] = record_of_row(limit, s, l);
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
  CAROM_HD_STAGE void write_forward(Team team, WorldIds<F> ids, Work<F>& w) const {
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
            const Real value = lane_of(w.tree.M[block_index(i / 3, j / 3)][i % 3][j % 3], l);
            M[row * n + column] = M[column * n + row] = value;
          }
        }
      }
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
