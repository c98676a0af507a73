// A step in joint coordinates with penalty contacts:
//
//   (M + h D + h^2 K) dv = h (f(q, v) - bias - h K v) + J^T p,   v+ = v + dv,   q+ = q (+) h v+
//
// M and bias are those of Featherstone 2008, chapters 5 and 6; f, K and D are what holds and drives the joints
// (hold_joints.kernel.h), p the impulses of contacts, each of which answers the velocity at the end of the step by its
// law (dynamics/contact_law.kernel.h). They are found contact by contact, in their order, until none changes.
#pragma once

#include "backend/launch.h"
#include "dynamics/contact_sweeps.kernel.h"
#include "dynamics/hold_joints.kernel.h"
#include "dynamics/link_dofs.h"
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
  SweepWork<F> sweeps;
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
    hold_joints(team, w).add(team, w.force, w.stiffness, w.damping);
    accelerate(team, w);
    push_contacts(team, ids, w);
    finish(team, ids, w);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void read(Team team, const WorldIds<F>& ids, FeatherstoneWork<F>& w) const {
    const F* const row = tree_row(rows, row_of_part, ids, w.row);
    const TreeRowLayout& at = rows.layout;
    w.tree.gravity = {row[at.gravity], row[at.gravity + 1], row[at.gravity + 2]};
    w.tree.link_params = reinterpret_cast<const LinkParams<F>*>(row + at.links);
    w.tree.dof_params = reinterpret_cast<const DofParams<F>*>(row + at.dofs);
    w.holds = reinterpret_cast<const HoldParams<F>*>(row + at.holds);
    w.bodies = reinterpret_cast<const BodyInLink<F>*>(row + at.bodies);
    w.motor_params = motors.row(row_of_part, ids, w.motor_row);
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
      if (pushed) push_all(body_f, ids, w);
      if (body_push) push_all(body_push, ids, w);
    });
  }
  template <class F>
  CAROM_HD void push_all(const Real* column, const WorldIds<F>& ids, const FeatherstoneWork<F>& w) const {
    CAROM_ROLL
    for (int b = 0; b < static_cast<int>(body_link.size); ++b) {
      const int link = body_link[b];
      if (link < 0) continue;
      const SpatialVectorT<F> f = load_of_body<F>(column, body_rows, ids, b);
      const Vec3T<F> arm = transform_point(w.tree.X_WL[link], w.bodies[b].com) - w.tree.tree_com[tree.link[link].tree];
      SpatialVectorT<F>& wrench = w.tree.wrench[link];
      wrench = {wrench.linear - f.linear, wrench.angular - f.angular - cross(arm, f.linear)};
    }
  }

  template <class F, class Team>
  CAROM_HD HoldForces<F> hold_joints(Team, const FeatherstoneWork<F>& w) const {
    return {tree, w.tree, w.holds, motors.slots, w.motor_params, w.ctrl, w.target_pos, w.target_vel, F(dt)};
  }

  // The velocities that there would be without contacts.
  template <class Team, class F>
  CAROM_HD_FREE void accelerate(Team team, const FeatherstoneWork<F>& w) const {
    const F h = F(dt);
    team.each(tree.dofs(), [&](int i) {
      if (tree.dof_link[i] < 0) return;
      F& diagonal = w.tree.M[block_index(i / 3, i / 3)][i % 3][i % 3];
      diagonal = fma(h, fma(h, entry(w.stiffness, i), entry(w.damping, i)), diagonal);
    });
    factor_blocks(team, tree.mass_pattern, w.tree.M, w.tree.factor);
    team.each(tree.blocks(), [&](int b) {
      w.start[b] = w.tree.qd[b];
      Vec3T<F>& f = w.force[b];
      f -= w.tree.bias[b];
      for (int k = 0; k < 3; ++k) f[k] = fma(-h * w.stiffness[b][k], w.tree.qd[b][k], f[k]) * h;
    });
    solve_blocks(team, tree.mass_pattern, w.tree.factor, w.force);
    team.each(tree.blocks(), [&](int b) { w.tree.qd[b] += w.force[b]; });
  }

  // -- Contacts.

  template <class Team, class F>
  CAROM_HD_FREE void push_contacts(Team team, const WorldIds<F>& ids, FeatherstoneWork<F>& w) const {
    const WorldsOfLanes<F> of(world_of, ids);
    const auto touched = [&](const ContactSlot<F>& slot, auto mark) CAROM_HD_LAMBDA { each_touched(slot, mark); };
    const auto motion = [&](const ContactSlot<F>& slot, int i)
                            CAROM_HD_LAMBDA { return motion_of_contact(slot, i, w.tree); };
    ContactSweeps<F>{contacts, tree.mass_pattern, w.tree.factor, w.tree.qd, w.sweeps, sweeps, F(dt)}.solve(
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
    const F share = of_sides(slot, i);
    return {(S.linear + cross(S.angular, arm)) * share, S.angular * share};
  }
  // 1 where it moves the link of shape 1, -1 for that of shape 0; 0 for both.
  template <class F>
  CAROM_HD F of_sides(const ContactSlot<F>& slot, int i) const {
    const auto moves = [&](int link)
                           CAROM_HD_LAMBDA { return link_dofs(link, i / kDofsPerWord) >> i % kDofsPerWord & 1; };
    if constexpr (PlainNumber<F>) {
      return F(moves(slot.link[1][0]) - moves(slot.link[0][0]));
    } else {
      F share{};
      for (int l = 0; l < ContactSlot<F>::kWidth; ++l)
        share.set(l, Element<F>(moves(slot.link[1][l]) - moves(slot.link[0][l])));
      return share;
    }
  }

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
