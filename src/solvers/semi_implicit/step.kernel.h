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
  SoftJoint<F>* joint;        // of each link, then of each loop that is a tie
  CoupledLinks<F>* coupling;  // of each loop that couples joints
  TransformT<F>* frame;       // of each link: that of its joint, whose origin is that of the link here
  Mat33T<F>* H;               // and its factor
  Vec3T<F>*v, *x;  // two blocks of each link, of its origin and of its turning: velocities; impulses, and L dv later
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
    w.joint = arena.take<SoftJoint<F>>(maximal.tree.links() + maximal.loops.count());
    w.coupling = arena.take<CoupledLinks<F>>(maximal.loops.count());
    w.frame = arena.take<TransformT<F>>(maximal.tree.links());
    w.H = arena.take<Mat33T<F>>(block_total(pattern.size));
    w.v = arena.take<Vec3T<F>>(pattern.size);
    w.x = arena.take<Vec3T<F>>(pattern.size);
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
    open_links(team, w);
    push_bodies(team, ids, w);
    if (maximal.loops.count() > 0) open_loops(team, w);
    factor_opened_blocks<2>(
        team, pattern, w.H, w.x, [&](int g) CAROM_HD_LAMBDA { open_joint(team, place[g], w); },
        [&](int g) CAROM_HD_LAMBDA { open_rows(team, place[g], w); });
    maximal.note_joints(team, ids, w.links);
    const WorldsOfLanes<F> of(maximal.world_of, ids);
    ContactSweeps<F>{contacts, pattern, w.H, w.v, w.x, w.sweeps, sweeps, F(dt)}.solve(
        team, of.world, report,
        [&](const ContactSlot<F>& slot, auto mark) CAROM_HD_LAMBDA { each_touched(slot, mark); },
        [&](const ContactSlot<F>& slot, int b, auto& moved) CAROM_HD_LAMBDA { move_contact(slot, b, w, moved); });
    if (maximal.readings.tie_force) read_ties(team, ids, w);
    finish(team, ids, of.world, w);
  }

 private:
  // -- Joints.

  template <class Team, class F>
  CAROM_HD_FREE void open_joint(Team team, int l, const SemiImplicitWork<F>& w) const {
    const TreeLink& link = maximal.tree.link[l];
    const JointFrame<F> frame = maximal.frame_of(l, w.frame[l], w.links);
    maximal.hold_joint(team, l, frame, F(dt), w.links);
    SoftJoint<F>& joint = w.joint[l];
    if (!holds(l, w)) return;
    joint.r[0] = link.parent < 0 ? Vec3T<F>{} : w.frame[l].p - w.frame[link.parent].p;
    if (link.type == JointType::kDistance) return hold_distance(l, frame, w);
    const DofParams<F>* const params = w.links.tree.dof_params + link.dof;
    JointPose<F> pose;
    maximal.find_pose(l, frame, w.links, pose);
    const SoftAxes<F> soft{F(joint_ke), F(joint_kd), F(dt)};
    const auto number_of = [&](const Vec3T<F>* column, int first) CAROM_HD_LAMBDA {
      return [column, first](int i) CAROM_HD_LAMBDA { return entry(column, first + i); };
    };
    const auto armature = [&](int first) CAROM_HD_LAMBDA {
      return [params, first](int i) CAROM_HD_LAMBDA { return params[first + i].armature; };
    };
    const auto add = [&](int first, int count, Vec3T<F> offset, Vec3T<F> v, Vec3T<F> drift, Sym33T<F>& B,
                         Vec3T<F>& g) CAROM_HD_LAMBDA {
      const int dof = link.dof + first;
      soft.add(count, pose.axes + first, offset, v, drift, number_of(w.links.joint_force, dof),
               number_of(w.links.stiffness, dof), number_of(w.links.damping, dof), armature(first), B, g);
    };
    const Vec3T<F> drift = link.linear > 0 ? maximal.drift_of(l, frame, w.links) : Vec3T<F>{};
    add(0, link.linear, pose.shift, frame.V.linear, drift, joint.along, joint.force);
    add(link.linear, link.angular, pose.turn, frame.V.angular, {}, joint.about, joint.torque);
  }
  template <class F>
  CAROM_HD void hold_distance(int l, const JointFrame<F>& frame, const SemiImplicitWork<F>& w) const {
    const auto between = maximal.reach_of(frame);
    const F h = F(dt);
    const auto held = maximal.hold_forces(h, w.links).hold_distance(maximal.tree.link[l], between.length, between.rate);
    SoftJoint<F>& joint = w.joint[l];
    joint.along = soft::plus_square(Sym33T<F>{}, between.direction, held.B(h));
    joint.force = between.direction * held.g(h, between.rate);
    joint.about = {}, joint.torque = {};
  }
  // A free joint that nothing slows down does nothing.
  template <class F>
  CAROM_HD bool holds(int l, const SemiImplicitWork<F>& w) const {
    const TreeLink& link = maximal.tree.link[l];
    return !velocity_at_com(link.type) || link.type == JointType::kDistance || maximal.resists(link, w.links);
  }

  // -- The rows of a link: what it weighs, and what acts between it and others.

  // With the team, so that what stays out of line belongs to its tier, here and below.
  template <class Team, class F>
  CAROM_HD_FREE void open_rows(Team team, int l, const SemiImplicitWork<F>& w) const {
    const TreeLink& link = maximal.tree.link[l];
    const int b = block[l];
    const auto at = [&](int row, int column) CAROM_HD_LAMBDA -> Mat33T<F>& { return w.H[block_index(row, column)]; };
    LinkRows<F> rows = rows_of_body(l, w);
    if (maximal.loops.count() > 0) clear_rows(b, w);
    if (holds(l, w)) {
      rows.add_own(w.joint[l], F(dt));
      if (link.parent >= 0)
        LinkRows<F>::each_towards_parent(w.joint[l], [&](int row, int column, const Mat33T<F>& B) CAROM_HD_LAMBDA {
          at(b + row, block[link.parent] + column) = B;
        });
    }
    CAROM_ROLL
    for (int c = link.first_child; c < link.first_child + link.child_count; ++c) {
      const int child = maximal.tree.child[c];
      if (holds(child, w)) rows.add(w.joint[child], 0, F(dt));
    }
    if (maximal.loops.count() > 0) add_loops(team, l, rows, w);
    at(b, b) = soft::matrix(rows.linear), at(b + 1, b) = rows.mixed, at(b + 1, b + 1) = soft::matrix(rows.angular);
    w.x[b] += rows.impulse, w.x[b + 1] += rows.twist;
  }
  template <class F>
  CAROM_HD void clear_rows(int b, const SemiImplicitWork<F>& w) const {
    for (const int row : {b, b + 1})
      for (int t = 0; t < pattern.column_count[row]; ++t)
        w.H[block_index(row, pattern.columns_of(row)[t])] = Mat33T<F>{};
  }
  template <class F>
  CAROM_HD LinkRows<F> rows_of_body(int l, const SemiImplicitWork<F>& w) const {
    const F h = F(dt), mass = w.links.tree.link_params[l].mass;
    const LinkMotion<F>& link = w.links.link[l];
    const MaskOf<F> given = maximal.is_given(l, w.links);
    const Vec3T<F> to_com = link.com - w.frame[l].p, weight = w.links.tree.gravity * (mass * h);
    const Sym33T<F> I_c = rotate(mat33_from_quat(link.X_WL.q), w.links.tree.link_params[l].inertia);
    const SpatialInertiaT<F> body = spatial_inertia(mass, to_com, I_c);
    const F zero(0), m = select(given, F(kGivenMotion), mass);
    const auto given_or = [&](F number) CAROM_HD_LAMBDA { return select(given, F(kGivenMotion), number); };
    const Sym33T<F>& I = body.inertia;
    LinkRows<F> rows;
    rows.linear = soft::diagonal(m);
    rows.mixed = skew(body.moment);
    rows.angular = {given_or(I.xx), given_or(I.yy), given_or(I.zz), I.xy, I.xz, I.yz};
    rows.impulse = weight;
    rows.twist = cross(to_com, weight) + I_c * link.V.angular * select(given, zero, -h * F(angular_damping));
    return rows;
  }

  // -- Loops, held as joints are.

  // Couplings are of coordinates, which are found on the way later.
  template <class Team, class F>
  CAROM_HD_FREE void open_loops(Team team, const SemiImplicitWork<F>& w) const {
    maximal.find_coordinates(team, w.links);
    team.each(maximal.loops.count(), [&](int k) { open_loop(k, w); });
  }
  template <class F>
  CAROM_HD void open_loop(int k, const SemiImplicitWork<F>& w) const {
    if (maximal.loops.loop[k].is_tie()) w.joint[maximal.tree.links() + k] = tie_at(k, w).held;
    else w.coupling[k] = coupled_links(k, w);
  }
  // What they add to the rows of link l. In a copy, so that those of worlds without loops stay in registers.
  template <class Team, class F>
  CAROM_HD void add_loops(Team team, int l, LinkRows<F>& rows, const SemiImplicitWork<F>& w) const {
    LinkRows<F> sum = rows;
    CAROM_ROLL
    for (int k = 0; k < maximal.loops.count(); ++k) add_loop(team, k, l, sum, w);
    rows = sum;
  }
  template <class Team, class F>
  CAROM_HD_FREE void add_loop(Team, int k, int l, LinkRows<F>& rows, const SemiImplicitWork<F>& w) const {
    const Loop& loop = maximal.loops.loop[k];
    const auto towards = [&](int other, int row, int column, const Mat33T<F>& B) CAROM_HD_LAMBDA {
      Mat33T<F>& to = w.H[block_index(block[l] + row, block[other] + column)];
      to = to + B;
    };
    if (!loop.is_tie())
      return w.coupling[k].add(l, rows, F(dt), [&](int other, int row, int column, const Mat33T<F>& B) CAROM_HD_LAMBDA {
        if (block[other] < block[l]) towards(other, row, column, B);
      });
    if (loop.link[0] == loop.link[1]) return;  // it holds what cannot move
    for (int side = 0; side < 2; ++side) {
      if (loop.link[side] != l) continue;
      const SoftJoint<F>& tie = w.joint[maximal.tree.links() + k];
      const int other = loop.link[1 - side];
      rows.add(tie, side, F(dt));
      if (other >= 0 && block[other] < block[l])
        LinkRows<F>::each_towards(tie, side, [&](int row, int column, const Mat33T<F>& B) CAROM_HD_LAMBDA {
          towards(other, row, column, B);
        });
    }
  }
  // What a connect or a weld does at the velocities w.v, and where.
  template <class F>
  struct Tie {
    SoftJoint<F> held;
    Vec3T<F> point;
  };
  template <class F>
  CAROM_HD Tie<F> tie_at(int k, const SemiImplicitWork<F>& w) const {
    const Loop& loop = maximal.loops.loop[k];
    const LoopParams<F>& params = w.links.loops[k];
    const TieGap<F> gap = tie_gap_of(maximal, k, w.links);
    Tie<F> tie{};
    tie.point = gap.point;
    SpatialVectorT<F> between{};
    for (int side = 0; side < 2; ++side) {
      if (loop.link[side] < 0) continue;
      tie.held.r[side] = gap.point - w.frame[loop.link[side]].p;
      const int b = block[loop.link[side]];
      const SpatialVectorT<F> of_link{w.v[b], w.v[b + 1]};
      const F sign = side == 1 ? F(1) : F(-1);
      between = between +
                SpatialVectorT<F>{of_link.linear + cross(of_link.angular, tie.held.r[side]), of_link.angular} * sign;
    }
    const F h = F(dt), along = params.enabled, about = along * params.turns, yield = fma(h, F(joint_ke), F(joint_kd));
    tie.held.along = soft::diagonal(h * yield * along);
    tie.held.about = soft::diagonal(h * yield * about);
    tie.held.force = (gap.shift * F(joint_ke) + between.linear * yield) * -along;
    tie.held.torque = (gap.turn * F(joint_ke) + between.angular * yield) * -about;
    return tie;
  }
  // By the velocities that they led to.
  template <class Team, class F>
  CAROM_HD_FREE void read_ties(Team team, const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    team.each(maximal.loops.count(), [&](int k) {
      if (!maximal.loops.loop[k].is_tie()) return;
      const Tie<F> tie = tie_at(k, w);
      maximal.readings.write_tie(ids, k, tie.held.force, tie.held.torque, tie.point);
    });
  }
  template <class F>
  CAROM_HD CoupledLinks<F> coupled_links(int k, const SemiImplicitWork<F>& w) const {
    CouplingRow<F> row = coupling_row(maximal, k, w.links);
    const F h = F(dt), on = w.links.loops[k].enabled, yield = fma(h, F(joint_ke), F(joint_kd));
    F rate{};
    for (int i = 0; i < CouplingRow<F>::kLinks; ++i) {
      if (row.link[i] < 0) continue;
      const LinkMotion<F>& link = w.links.link[row.link[i]];
      rate = rate + dot(row.J[i], link.V);
      row.J[i].angular += cross(link.com - w.frame[row.link[i]].p, row.J[i].linear);
    }
    return {row, on * h * yield, -on * fma(F(joint_ke), row.error, yield * rate)};
  }

  // -- Bodies.

  template <class Team, class F>
  CAROM_HD_FREE void open_links(Team team, const SemiImplicitWork<F>& w) const {
    team.each(maximal.tree.links(), [&](int l) {
      const int b = block[l];
      const LinkMotion<F>& link = w.links.link[l];
      w.frame[l] = maximal.joint_in_world(l, w.links);
      w.v[b] = link.V.linear + cross(link.V.angular, w.frame[l].p - link.com);
      w.v[b + 1] = link.V.angular;
      w.x[b] = w.x[b + 1] = Vec3T<F>{};
    });
  }

  // What users and particles apply to bodies, and users to free joints.
  template <class Team, class F>
  CAROM_HD_FREE void push_bodies(Team team, const WorldIds<F>& ids, const SemiImplicitWork<F>& w) const {
    const F h = F(dt);
    maximal.each_push(team, ids, w.links, [&](int l, Vec3T<F> point, const SpatialVectorT<F>& f) CAROM_HD_LAMBDA {
      const int b = block[l];
      w.x[b] = fma(f.linear, h, w.x[b]);
      w.x[b + 1] = fma(f.angular + cross(point - w.frame[l].p, f.linear), h, w.x[b + 1]);
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
  // How the contact point of shape 1 moves against that of shape 0, per unit of the velocities of a block.
  template <class F>
  CAROM_HD void move_contact(const ContactSlot<F>& slot, int b, const SemiImplicitWork<F>& w,
                             SpatialVectorT<F> (&moved)[3]) const {
    const int l = place[b / 2];
    const F share = slot.share_of([&](int link) CAROM_HD_LAMBDA { return link == l; });
    const Vec3T<F> arm = (slot.point - w.frame[l].p) * share;
    for (int i = 0; i < 3; ++i) {
      Vec3T<F> axis;
      axis[i] = F(1);
      moved[i] = b % 2 == 0 ? SpatialVectorT<F>{axis * share, {}} : SpatialVectorT<F>{cross(axis, arm), axis * share};
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
      const LinkParams<F>& params = w.links.tree.link_params[l];
      LinkMotion<F> next = link;
      next.X_WL.q = normalize(quat_from_rotation_vector(w.v[b + 1] * h) * link.X_WL.q);
      const Vec3T<F> velocity = w.v[b] + cross(w.v[b + 1], link.com - w.frame[l].p);  // of the centre of mass
      next.com = fma(velocity, h, link.com);
      next.X_WL.p = next.com - rotate(next.X_WL.q, params.com);
      const Vec3T<F> momentum = rotate(link.X_WL.q, params.inertia * rotate_inverse(link.X_WL.q, w.v[b + 1]));
      const Vec3T<F> kept = rotate(next.X_WL.q, inverse(params.inertia) * rotate_inverse(next.X_WL.q, momentum));
      next.V = {velocity, select(maximal.is_given(l, w.links), w.v[b + 1], kept)};
      link.X_WL = {select(finite, next.X_WL.p, link.X_WL.p), select(finite, next.X_WL.q, link.X_WL.q)};
      link.com = select(finite, next.com, link.com);
      link.V = {select(finite, next.V.linear, link.V.linear), select(finite, next.V.angular, link.V.angular)};
    });
    maximal.write_bodies(team, ids, w.links);
    if (keeps_joints) maximal.write_joints(team, ids, finite, h, w.links);
  }
};

}  // namespace carom::inline CAROM_PRECISION
