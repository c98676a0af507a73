// A step in maximal coordinates: every link moves on its own, joints are springs (soft_joints.kernel.h), and contacts
// answer by the law of their material (dynamics/contact_law.kernel.h), all of them at the end of the step:
//
//   H dv = h (f - J^T K J h v) + J_c^T p,   H = mass + J^T (h D + h^2 K) J,   v+ = v + dv,   x+ = x + h v+
//
// H is sparse along the kinematic trees, so it is factored without fill, and no stiffness of a joint is too large.
// Turning keeps the angular momentum: omega+ = I+^-1 I (omega + domega), with I as the link is turned before and after.
#pragma once

#include "backend/launch.h"
#include "dynamics/contact_sweeps.kernel.h"
#include "dynamics/hold_joints.kernel.h"
#include "dynamics/tree_io.kernel.h"
#include "dynamics/tree_rows.h"
#include "solvers/semi_implicit/soft_joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SemiImplicitWork {
  TreeWork<F> tree;  // of which coordinates, velocities and parameters are used
  const HoldParams<F>* holds;
  const BodyInLink<F>* bodies;
  const MotorParams<F>* motors;
  LinkMotion<F>* link;
  Vec3T<F>*joint_force, *stiffness, *damping, *joint_f, *target_pos, *target_vel, *joint_start;
  Mat33T<F>* H;
  Vec3T<F>*v, *rhs;  // two blocks of each link: linear, angular
  F *part_dofs, *ctrl, *row, *motor_row;
  SweepWork<F> sweeps;
};

struct SemiImplicitStep {
  using Number = Real;
  static constexpr bool kInStep = false;

  Span<const int> worlds;  // ids of the parts, each a world
  TreeView tree;
  BlockPattern pattern;          // of H
  Span<const int> block, place;  // first block of each link; link of every pair of blocks
  Span<const int> body_link;
  TreeRowView rows;
  Span<const int> row_of_part, world_of, coord_start, dof_start, ctrl_start;
  BodyRows body_rows;
  MotorView motors;

  Real dt;                  // [s]
  Real joint_ke, joint_kd;  // of what holds a joint [N/m], [N s/m] and [N m/rad], [N m s/rad]
  Real angular_damping;     // [1/s]
  SweepOptions sweeps;
  bool keeps_joints;  // joint coordinates are wanted

  const Real *joint_f, *target_pos, *target_vel, *ctrl, *body_f, *body_q, *body_qd;
  const Real* body_push;  // of particles; nullptr: there are none
  const int* lost;        // of each world: 1 where a particle is not finite; nullptr: there are none
  ContactColumns contacts;
  Real *out_q, *out_qd, *out_qdd, *out_body_q, *out_body_qd;
  SweepReport report;

  // -- Memory.

  template <class F>
  CAROM_HD void take_work(Arena& arena, SemiImplicitWork<F>& w) const {
    const auto vectors = [&] { return arena.take<Vec3T<F>>(tree.blocks()); };
    take_tree_state(arena, tree, w.tree);
    w.link = arena.take<LinkMotion<F>>(tree.links());
    for (Vec3T<F>** v :
         {&w.joint_force, &w.stiffness, &w.damping, &w.joint_f, &w.target_pos, &w.target_vel, &w.joint_start})
      *v = vectors();
    w.H = arena.take<Mat33T<F>>(block_total(pattern.size));
    w.v = arena.take<Vec3T<F>>(pattern.size);
    w.rhs = arena.take<Vec3T<F>>(pattern.size);
    w.part_dofs = arena.take<F>(tree.part_dof_count);
    w.ctrl = arena.take<F>(motors.ctrls);
    w.row = PlainNumber<F> || rows.lane_rows ? nullptr : arena.take<F>(rows.layout.total);
    w.motor_row = PlainNumber<F> ? nullptr : arena.take<F>(motors.numbers());
    w.sweeps.take(arena, sweeps.capacity, contacts.turns ? 6 : 3, pattern.size);
  }
  template <class F>
  CAROM_HD std::int64_t scratch_bytes() const {
    Arena arena;
    SemiImplicitWork<F> w;
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
    SemiImplicitWork<F> w;
    take_work(arena, w);
    step(team, ids, w);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int part, char* memory) const {
    (*this)(team, WorldIds<Real>{worlds[part]}, static_cast<void*>(memory));
  }

  template <class Team, class F>
  CAROM_HD_FREE void step(Team team, WorldIds<F> ids, SemiImplicitWork<F>& w) const {
    read(team, ids, w);
    read_links(team, ids, w);
    find_coordinates(team, w);
    move_velocities_to_origins(team, tree, w.tree);
    team.each(tree.blocks(), [&](int b) { w.joint_start[b] = w.tree.qd[b], w.joint_force[b] = w.joint_f[b]; });
    each_free_joint(team, tree, w.tree, [&](int linear, int angular, Vec3T<F>) CAROM_HD_LAMBDA {
      write3(w.joint_force, linear, Vec3T<F>{}), write3(w.joint_force, angular, Vec3T<F>{});
    });
    HoldForces<F>{tree, w.tree, w.holds, motors.slots, w.motors, w.ctrl, w.target_pos, w.target_vel, F(dt)}.add(
        team, w.joint_force, w.stiffness, w.damping);
    open_matrix(team, w);
    push_bodies(team, ids, w);
    team.each(1, [&](int) {  // a parent has several children
      CAROM_ROLL
      for (int l = 0; l < tree.links(); ++l) add_joint(l, w);
    });
    factor_blocks(team, pattern, w.H, w.H);
    solve_blocks(team, pattern, w.H, w.rhs);
    team.each(pattern.size, [&](int b) { w.v[b] += w.rhs[b]; });
    const WorldsOfLanes<F> of(world_of, ids);
    ContactSweeps<F>{contacts, pattern, w.H, w.v, w.sweeps, sweeps, F(dt)}.solve(
        team, of.world, report,
        [&](const ContactSlot<F>& slot, auto mark) CAROM_HD_LAMBDA { each_touched(slot, mark); },
        [&](const ContactSlot<F>& slot, int i) CAROM_HD_LAMBDA { return motion_of_contact(slot, i, w); });
    finish(team, ids, of.world, w);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void read(Team team, const WorldIds<F>& ids, SemiImplicitWork<F>& w) const {
    const F* const row = tree_row(rows, row_of_part, ids, w.row);
    const TreeRowLayout& at = rows.layout;
    w.tree.gravity = {row[at.gravity], row[at.gravity + 1], row[at.gravity + 2]};
    w.tree.link_params = reinterpret_cast<const LinkParams<F>*>(row + at.links);
    w.tree.dof_params = reinterpret_cast<const DofParams<F>*>(row + at.dofs);
    w.holds = reinterpret_cast<const HoldParams<F>*>(row + at.holds);
    w.bodies = reinterpret_cast<const BodyInLink<F>*>(row + at.bodies);
    w.motors = motors.row(row_of_part, ids, w.motor_row);
    team.each(tree.blocks(), [&](int b) {
      w.tree.qd[b] = w.joint_f[b] = w.target_pos[b] = w.target_vel[b] = {};
      w.stiffness[b] = w.damping[b] = {};
    });
    load_block(team, ctrl, world_offsets(ctrl_start, ids), motors.ctrls, w.ctrl);
    const DofColumns<F> dofs = columns(ids, w);
    dofs.load(team, joint_f, w.joint_f);
    dofs.load(team, target_pos, w.target_pos);
    dofs.load(team, target_vel, w.target_vel);
  }
  template <class F>
  CAROM_HD DofColumns<F> columns(const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    return {tree, world_offsets(dof_start, ids), w.part_dofs};
  }

  template <class F>
  CAROM_HD Offsets<F> of_body(const WorldIds<F>& ids, int b, int numbers) const {
    Offsets<F> at;
    if constexpr (PlainNumber<F>) {
      at.start = std::int64_t{numbers} * body_rows(ids[0], b);
    } else {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) at.start[l] = std::int64_t{numbers} * body_rows(ids[l], b);
    }
    return at;
  }

  // A link's frame is that of the body that carries it; its centre of mass is that of all bodies that are fixed to it.
  template <class Team, class F>
  CAROM_HD_FREE void read_links(Team team, const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    team.each(tree.links(), [&](int l) {
      const int b = tree.link[l].body;
      F x[7], v[6];
      load_rows(body_q, of_body(ids, b, 7), 0, x);
      load_rows(body_qd, of_body(ids, b, 6), 0, v);
      LinkMotion<F>& link = w.link[l];
      link.X_WL = {{x[0], x[1], x[2]}, normalize(QuatT<F>{x[3], x[4], x[5], x[6]})};
      link.com = transform_point(link.X_WL, w.tree.link_params[l].com);
      const Vec3T<F> omega{v[3], v[4], v[5]}, arm = link.com - transform_point(link.X_WL, w.bodies[b].com);
      link.V = {Vec3T<F>{v[0], v[1], v[2]} + cross(omega, arm), omega};
    });
  }

  // -- Joints.

  template <class F>
  struct JointFrame {
    TransformT<F> X_WP, X_WC;  // the joint's frames in its parent and its child
    Vec3T<F> r_child, r_parent;
    SpatialVectorT<F> V;  // of the child's frame against the parent, world axes
  };
  template <class F>
  CAROM_HD JointFrame<F> frame_of(int l, const SemiImplicitWork<F>& w) const {
    const LinkParams<F>& params = w.tree.link_params[l];
    const int parent = tree.link[l].parent;
    const LinkMotion<F>& child = w.link[l];
    JointFrame<F> f;
    f.X_WP = parent < 0 ? params.X_PJ : w.link[parent].X_WL * params.X_PJ;
    f.X_WC = child.X_WL * inverse(params.X_JL);
    f.r_child = f.X_WC.p - child.com;
    f.V = {child.V.linear + cross(child.V.angular, f.r_child), child.V.angular};
    if (parent < 0) return f;
    const LinkMotion<F>& p = w.link[parent];
    f.r_parent = f.X_WC.p - p.com;
    f.V = f.V - SpatialVectorT<F>{p.V.linear + cross(p.V.angular, f.r_parent), p.V.angular};
    return f;
  }

  // Joint coordinates and velocities of the links as they are.
  template <class Team, class F>
  CAROM_HD_FREE void find_coordinates(Team team, const SemiImplicitWork<F>& w) const {
    team.each(tree.links(), [&](int l) {
      const TreeLink& link = tree.link[l];
      JointFrame<F> f = frame_of(l, w);
      if (velocity_at_com(link.type)) {
        const Vec3T<F> arm = rotate(f.X_WC.q, w.tree.link_params[l].p_JBcom);
        f.V.linear += cross(f.V.angular, arm);
      }
      const QuatT<F> back = conjugate(f.X_WP.q);
      const SpatialVectorT<F> V{rotate(back, f.V.linear), rotate(back, f.V.angular)};
      const DofParams<F>* const params = w.tree.dof_params + link.dof;
      const auto axis = [&](int i) CAROM_HD_LAMBDA { return params[i].axis; };
      visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
        joint.coordinates({link.linear, link.angular}, axis, inverse(f.X_WP) * f.X_WC, V, w.tree.q + link.q,
                          &entry(w.tree.qd, link.dof));
      });
    });
  }

  // Whether something slows a free joint down.
  template <class F>
  CAROM_HD bool resists(const TreeLink& link, const SemiImplicitWork<F>& w) const {
    bool some = false;
    for (int i = link.dof; i < link.dof + 6; ++i)
      some = some || any(entry(w.damping, i) != F(0) || w.tree.dof_params[i].armature != F(0));
    return some;
  }

  template <class F>
  CAROM_HD void add_joint(int l, const SemiImplicitWork<F>& w) const {
    const TreeLink& link = tree.link[l];
    if (velocity_at_com(link.type) && !resists(link, w)) return;
    const JointFrame<F> f = frame_of(l, w);
    const DofParams<F>* const params = w.tree.dof_params + link.dof;
    Vec3T<F> axes[6];
    const auto axis = [&](int i) CAROM_HD_LAMBDA { return params[i].axis; };
    const TransformT<F> X_J = visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
      return joint.pose({link.linear, link.angular}, axis, w.tree.q + link.q, f.X_WP.q, axes);
    });
    const TransformT<F> X_WJ = f.X_WP * X_J;  // where the child's frame would be if the joint held exactly
    const SoftAxes<F> soft{F(joint_ke), F(joint_kd), F(dt)};
    JointMatrices<F> joint;
    const auto number_of = [&](const Vec3T<F>* column, int first) CAROM_HD_LAMBDA {
      return [column, first](int i) CAROM_HD_LAMBDA { return entry(column, first + i); };
    };
    const auto armature = [&](int first) CAROM_HD_LAMBDA {
      return [params, first](int i) CAROM_HD_LAMBDA { return params[first + i].armature; };
    };
    const auto add = [&](int first, int count, Vec3T<F> offset, Vec3T<F> v, Mat33T<F>& B, Vec3T<F>& g) CAROM_HD_LAMBDA {
      const int dof = link.dof + first;
      soft.add(FreeAxes<F>(count, axes + first), offset, v, number_of(w.joint_force, dof), number_of(w.stiffness, dof),
               number_of(w.damping, dof), armature(first), B, g);
    };
    add(0, link.linear, f.X_WC.p - X_WJ.p, f.V.linear, joint.along, joint.force);
    add(link.linear, link.angular, rotation_vector(f.X_WC.q * conjugate(X_WJ.q)), f.V.angular, joint.about,
        joint.torque);
    JointBlocks<F>{w.H, w.rhs, F(dt)}.add(block[l], f.r_child, link.parent < 0 ? -1 : block[link.parent], f.r_parent,
                                          joint);
  }

  // -- Bodies.

  template <class F>
  CAROM_HD Mat33T<F> inertia_of(int l, QuatT<F> turn, const SemiImplicitWork<F>& w) const {
    const Sym33T<F> I = rotate(mat33_from_quat(turn), w.tree.link_params[l].inertia);
    return {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
  }
  // The motion of a kinematic body is given.
  template <class F>
  CAROM_HD MaskOf<F> is_given(int l, const SemiImplicitWork<F>& w) const {
    return w.tree.dof_params[tree.link[l].dof].armature >= F(kGivenMotion);
  }

  template <class Team, class F>
  CAROM_HD_FREE void open_matrix(Team team, const SemiImplicitWork<F>& w) const {
    each_block(team, pattern, [&](int at) CAROM_HD_LAMBDA {
      for (int k = 0; k < 3; ++k)  // number by number: GCC clears whole structs by an instruction that is slow to start
        w.H[at][k].x = w.H[at][k].y = w.H[at][k].z = F(0);
    });
    team.each(tree.links(), [&](int l) {
      const LinkMotion<F>& link = w.link[l];
      const int b = block[l];
      const F h = F(dt), mass = w.tree.link_params[l].mass;
      const MaskOf<F> given = is_given(l, w);
      Mat33T<F>& linear = w.H[block_index(b, b)];
      Mat33T<F>& angular = w.H[block_index(b + 1, b + 1)];
      linear = mat33_identity<F>() * select(given, F(kGivenMotion), mass);
      angular = inertia_of(l, link.X_WL.q, w);
      for (int k = 0; k < 3; ++k) angular[k][k] = select(given, F(kGivenMotion), angular[k][k]);
      w.v[b] = link.V.linear, w.v[b + 1] = link.V.angular;
      w.rhs[b] = w.tree.gravity * (mass * h);
      w.rhs[b + 1] = angular * link.V.angular * select(given, F(0), F(-h * F(angular_damping)));
    });
  }

  // What users and particles apply to bodies, and users to free joints.
  template <class Team, class F>
  CAROM_HD_FREE void push_bodies(Team team, const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    const F h = F(dt);
    const auto push = [&](int l, Vec3T<F> point, const SpatialVectorT<F>& f) CAROM_HD_LAMBDA {
      const int b = block[l];
      w.rhs[b] = fma(f.linear, h, w.rhs[b]);
      w.rhs[b + 1] = fma(f.angular + cross(point - w.link[l].com, f.linear), h, w.rhs[b + 1]);
    };
    const auto push_all = [&](const Real* column) CAROM_HD_LAMBDA {
      for (int b = 0; b < static_cast<int>(body_link.size); ++b)
        if (const int l = body_link[b]; l >= 0)
          push(l, transform_point(w.link[l].X_WL, w.bodies[b].com), load_of_body<F>(column, body_rows, ids, b));
    };
    const bool pushed = any_body_force(team, body_f, body_rows, static_cast<int>(body_link.size), ids);
    team.each(1, [&](int) {  // several bodies may be of one link
      if (pushed) push_all(body_f);
      if (body_push) push_all(body_push);
      CAROM_ROLL
      for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link[l];
        if (!velocity_at_com(link.type)) continue;
        const SpatialVectorT<F> f{read3(w.joint_f, link.dof), read3(w.joint_f, link.dof + 3)};
        push(l, transform_point(w.link[l].X_WL, w.bodies[link.body].com), f);
      }
    });
  }

  // -- Contacts.

  // The blocks of the links that a contact touches.
  template <class F, class Mark>
  CAROM_HD void each_touched(const ContactSlot<F>& slot, Mark mark) const {
    for (const auto& link : slot.link)
      for (int lane = 0; lane < ContactSlot<F>::kWidth; ++lane) {
        const int l = link[lane];
        if (l < 0 || (lane > 0 && l == link[lane - 1])) continue;
        mark(block[l]), mark(block[l] + 1);
      }
  }
  // How the contact point of shape 1 moves against that of shape 0, per unit of a velocity.
  template <class F>
  CAROM_HD SpatialVectorT<F> motion_of_contact(const ContactSlot<F>& slot, int i, const SemiImplicitWork<F>& w) const {
    const int b = i / 3, l = place[b / 2];
    Vec3T<F> axis;
    axis[i % 3] = share_of(slot, l);
    if (b % 2 == 0) return {axis, {}};
    return {cross(axis, slot.point - w.link[l].com), axis};
  }
  // 1 of the link of shape 1, -1 of that of shape 0.
  template <class F>
  CAROM_HD static F share_of(const ContactSlot<F>& slot, int l) {
    if constexpr (PlainNumber<F>) {
      return F((slot.link[1][0] == l) - (slot.link[0][0] == l));
    } else {
      F share{};
      for (int lane = 0; lane < ContactSlot<F>::kWidth; ++lane)
        share.set(lane, Element<F>((slot.link[1][lane] == l) - (slot.link[0][lane] == l)));
      return share;
    }
  }

  // -- The new state.

  template <class Team, class F>
  CAROM_HD_FREE void finish(Team team, const WorldIds<F>& ids, const int* world, SemiImplicitWork<F>& w) const {
    const F h = F(dt);
    const F rest = team.sum(pattern.size, [&](int b) {  // 0 x is 0 for finite x
      const Vec3T<F> zero = w.v[b] * F(0);
      return zero.x + zero.y + zero.z;
    });
    const MaskOf<F> finite = rest == F(0) && !is_lost<F>(lost, world);
    close_report(team, report, world, w.sweeps, finite);
    team.each(tree.links(), [&](int l) {
      LinkMotion<F>& link = w.link[l];
      const int b = block[l];
      const Mat33T<F> before = inertia_of(l, link.X_WL.q, w);
      LinkMotion<F> next = link;
      next.X_WL.q = normalize(quat_from_rotation_vector(w.v[b + 1] * h) * link.X_WL.q);
      next.com = fma(w.v[b], h, link.com);
      next.X_WL.p = next.com - rotate(next.X_WL.q, w.tree.link_params[l].com);
      const Vec3T<F> kept = inverse(inertia_of(l, next.X_WL.q, w)) * (before * w.v[b + 1]);
      next.V = {w.v[b], select(is_given(l, w), w.v[b + 1], kept)};
      link.X_WL = {select(finite, next.X_WL.p, link.X_WL.p), select(finite, next.X_WL.q, link.X_WL.q)};
      link.com = select(finite, next.com, link.com);
      link.V = {select(finite, next.V.linear, link.V.linear), select(finite, next.V.angular, link.V.angular)};
    });
    write_bodies(team, ids, w);
    if (keeps_joints) write_joints(team, ids, finite, w);
  }

  template <class Team, class F>
  CAROM_HD_FREE void write_bodies(Team team, const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    team.each(static_cast<int>(body_link.size), [&](int b) {
      const int l = body_link[b];
      if (l < 0) return;
      const LinkMotion<F>& link = w.link[l];
      const TransformT<F> X = link.X_WL * w.bodies[b].X_LB;
      const Vec3T<F> arm = transform_point(link.X_WL, w.bodies[b].com) - link.com;
      const Vec3T<F> v = link.V.linear + cross(link.V.angular, arm), omega = link.V.angular;
      const F x[7]{X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w}, twist[6]{v.x, v.y, v.z, omega.x, omega.y, omega.z};
      store_rows(out_body_q, of_body(ids, b, 7), 0, x);
      store_rows(out_body_qd, of_body(ids, b, 6), 0, twist);
    });
  }

  template <class Team, class F>
  CAROM_HD_FREE void write_joints(Team team, const WorldIds<F>& ids, MaskOf<F> finite,
                                  const SemiImplicitWork<F>& w) const {
    find_coordinates(team, w);
    const DofColumns<F> dofs = columns(ids, w);
    store_block(team, out_q, world_offsets(coord_start, ids), tree.coord_count, w.tree.q);
    dofs.store(team, w.tree.qd, out_qd);
    move_velocities_to_origins(team, tree, w.tree);
    const F rate = F(1) / F(dt);
    team.each(tree.blocks(),
              [&](int b) { w.stiffness[b] = select(finite, (w.tree.qd[b] - w.joint_start[b]) * rate, Vec3T<F>{}); });
    dofs.store(team, w.stiffness, out_qdd);
  }
};

}  // namespace carom::inline CAROM_PRECISION
