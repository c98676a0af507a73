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
#include "dynamics/maximal_loops.kernel.h"
#include "solvers/semi_implicit/soft_joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SemiImplicitWork {
  MaximalWork<F> links;
  Mat33T<F>* H;
  Vec3T<F>*v, *rhs;  // two blocks of each link: linear, angular
  SweepWork<F> sweeps;
};

struct SemiImplicitStep {
  using Number = Real;
  static constexpr bool kInStep = false;

  Span<const int> worlds;  // ids of the parts, each a world
  MaximalWorlds maximal;
  BlockPattern pattern;          // of H
  Span<const int> block, place;  // first block of each link; link of every pair of blocks

  Real dt;                  // [s]
  Real joint_ke, joint_kd;  // of what holds a joint [N/m], [N s/m] and [N m/rad], [N m s/rad]
  Real angular_damping;     // [1/s]
  SweepOptions sweeps;
  bool keeps_joints;  // joint coordinates are wanted

  const int* lost;  // of each world: 1 where a particle is not finite; nullptr: there are none
  ContactColumns contacts;
  SweepReport report;

  // -- Memory.

  template <class F>
  CAROM_HD void take_work(Arena& arena, SemiImplicitWork<F>& w) const {
    maximal.take(arena, w.links);
    w.H = arena.take<Mat33T<F>>(block_total(pattern.size));
    w.v = arena.take<Vec3T<F>>(pattern.size);
    w.rhs = arena.take<Vec3T<F>>(pattern.size);
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
    maximal.open(team, ids, w.links);
    maximal.hold(team, F(dt), w.links);
    open_matrix(team, w);
    push_bodies(team, ids, w);
    team.each(1, [&](int) {  // a parent has several children
      CAROM_ROLL
      for (int l = 0; l < maximal.tree.links(); ++l) add_joint(l, w);
      CAROM_ROLL
      for (int k = 0; k < maximal.loops.count(); ++k) add_loop(k, w);
    });
    factor_blocks(team, pattern, w.H, w.H);
    solve_blocks(team, pattern, w.H, w.rhs);
    team.each(pattern.size, [&](int b) { w.v[b] += w.rhs[b]; });
    const WorldsOfLanes<F> of(maximal.world_of, ids);
    ContactSweeps<F>{contacts, pattern, w.H, w.v, w.sweeps, sweeps, F(dt)}.solve(
        team, of.world, report,
        [&](const ContactSlot<F>& slot, auto mark) CAROM_HD_LAMBDA { each_touched(slot, mark); },
        [&](const ContactSlot<F>& slot, int i) CAROM_HD_LAMBDA { return motion_of_contact(slot, i, w); });
    if (maximal.readings.tie_force) read_ties(team, ids, w);
    finish(team, ids, of.world, w);
  }

 private:
  // -- Joints.

  template <class F>
  CAROM_HD void add_joint(int l, const SemiImplicitWork<F>& w) const {
    const TreeLink& link = maximal.tree.link[l];
    if (link.type == JointType::kDistance) return add_distance(l, w);
    if (velocity_at_com(link.type) && !maximal.resists(link, w.links)) return;
    const DofParams<F>* const params = w.links.tree.dof_params + link.dof;
    const JointPose<F> pose = maximal.pose_of_joint(l, w.links);
    const SoftAxes<F> soft{F(joint_ke), F(joint_kd), F(dt)};
    JointMatrices<F> joint;
    const auto number_of = [&](const Vec3T<F>* column, int first) CAROM_HD_LAMBDA {
      return [column, first](int i) CAROM_HD_LAMBDA { return entry(column, first + i); };
    };
    const auto armature = [&](int first) CAROM_HD_LAMBDA {
      return [params, first](int i) CAROM_HD_LAMBDA { return params[first + i].armature; };
    };
    const auto add = [&](int first, int count, Vec3T<F> offset, Vec3T<F> v, Vec3T<F> drift, Mat33T<F>& B,
                         Vec3T<F>& g) CAROM_HD_LAMBDA {
      const int dof = link.dof + first;
      soft.add(FreeAxes<F>(count, pose.axes + first), offset, v, drift, number_of(w.links.joint_force, dof),
               number_of(w.links.stiffness, dof), number_of(w.links.damping, dof), armature(first), B, g);
    };
    const Vec3T<F> drift = link.linear > 0 ? maximal.drift_of(l, pose.frame, w.links) : Vec3T<F>{};
    add(0, link.linear, pose.shift, pose.frame.V.linear, drift, joint.along, joint.force);
    add(link.linear, link.angular, pose.turn, pose.frame.V.angular, {}, joint.about, joint.torque);
    JointBlocks<F>{w.H, w.rhs, F(dt)}.add(block[l], pose.frame.r_child, first_block(link.parent), pose.frame.r_parent,
                                          joint);
  }

  template <class F>
  CAROM_HD void add_distance(int l, const SemiImplicitWork<F>& w) const {
    const TreeLink& link = maximal.tree.link[l];
    const JointFrame<F> frame = maximal.frame_of(l, w.links);
    const auto between = maximal.reach_of(frame);
    const F h = F(dt);
    const auto held = maximal.hold_forces(h, w.links).hold_distance(link, between.length, between.rate);
    JointMatrices<F> joint{};
    joint.along = outer(between.direction, between.direction) * held.B(h);
    joint.force = between.direction * held.g(h, between.rate);
    JointBlocks<F>{w.H, w.rhs, h}.add(block[l], frame.r_child, first_block(link.parent), frame.r_parent, joint);
  }

  // -- Loops, held as joints are.

  template <class F>
  CAROM_HD void add_loop(int k, const SemiImplicitWork<F>& w) const {
    if (maximal.loops.loop[k].is_tie()) add_tie(k, w);
    else add_coupling(k, w);
  }
  // What a connect or a weld does at these velocities of the links, V(l), and where.
  template <class F>
  struct Tie {
    Vec3T<F> r[2];  // from the centres of mass [m]
    JointMatrices<F> held;
    Vec3T<F> point;
  };
  template <class F, class Velocity>
  CAROM_HD Tie<F> tie_at(int k, const SemiImplicitWork<F>& w, Velocity V) const {
    const Loop& loop = maximal.loops.loop[k];
    const LoopParams<F>& params = w.links.loops[k];
    const TieGap<F> gap = tie_gap_of(maximal, k, w.links);
    Tie<F> tie{};
    tie.point = gap.point;
    SpatialVectorT<F> between{};
    for (int side = 0; side < 2; ++side) {
      if (loop.link[side] < 0) continue;
      tie.r[side] = gap.point - w.links.link[loop.link[side]].com;
      const SpatialVectorT<F> of_link = V(loop.link[side]);
      const F sign = side == 1 ? F(1) : F(-1);
      between =
          between + SpatialVectorT<F>{of_link.linear + cross(of_link.angular, tie.r[side]), of_link.angular} * sign;
    }
    const F h = F(dt), along = params.enabled, about = along * params.turns, yield = fma(h, F(joint_ke), F(joint_kd));
    tie.held.along = mat33_identity<F>() * (h * yield * along);
    tie.held.about = mat33_identity<F>() * (h * yield * about);
    tie.held.force = (gap.shift * F(joint_ke) + between.linear * yield) * -along;
    tie.held.torque = (gap.turn * F(joint_ke) + between.angular * yield) * -about;
    return tie;
  }
  template <class F>
  CAROM_HD void add_tie(int k, const SemiImplicitWork<F>& w) const {
    const Loop& loop = maximal.loops.loop[k];
    const Tie<F> tie = tie_at(k, w, [&](int l) CAROM_HD_LAMBDA { return w.links.link[l].V; });
    const int first[2]{first_block(loop.link[0]), first_block(loop.link[1])};
    const JointBlocks<F> blocks{w.H, w.rhs, F(dt)};
    if (first[1] > first[0]) blocks.add(first[1], tie.r[1], first[0], tie.r[0], tie.held);
    else blocks.add(first[0], tie.r[0], first[1], tie.r[1], tie.held.on_parent());
  }
  // By the velocities that they led to.
  template <class Team, class F>
  CAROM_HD_FREE void read_ties(Team team, const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    team.each(maximal.loops.count(), [&](int k) {
      if (!maximal.loops.loop[k].is_tie()) return;
      const Tie<F> tie = tie_at(k, w, [&](int l) CAROM_HD_LAMBDA {
        return SpatialVectorT<F>{w.v[block[l]], w.v[block[l] + 1]};
      });
      maximal.readings.write_tie(ids, k, tie.held.force, tie.held.torque, tie.point);
    });
  }
  template <class F>
  CAROM_HD void add_coupling(int k, const SemiImplicitWork<F>& w) const {
    const CouplingRow<F> row = coupling_row(maximal, k, w.links);
    const F h = F(dt), on = w.links.loops[k].enabled, yield = fma(h, F(joint_ke), F(joint_kd));
    F rate{};
    int first[CouplingRow<F>::kLinks];
    for (int i = 0; i < CouplingRow<F>::kLinks; ++i) {
      first[i] = first_block(row.link[i]);
      if (row.link[i] >= 0) rate = rate + dot(row.J[i], w.links.link[row.link[i]].V);
    }
    JointBlocks<F>{w.H, w.rhs, h}.add_row(first, row.J, on * h * yield,
                                          -on * fma(F(joint_ke), row.error, yield * rate));
  }
  CAROM_HD int first_block(int link) const { return link < 0 ? -1 : block[link]; }

  // -- Bodies.

  template <class F>
  CAROM_HD Mat33T<F> inertia_of(int l, QuatT<F> turn, const SemiImplicitWork<F>& w) const {
    const Sym33T<F> I = rotate(mat33_from_quat(turn), w.links.tree.link_params[l].inertia);
    return {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
  }
  template <class Team, class F>
  CAROM_HD_FREE void open_matrix(Team team, const SemiImplicitWork<F>& w) const {
    each_block(team, pattern, [&](int at) CAROM_HD_LAMBDA {
      for (int k = 0; k < 3; ++k)  // number by number: GCC clears whole structs by an instruction that is slow to start
        w.H[at][k].x = w.H[at][k].y = w.H[at][k].z = F(0);
    });
    team.each(maximal.tree.links(), [&](int l) {
      const LinkMotion<F>& link = w.links.link[l];
      const int b = block[l];
      const F h = F(dt), mass = w.links.tree.link_params[l].mass;
      const MaskOf<F> given = maximal.is_given(l, w.links);
      Mat33T<F>& linear = w.H[block_index(b, b)];
      Mat33T<F>& angular = w.H[block_index(b + 1, b + 1)];
      linear = mat33_identity<F>() * select(given, F(kGivenMotion), mass);
      angular = inertia_of(l, link.X_WL.q, w);
      for (int k = 0; k < 3; ++k) angular[k][k] = select(given, F(kGivenMotion), angular[k][k]);
      w.v[b] = link.V.linear, w.v[b + 1] = link.V.angular;
      w.rhs[b] = w.links.tree.gravity * (mass * h);
      w.rhs[b + 1] = angular * link.V.angular * select(given, F(0), F(-h * F(angular_damping)));
    });
  }

  // What users and particles apply to bodies, and users to free joints.
  template <class Team, class F>
  CAROM_HD_FREE void push_bodies(Team team, const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    const F h = F(dt);
    maximal.each_push(team, ids, w.links, [&](int l, Vec3T<F> point, const SpatialVectorT<F>& f) CAROM_HD_LAMBDA {
      const int b = block[l];
      w.rhs[b] = fma(f.linear, h, w.rhs[b]);
      w.rhs[b + 1] = fma(f.angular + cross(point - w.links.link[l].com, f.linear), h, w.rhs[b + 1]);
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
    return {cross(axis, slot.point - w.links.link[l].com), axis};
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
    team.each(maximal.tree.links(), [&](int l) {
      LinkMotion<F>& link = w.links.link[l];
      const int b = block[l];
      const Mat33T<F> before = inertia_of(l, link.X_WL.q, w);
      LinkMotion<F> next = link;
      next.X_WL.q = normalize(quat_from_rotation_vector(w.v[b + 1] * h) * link.X_WL.q);
      next.com = fma(w.v[b], h, link.com);
      next.X_WL.p = next.com - rotate(next.X_WL.q, w.links.tree.link_params[l].com);
      const Vec3T<F> kept = inverse(inertia_of(l, next.X_WL.q, w)) * (before * w.v[b + 1]);
      next.V = {w.v[b], select(maximal.is_given(l, w.links), w.v[b + 1], kept)};
      link.X_WL = {select(finite, next.X_WL.p, link.X_WL.p), select(finite, next.X_WL.q, link.X_WL.q)};
      link.com = select(finite, next.com, link.com);
      link.V = {select(finite, next.V.linear, link.V.linear), select(finite, next.V.angular, link.V.angular)};
    });
    maximal.write_bodies(team, ids, w.links);
    if (keeps_joints) maximal.write_joints(team, ids, finite, h, w.links);
  }
};

}  // namespace carom::inline CAROM_PRECISION
