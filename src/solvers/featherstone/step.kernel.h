// A step in joint coordinates with penalty contacts:
//
//   (M + h D + h^2 K) dv = h (f(q, v) - bias - h K v) + J^T p,   v+ = v + dv,   q+ = q (+) h v+
//
// M and bias are those of Featherstone 2008, chapters 5 and 6; f, K and D are what holds and drives the joints
// (hold_joints.kernel.h), p the impulses of contacts, each of which answers the velocity at the end of the step by its
// law (dynamics/contact_law.kernel.h). They are found contact by contact, in their order, until none changes.
//
// Loops (dynamics/loops.kernel.h) add J^T B J to the matrix, with a B that is large beside what moves.
#pragma once

#include "backend/launch.h"
#include "dynamics/contact_sweeps.kernel.h"
#include "dynamics/hold_joints.kernel.h"
#include "dynamics/link_dofs.h"
#include "dynamics/loops.kernel.h"
#include "dynamics/step_readings.kernel.h"
#include "dynamics/tree_input.kernel.h"
#include "dynamics/tree_io.kernel.h"
#include "dynamics/tree_kinematics.kernel.h"
#include "dynamics/tree_rows.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct FeatherstoneWork {
  TreeWork<F> tree;
  const HoldParams<F>* holds;
  const BodyInLink<F>* bodies;
  Vec3T<F>*force, *stiffness, *damping;  // of degrees of freedom
  Vec3T<F>*joint_f, *target_pos, *target_vel;
  Vec3T<F>* start;  // velocities at the beginning of the step
  F *part_dofs, *ctrl, *row;
  const MotorParams<F>* motor_params;
  F* motor_row;
  const LoopParams<F>* loops;
  F* loop_row;
  // Of degrees of freedom: what they weigh, how they move a row, and the square of that in all directions together.
  Vec3T<F>*loop_mass, *loop_J, *loop_reach;
  SweepWork<F> sweeps;
};

// A row of a loop: its error, and 1 where it acts; the rate that it ends, and what gives that an impulse.
template <class F>
struct LoopError {
  F error, on;
};
template <class F>
struct LoopImpulse {
  F rate, B;
};

struct FeatherstoneStep {
  using Number = Real;
  static constexpr bool kInStep = false;

  Span<const int> worlds;  // ids of the parts, each a world
  TreeView tree;
  LinkDofs link_dofs;
  Span<const int> body_link;
  TreeRowView rows;
  Span<const int> row_of_part, world_of, coord_start, dof_start, ctrl_start;
  BodyRows body_rows;
  MotorView motors;
  LoopView loops;
  StepReadings readings;

  Real dt;  // [s]
  SweepOptions sweeps;

  const Real *joint_q, *joint_qd, *joint_qdd, *joint_f, *target_pos, *target_vel, *ctrl, *body_f;
  const Real* body_push;  // of particles; nullptr: there are none
  const int* lost;        // of each world: 1 where a particle is not finite; nullptr: there are none
  ContactColumns contacts;
  Real *out_q, *out_qd, *out_qdd;
  SweepReport report;

  // -- Memory.

  template <class F>
  CAROM_HD void take_work(Arena& arena, FeatherstoneWork<F>& w) const {
    const auto vectors = [&] { return arena.take<Vec3T<F>>(tree.blocks()); };
    take_tree_motion(arena, tree, w.tree);
    take_tree_state(arena, tree, w.tree);
    take_tree_mass(arena, tree, w.tree);
    take_tree_temporaries(arena, tree, w.tree);
    for (Vec3T<F>** v : {&w.force, &w.stiffness, &w.damping, &w.joint_f, &w.target_pos, &w.target_vel, &w.start})
      *v = vectors();
    w.part_dofs = arena.take<F>(tree.part_dof_count);
    w.ctrl = arena.take<F>(motors.ctrls);
    w.row = PlainNumber<F> || rows.lane_rows ? nullptr : arena.take<F>(rows.layout.total);
    w.motor_row = PlainNumber<F> ? nullptr : arena.take<F>(motors.numbers());
    w.loop_row = PlainNumber<F> ? nullptr : arena.take<F>(loops.numbers());
    for (Vec3T<F>** v : {&w.loop_mass, &w.loop_J, &w.loop_reach}) *v = loops.count() == 0 ? nullptr : vectors();
    w.sweeps.take(arena, sweeps.capacity, contacts.turns ? 6 : 3, tree.blocks());
  }
  template <class F>
  CAROM_HD std::int64_t scratch_bytes() const {
    Arena arena;
    FeatherstoneWork<F> w;
    take_work(arena, w);
    return arena.used;
  }
  template <class Team>
  CAROM_HD std::int64_t memory_bytes() const {
    return scratch_bytes<Real>();
  }

  // -- The step.

  template <class Team, class F>
  CAROM_HD void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    Arena arena{static_cast<char*>(scratch), 0};
    FeatherstoneWork<F> w;
    take_work(arena, w);
    step(team, ids, w);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    (*this)(team, WorldIds<Real>{worlds[place]}, static_cast<void*>(memory));
  }

  template <class Team, class F>
  CAROM_HD_FREE void step(Team team, WorldIds<F> ids, FeatherstoneWork<F>& w) const {
    read(team, ids, w);
    move_velocities_to_origins(team, tree, w.tree);
    move_forces_to_origins(team, tree, w.tree, w.joint_f, w.force);
    place_links(team, tree, w.tree);
    move_to_com_frames(team, tree, w.tree);
    move_links(team, tree, w.tree);
    push_bodies(team, ids, w);
    gather_subtrees(team, tree, w.tree);
    fill_mass_matrix(team, tree, w.tree);
    readings.write_joints(team, hold_joints(team, w, F(0)), world_offsets(ctrl_start, ids),
                          world_offsets(dof_start, ids));
    hold_joints(team, w, F(dt)).add(team, w.force, w.stiffness, w.damping);
    accelerate(team, w);
    push_contacts(team, ids, w);
    if (readings.tie_force) read_ties(team, ids, w);
    finish(team, ids, w);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void read(Team team, const WorldIds<F>& ids, FeatherstoneWork<F>& w) const {
    const TreeNumbers<F> numbers = read_tree_row(rows, row_of_part, ids, w.row, w.tree);
    w.holds = numbers.holds, w.bodies = numbers.bodies;
    w.motor_params = motors.row(row_of_part, ids, w.motor_row);
    w.loops = loops.row(row_of_part, ids, w.loop_row);
    team.each(tree.blocks(), [&](int b) {
      w.tree.qd[b] = w.joint_f[b] = w.target_pos[b] = w.target_vel[b] = {};
      w.stiffness[b] = w.damping[b] = {};
    });
    clear_mass_matrix(team, tree, w.tree);
    load_block(team, joint_q, world_offsets(coord_start, ids), tree.coord_count, w.tree.q);
    load_block(team, ctrl, world_offsets(ctrl_start, ids), motors.ctrls, w.ctrl);
    const DofColumns<F> dofs = columns(ids, w);
    dofs.load(team, joint_qd, w.tree.qd);
    dofs.load(team, joint_f, w.joint_f);
    dofs.load(team, target_pos, w.target_pos);
    dofs.load(team, target_vel, w.target_vel);
  }
  template <class F>
  CAROM_HD DofColumns<F> columns(const WorldIds<F>& ids, const FeatherstoneWork<F>& w) const {
    return {tree, world_offsets(dof_start, ids), w.part_dofs};
  }

  // What users and particles apply to bodies, as wrenches about the centre of mass of their tree.
  template <class Team, class F>
  CAROM_HD_FREE void push_bodies(Team team, const WorldIds<F>& ids, const FeatherstoneWork<F>& w) const {
    const int bodies = static_cast<int>(body_link.size);
    const bool pushed = any_body_force(team, body_f, body_rows, bodies, ids);
    team.each(1, [&](int) {  // several bodies may be of one link
      if (pushed) push_links(tree, body_link, w.bodies, body_f, body_rows, ids, w.tree);
      if (body_push) push_links(tree, body_link, w.bodies, body_push, body_rows, ids, w.tree);
    });
  }

  template <class F, class Team>
  CAROM_HD HoldForces<F> hold_joints(Team, const FeatherstoneWork<F>& w, F h) const {
    return {tree, w.tree, w.holds, motors.slots, w.motor_params, w.ctrl, w.target_pos, w.target_vel, h};
  }

  // The factor of the matrix, and in w.force what acts beside contacts: the first half of solving for its velocities.
  template <class Team, class F>
  CAROM_HD_FREE void accelerate(Team team, const FeatherstoneWork<F>& w) const {
    const F h = F(dt);
    team.each(tree.dofs(), [&](int i) {
      if (tree.dof_link[i] < 0) return;
      F& diagonal = w.tree.M[block_index(i / 3, i / 3)][i % 3][i % 3];
      diagonal = fma(h, fma(h, entry(w.stiffness, i), entry(w.damping, i)), diagonal);
    });
    team.each(tree.blocks(), [&](int b) {
      w.start[b] = w.tree.qd[b];
      Vec3T<F>& f = w.force[b];
      f -= w.tree.bias[b];
      for (int k = 0; k < 3; ++k) f[k] = fma(-h * w.stiffness[b][k], w.tree.qd[b][k], f[k]) * h;
    });
    team.each(tree.links(), [&](int l) {
      if (tree.link[l].type == JointType::kDistance) hold_distance(l, w);
    });
    if (loops.count() > 0) close_loops(team, w);
    factor_blocks(team, tree.mass_pattern, w.tree.M, w.tree.factor);
    solve_transposed_blocks(team, tree.mass_pattern, w.tree.factor, w.force);
  }

  // The position of a distance joint is what lies between its frames.
  template <class F>
  CAROM_HD void hold_distance(int l, const FeatherstoneWork<F>& w) const {
    const TreeLink& link = tree.link[l];
    const F* const q = w.tree.q + link.q;
    const Vec3T<F> d{q[0], q[1], q[2]}, n = normalize(d);
    const F h = F(dt), rate = dot(n, read3(w.tree.qd, link.dof));
    const auto held = hold_joints(Solo{}, w, h).hold_distance(link, length(d), rate);
    for (int a = 0; a < 3; ++a) {
      entry(w.force, link.dof + a) = fma(n[a], h * held.g(h, rate), entry(w.force, link.dof + a));
      for (int b = 0; b <= a; ++b) add_to_matrix(link.dof + a, link.dof + b, n[a] * n[b] * held.B(h), w);
    }
  }
  // j <= i
  template <class F>
  CAROM_HD static void add_to_matrix(int i, int j, F more, const FeatherstoneWork<F>& w) {
    Mat33T<F>& block = w.tree.M[block_index(i / 3, j / 3)];
    block[i % 3][j % 3] += more;
    if (i / 3 == j / 3 && i != j) block[j % 3][i % 3] += more;
  }

  // -- Loops: rows with the impulses p = -B (J v+ + rate C).

  static constexpr Real kLoopRate = Real(0.1);   // share of its error that a row loses in a step
  static constexpr Real kLoopStiff = Real(1e4);  // of B, beside the largest mass that a row can have to move

  template <class Team, class F>
  CAROM_HD_FREE void close_loops(Team team, const FeatherstoneWork<F>& w) const {
    team.each(tree.dofs(), [&](int i) {
      entry(w.loop_mass, i) = w.tree.M[block_index(i / 3, i / 3)][i % 3][i % 3];
      entry(w.loop_J, i) = F(0);
    });
    CAROM_ROLL
    for (int k = 0; k < loops.count(); ++k) {
      if (loops.loop[k].is_tie()) tie(team, k, w);
      else couple(team, k, w);
    }
  }
  template <class F>
  CAROM_HD TieGap<F> gap_of(int k, const FeatherstoneWork<F>& w) const {
    const Loop& loop = loops.loop[k];
    return tie_gap(w.loops[k], [&](int side) CAROM_HD_LAMBDA {
      const TransformT<F> X_LB = loop.body[side] < 0 ? TransformT<F>{} : w.bodies[loop.body[side]].X_LB;
      return loop.link[side] < 0 ? X_LB : w.tree.X_WL[loop.link[side]] * X_LB;
    });
  }
  // Row r of a connect or a weld: how it is moved, and what it has to take away.
  template <class Team, class F>
  CAROM_HD_FREE LoopError<F> open_row(Team team, int k, int r, const TieGap<F>& gap,
                                      const FeatherstoneWork<F>& w) const {
    const Loop& loop = loops.loop[k];
    const LoopParams<F>& params = w.loops[k];
    const bool turns = r >= 3;
    each_dof_of_loop(team, k, [&](int i) CAROM_HD_LAMBDA {
      const SpatialVectorT<F>& S = w.tree.motion[i];
      const Vec3T<F> arm = gap.point - w.tree.tree_com[tree.link[tree.dof_link[i]].tree];
      const Vec3T<F> moved = turns ? S.angular : S.linear + cross(S.angular, arm);
      const F share(moves(loop.link[1], i) - moves(loop.link[0], i));
      entry(w.loop_J, i) = moved[r % 3] * share;
      entry(w.loop_reach, i) = length_squared(moved) * (share * share);
    });
    if (turns) return {gap.turn[r - 3], params.enabled * params.turns};
    return {gap.shift[r], params.enabled};
  }
  template <class Team, class F>
  CAROM_HD_FREE void tie(Team team, int k, const FeatherstoneWork<F>& w) const {
    const TieGap<F> gap = gap_of(k, w);
    CAROM_ROLL
    for (int r = 0; r < loops.loop[k].rows(); ++r) add_row(team, k, open_row(team, k, r, gap, w), w);
  }
  // What connects and welds do, by the velocities that they led to.
  template <class Team, class F>
  CAROM_HD_FREE void read_ties(Team team, const WorldIds<F>& ids, const FeatherstoneWork<F>& w) const {
    CAROM_ROLL
    for (int k = 0; k < loops.count(); ++k) {
      if (!loops.loop[k].is_tie()) continue;
      const TieGap<F> gap = gap_of(k, w);
      Vec3T<F> force, torque;
      CAROM_ROLL
      for (int r = 0; r < loops.loop[k].rows(); ++r) {
        const LoopImpulse<F> row = impulse_of_row(k, open_row(team, k, r, gap, w), w);
        (r < 3 ? force : torque)[r % 3] = -(row.B * row.rate) / F(dt);
        team.sync();  // all have read the row that the next one is written over
      }
      team.each(1, [&](int) { readings.write_tie(ids, k, force, torque, gap.point); });
    }
  }
  template <class Team, class F>
  CAROM_HD_FREE void couple(Team team, int k, const FeatherstoneWork<F>& w) const {
    const Loop& loop = loops.loop[k];
    const bool has_driver = loop.link[1] >= 0;
    const CouplingGap<F> gap =
        coupling_gap(w.loops[k], w.tree.q[loop.coordinate[0]], has_driver ? w.tree.q[loop.coordinate[1]] : F(0));
    each_dof_of_loop(team, k, [&](int i) CAROM_HD_LAMBDA {
      const F J = i == loop.dof[0] ? F(1) : -gap.slope;
      entry(w.loop_J, i) = J, entry(w.loop_reach, i) = J * J;
    });
    add_row(team, k, LoopError<F>{gap.error, w.loops[k].enabled}, w);
  }
  template <class Team, class Function>
  CAROM_HD void each_dof_of_loop(Team team, int k, Function f) const {
    const int first = loops.dof_start[k];
    team.each(loops.dof_start[k + 1] - first, [&](int at) { f(loops.dof[first + at]); });
  }
  // The impulse is -B rate, at these velocities. In the direction in which it reaches farthest no row has to move more
  // than M_ii / reach_i, for any i; where it hardly reaches, as where a joint holds already, no more either.
  template <class F>
  CAROM_HD LoopImpulse<F> impulse_of_row(int k, const LoopError<F>& row, const FeatherstoneWork<F>& w) const {
    F rate = row.error * F(kLoopRate / dt), mass = F(kGivenMotion);
    CAROM_ROLL
    for (int at = loops.dof_start[k]; at < loops.dof_start[k + 1]; ++at) {
      const int i = loops.dof[at];
      const F reach = entry(w.loop_reach, i);
      rate = fma(entry(w.loop_J, i), entry(w.tree.qd, i), rate);
      mass = select(reach > F(0), min(mass, entry(w.loop_mass, i) / select(reach > F(0), reach, F(1))), mass);
    }
    return {rate, select(mass < F(kGivenMotion), row.on * mass * F(kLoopStiff), F(0))};
  }
  template <class Team, class F>
  CAROM_HD_FREE void add_row(Team team, int k, const LoopError<F>& row, const FeatherstoneWork<F>& w) const {
    const int first = loops.dof_start[k], end = loops.dof_start[k + 1];
    const LoopImpulse<F> p = impulse_of_row(k, row, w);
    team.each(end - first, [&](int at) {
      const int i = loops.dof[first + at];
      const F BJ = p.B * entry(w.loop_J, i);
      entry(w.force, i) = fma(-BJ, p.rate, entry(w.force, i));
      for (int to = first; to <= first + at; ++to)
        add_to_matrix(i, loops.dof[to], BJ * entry(w.loop_J, loops.dof[to]), w);
    });
  }

  // -- Contacts.

  template <class Team, class F>
  CAROM_HD_FREE void push_contacts(Team team, const WorldIds<F>& ids, FeatherstoneWork<F>& w) const {
    const WorldsOfLanes<F> of(world_of, ids);
    const auto touched = [&](const ContactSlot<F>& slot, auto mark) CAROM_HD_LAMBDA { each_touched(slot, mark); };
    const auto motion = [&](const ContactSlot<F>& slot, int b, auto& moved) CAROM_HD_LAMBDA {
      for (int i = 0; i < 3; ++i) moved[i] = motion_of_contact(slot, 3 * b + i, w.tree);
    };
    ContactSweeps<F>{contacts, tree.mass_pattern, w.tree.factor, w.tree.qd, w.force, w.sweeps, sweeps, F(dt)}.solve(
        team, of.world, report, touched, motion);
  }
  // The blocks of what moves the links that a contact touches.
  template <class F, class Mark>
  CAROM_HD void each_touched(const ContactSlot<F>& slot, Mark mark) const {
    for (const auto& link : slot.link)
      for (int lane = 0; lane < ContactSlot<F>::kWidth; ++lane) {
        const int l = link[lane];
        if (l < 0 || (lane > 0 && l == link[lane - 1])) continue;
        for (int word = 0; word < link_dofs.words; ++word)
          each_bit(static_cast<std::uint64_t>(link_dofs(l, word)),
                   [&](int bit) CAROM_HD_LAMBDA { mark((word * kDofsPerWord + bit) / 3); });
      }
  }
  // How the contact point of shape 1 moves against that of shape 0, per unit of a degree of freedom.
  template <class F>
  CAROM_HD SpatialVectorT<F> motion_of_contact(const ContactSlot<F>& slot, int i, const TreeWork<F>& t) const {
    if (tree.dof_link[i] < 0) return {};
    const SpatialVectorT<F>& S = t.motion[i];
    const Vec3T<F> arm = slot.point - t.tree_com[tree.link[tree.dof_link[i]].tree];
    const F share = slot.share_of([&](int link) CAROM_HD_LAMBDA { return moves(link, i); });
    return {(S.linear + cross(S.angular, arm)) * share, S.angular * share};
  }

  CAROM_HD int moves(int link, int i) const { return link_dofs(link, i / kDofsPerWord) >> i % kDofsPerWord & 1; }

  // -- The new state.

  template <class Team, class F>
  CAROM_HD_FREE void finish(Team team, const WorldIds<F>& ids, FeatherstoneWork<F>& w) const {
    const F rate = F(1) / F(dt);
    team.each(tree.blocks(), [&](int b) { w.force[b] = (w.tree.qd[b] - w.start[b]) * rate; });  // accelerations
    step_positions(team, tree, w.tree, F(dt));
    move_velocities_to_coms(team, tree, w.tree);
    keep_last_finite(team, ids, w);
    store_block(team, out_q, world_offsets(coord_start, ids), tree.coord_count, w.tree.q);
    const DofColumns<F> dofs = columns(ids, w);
    dofs.store(team, w.tree.qd, out_qd);
    dofs.store(team, w.force, out_qdd);
  }

  // Worlds that stop being finite keep their last good state, which still stands where it was read.
  template <class Team, class F>
  CAROM_HD_FREE void keep_last_finite(Team team, const WorldIds<F>& ids, FeatherstoneWork<F>& w) const {
    const F q = team.sum(tree.coord_count, [&](int i) { return w.tree.q[i] * F(0); });  // 0 x is 0 for finite x
    const F rest = team.sum(tree.blocks(), [&](int b) {
      const Vec3T<F> v = (w.tree.qd[b] + w.force[b]) * F(0);
      return v.x + v.y + v.z;
    });
    const WorldsOfLanes<F> of(world_of, ids);
    const MaskOf<F> finite = q + rest == F(0) && !is_lost<F>(lost, of.world);
    close_report(team, report, of.world, w.sweeps, finite);
    if (!team.any_in_step(!all(finite))) return;
    const Offsets<F> coords = world_offsets(coord_start, ids), dofs = world_offsets(dof_start, ids);
    team.each(tree.coord_count, [&](int i) { w.tree.q[i] = select(finite, w.tree.q[i], load<F>(joint_q, coords, i)); });
    team.each(tree.dofs(), [&](int i) {
      const int place = tree.dof_in_part[i];
      if (place < 0) return;
      F &speed = entry(w.tree.qd, i), &acceleration = entry(w.force, i);
      speed = select(finite, speed, load<F>(joint_qd, dofs, place));
      acceleration = select(finite, acceleration, load<F>(joint_qdd, dofs, place));
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
