// The links of a world as bodies that move on their own, in maximal coordinates: read from a state, with what joints
// hold them by and what pushes them, and written back. For solvers in whose steps joints are something that acts
// between bodies.
#pragma once

#include "dynamics/hold_joints.kernel.h"
#include "dynamics/loops.kernel.h"
#include "dynamics/step_readings.kernel.h"
#include "dynamics/tree_io.kernel.h"
#include "dynamics/tree_rows.h"

namespace carom::inline CAROM_PRECISION {

// One link.
template <class F>
struct LinkMotion {
  TransformT<F> X_WL;
  Vec3T<F> com;         // [m]
  SpatialVectorT<F> V;  // of the centre of mass, world axes
};

template <class F>
struct MaximalWork {
  TreeWork<F> tree;  // of which coordinates, velocities and parameters are used
  const HoldParams<F>* holds;
  const BodyInLink<F>* bodies;
  const MotorParams<F>* motors;
  const LoopParams<F>* loops;
  LinkMotion<F>* link;
  Vec3T<F>*joint_force, *stiffness, *damping, *joint_f, *target_pos, *target_vel, *joint_start;
  F *part_dofs, *ctrl, *row, *motor_row, *loop_row;
};

template <class F>
struct JointFrame {
  TransformT<F> X_WP, X_WC;  // the joint's frames in its parent and its child
  Vec3T<F> r_child, r_parent;
  SpatialVectorT<F> V;  // of the child's frame against the parent, world axes
};

// And where it stands: its axes in the world, and how far the child's frame is from where it would be if the joint held
// exactly.
template <class F>
struct JointPose {
  Vec3T<F> axes[6];      // of the coordinates
  Vec3T<F> shift, turn;  // [m], [rad]
};

// What is left free, and what is held, of the three directions along or about which a joint moves.
template <class F>
struct FreeAxes {
  int count;
  Vec3T<F> dual[3];  // the rate of coordinate i is dual[i] . v
  Mat33T<F> held;    // projects onto what is not free

  // axes: of the coordinates; world frame. Those of sliding are perpendicular.
  CAROM_HD FreeAxes(int n, const Vec3T<F>* axes) : count(n), held(mat33_identity<F>()) {
    if (n == 0) return;
    if (n == 1) {
      dual[0] = axes[0];
      held = held - outer(axes[0], axes[0]);
      return;
    }
    const Vec3T<F> third = n == 3 ? axes[2] : normalize(cross(axes[0], axes[1]));
    const Mat33T<F> rows = inverse(mat33_columns(axes[0], axes[1], third));
    for (int i = 0; i < n; ++i) dual[i] = rows[i];
    held = n == 3 ? Mat33T<F>{} : outer(third, third);
  }
};

// In which lanes a link is left as it is: in none.
template <class F>
struct AllAwake {
  CAROM_HD MaskOf<F> operator()(int) const { return F(0) < F(0); }
};

// What a kernel reads and writes of the worlds of one plan. Ids are those of parts, each a world.
struct MaximalWorlds {
  TreeView tree;
  Span<const int> body_link;
  TreeRowView rows;
  Span<const int> row_of_part, world_of, coord_start, dof_start, ctrl_start;
  BodyRows body_rows;
  MotorView motors;
  LoopView loops;
  StepReadings readings;
  const Real *joint_f, *target_pos, *target_vel, *ctrl, *body_f, *body_q, *body_qd;
  const Real* body_push;  // of particles; nullptr: there are none
  Real *out_q, *out_qd, *out_qdd, *out_body_q, *out_body_qd;

  template <class F>
  CAROM_HD void take(Arena& arena, MaximalWork<F>& w) const {
    const auto vectors = [&] { return arena.take<Vec3T<F>>(tree.blocks()); };
    take_tree_state(arena, tree, w.tree);
    w.link = arena.take<LinkMotion<F>>(tree.links());
    for (Vec3T<F>** v :
         {&w.joint_force, &w.stiffness, &w.damping, &w.joint_f, &w.target_pos, &w.target_vel, &w.joint_start})
      *v = vectors();
    w.part_dofs = arena.take<F>(tree.part_dof_count);
    w.ctrl = arena.take<F>(motors.ctrls);
    w.row = PlainNumber<F> || rows.lane_rows ? nullptr : arena.take<F>(rows.layout.total);
    w.motor_row = PlainNumber<F> ? nullptr : arena.take<F>(motors.numbers());
    w.loop_row = PlainNumber<F> ? nullptr : arena.take<F>(loops.numbers());
  }

  // The state: links, and what is asked of joints.
  template <class Team, class F>
  CAROM_HD_FREE void open(Team team, const WorldIds<F>& ids, MaximalWork<F>& w) const {
    read(team, ids, w);
    read_links(team, ids, w);
  }
  template <class Team, class F>
  CAROM_HD_FREE void find_joints(Team team, const WorldIds<F>& ids, const MaximalWork<F>& w) const {
    find_coordinates(team, w);
    move_velocities_to_origins(team, tree, w.tree);
    note_joints(team, ids, w);
  }
  // What is wanted of joints at the beginning of a step: joint_start, their velocities, and what sensors ask for.
  template <class Team, class F>
  CAROM_HD_FREE void note_joints(Team team, const WorldIds<F>& ids, const MaximalWork<F>& w) const {
    team.each(tree.blocks(), [&](int b) { w.joint_start[b] = w.tree.qd[b]; });
    readings.write_joints(team, hold_forces(F(0), w), world_offsets(ctrl_start, ids), world_offsets(dof_start, ids));
  }

  // A joint where its links are: coordinates and velocities, those of the origin of its frame; what acts on them over
  // the next h [s] (joint_force), and how that gives way (stiffness, damping).
  template <class Team, class F>
  CAROM_HD void hold_joint(Team team, int l, const JointFrame<F>& frame, F h, const MaximalWork<F>& w) const {
    const TreeLink& link = tree.link[l];
    find_coordinates_of(l, frame, w);
    if (velocity_at_com(link.type)) move_velocity_to_origin(tree, w.tree, l);
    for (int i = link.dof; i < link.dof + link.linear + link.angular; ++i) {
      // What users apply to free joints is a push of bodies.
      entry(w.joint_force, i) = velocity_at_com(link.type) ? F(0) : entry(w.joint_f, i);
      entry(w.stiffness, i) = entry(w.damping, i) = F(0);
    }
    hold_forces(h, w).add_of(team, link, w.joint_force, w.stiffness, w.damping);
  }
  template <class F>
  CAROM_HD HoldForces<F> hold_forces(F h, const MaximalWork<F>& w) const {
    return {tree, w.tree, w.holds, motors.slots, w.motors, w.ctrl, w.target_pos, w.target_vel, h};
  }

  // push(link, point, wrench) for what users and particles apply to bodies, and users to free joints; in order, by one
  // thread, since several bodies may be of one link.
  template <class Team, class F, class Push>
  CAROM_HD_FREE void each_push(Team team, const WorldIds<F>& ids, const MaximalWork<F>& w, Push push) const {
    const auto push_all = [&](const Real* column) CAROM_HD_LAMBDA {
      for (int b = 0; b < static_cast<int>(body_link.size); ++b)
        if (const int l = body_link[b]; l >= 0)
          push(l, transform_point(w.link[l].X_WL, w.bodies[b].com), load_of_body<F>(column, body_rows, ids, b));
    };
    const bool pushed = any_body_force(team, body_f, body_rows, static_cast<int>(body_link.size), ids);
    team.each(1, [&](int) {
      if (pushed) push_all(body_f);
      if (body_push) push_all(body_push);
      CAROM_ROLL
      for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link[l];
        if (!velocity_at_com(link.type)) continue;
        const QuatT<F> turn = frame_of(l, w).X_WP.q;
        const SpatialVectorT<F> f{rotate(turn, read3(w.joint_f, link.dof)),
                                  rotate(turn, read3(w.joint_f, link.dof + 3))};
        const Vec3T<F> point = transform_point(w.link[l].X_WL, w.bodies[link.body].com);
        push(l, point, f);
        if (link.parent >= 0) push(link.parent, point, f * F(-1));
      }
    });
  }

  // The joint's frame in its child.
  template <class F>
  CAROM_HD TransformT<F> joint_in_world(int l, const MaximalWork<F>& w) const {
    return w.link[l].X_WL * inverse(w.tree.link_params[l].X_JL);
  }
  template <class F>
  CAROM_HD JointFrame<F> frame_of(int l, const MaximalWork<F>& w) const {
    return frame_of(l, joint_in_world(l, w), w);
  }
  template <class F>
  CAROM_HD JointFrame<F> frame_of(int l, const TransformT<F>& X_WC, const MaximalWork<F>& w) const {
    const LinkParams<F>& params = w.tree.link_params[l];
    const int parent = tree.link[l].parent;
    const LinkMotion<F>& child = w.link[l];
    JointFrame<F> f;
    f.X_WP = parent < 0 ? params.X_PJ : w.link[parent].X_WL * params.X_PJ;
    f.X_WC = X_WC;
    f.r_child = f.X_WC.p - child.com;
    f.V = {child.V.linear + cross(child.V.angular, f.r_child), child.V.angular};
    if (parent < 0) return f;
    const LinkMotion<F>& p = w.link[parent];
    f.r_parent = f.X_WC.p - p.com;
    f.V = f.V - SpatialVectorT<F>{p.V.linear + cross(p.V.angular, f.r_parent), p.V.angular};
    return f;
  }

  // How the velocity of the child's frame against the parent, along axes that turn with the parent, changes when no
  // link accelerates: what turns carries its points around [m/s^2]. Armature resists that, too: its force is that of
  // qdd = J dv/dt + dJ/dt v, of which this is the second part. (That of turning axes is left out.)
  template <class F>
  CAROM_HD Vec3T<F> drift_of(int l, const JointFrame<F>& f, const MaximalWork<F>& w) const {
    const Vec3T<F> omega = w.link[l].V.angular, around = cross(omega, cross(omega, f.r_child));
    const int parent = tree.link[l].parent;
    if (parent < 0) return around;
    const Vec3T<F> base = w.link[parent].V.angular;
    return around - cross(base, cross(base, f.r_parent) + f.V.linear * F(2));
  }

  // Joint coordinates and velocities of the links as they are.
  template <class Team, class F>
  CAROM_HD_FREE void find_coordinates(Team team, const MaximalWork<F>& w) const {
    team.each(tree.links(), [&](int l) { find_coordinates_of(l, frame_of(l, w), w); });
  }
  template <class F>
  CAROM_HD void find_coordinates_of(int l, const JointFrame<F>& f, const MaximalWork<F>& w) const {
    const TreeLink& link = tree.link[l];
    const QuatT<F> back = conjugate(f.X_WP.q);
    TransformT<F> X{{}, back * f.X_WC.q};
    SpatialVectorT<F> V{{}, rotate(back, f.V.angular)};
    if (link.linear > 0) {
      Vec3T<F> v = f.V.linear;
      if (velocity_at_com(link.type)) v += cross(f.V.angular, rotate(f.X_WC.q, w.tree.link_params[l].p_JBcom));
      X.p = rotate(back, f.X_WC.p - f.X_WP.p), V.linear = rotate(back, v);
    }
    const DofParams<F>* const params = w.tree.dof_params + link.dof;
    const auto axis = [&](int i) CAROM_HD_LAMBDA { return params[i].axis; };
    visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
      joint.coordinates({link.linear, link.angular}, axis, X, V, w.tree.q + link.q, &entry(w.tree.qd, link.dof));
    });
  }

  // Whether something slows a free joint down.
  template <class F>
  CAROM_HD bool resists(const TreeLink& link, const MaximalWork<F>& w) const {
    bool some = false;
    for (int i = link.dof; i < link.dof + 6; ++i)
      some = some || any(entry(w.damping, i) != F(0) || w.tree.dof_params[i].armature != F(0));
    return some;
  }

  // The motion of a kinematic body is given.
  template <class F>
  CAROM_HD MaskOf<F> is_given(int l, const MaximalWork<F>& w) const {
    return w.tree.dof_params[tree.link[l].dof].armature >= F(kGivenMotion);
  }

  // At its coordinates.
  template <class F>
  CAROM_HD void find_pose(int l, const JointFrame<F>& frame, const MaximalWork<F>& w, JointPose<F>& pose) const {
    const TreeLink& link = tree.link[l];
    const DofParams<F>* const params = w.tree.dof_params + link.dof;
    const auto axis = [&](int i) CAROM_HD_LAMBDA { return params[i].axis; };
    const TransformT<F> X_J = visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
      return joint.pose({link.linear, link.angular}, axis, w.tree.q + link.q, frame.X_WP.q, pose.axes);
    });
    const QuatT<F> q_WP = frame.X_WP.q;
    pose.shift = frame.X_WC.p - frame.X_WP.p;
    if (link.linear > 0) pose.shift -= rotate(q_WP, X_J.p);
    pose.turn = rotation_vector(frame.X_WC.q * conjugate(q_WP * X_J.q));
  }

  // Of a distance joint: from the frame in its parent to that in its child, and how fast that grows.
  template <class F>
  struct Reach {
    Vec3T<F> direction;
    F length, rate;
  };
  template <class F>
  CAROM_HD static Reach<F> reach_of(const JointFrame<F>& frame) {
    const Vec3T<F> d = frame.X_WC.p - frame.X_WP.p;
    const F size = length(d);
    const Vec3T<F> n = select(size > F(0), d * (F(1) / select(size > F(0), size, F(1))), Vec3T<F>{F(1), F(0), F(0)});
    return {n, size, dot(n, frame.V.linear)};
  }

  // -- The new state.

  // As the state has them, where the condition does not hold.
  template <class Team, class F>
  CAROM_HD_FREE void restore_links(Team team, const WorldIds<F>& ids, MaskOf<F> kept, const MaximalWork<F>& w) const {
    team.each(tree.links(), [&](int l) { restore_link(ids, l, kept, w); });
  }
  template <class F>
  CAROM_HD void restore_link(const WorldIds<F>& ids, int l, MaskOf<F> kept, const MaximalWork<F>& w) const {
    const LinkMotion<F> before = link_of_state(BodyOffsets<F>(*this, ids), l, w);
    LinkMotion<F>& link = w.link[l];
    link.X_WL = {select(kept, link.X_WL.p, before.X_WL.p), select(kept, link.X_WL.q, before.X_WL.q)};
    link.com = select(kept, link.com, before.com);
    link.V = {select(kept, link.V.linear, before.V.linear), select(kept, link.V.angular, before.V.angular)};
  }
  // asleep(l): in which lanes the link stays what the new state has already, here and below.
  template <class Team, class F, class Asleep = AllAwake<F>>
  CAROM_HD_FREE void write_bodies(Team team, const WorldIds<F>& ids, const MaximalWork<F>& w,
                                  Asleep asleep = {}) const {
    const BodyOffsets<F> at(*this, ids);
    team.each(static_cast<int>(body_link.size), [&](int b) {
      const int l = body_link[b];
      if (l < 0) return;
      const MaskOf<F> stays = asleep(l);
      if (all(stays)) return;
      const LinkMotion<F>& link = w.link[l];
      const TransformT<F> X = link.X_WL * w.bodies[b].X_LB;
      const Vec3T<F> arm = transform_point(link.X_WL, w.bodies[b].com) - link.com;
      const Vec3T<F> v = link.V.linear + cross(link.V.angular, arm), omega = link.V.angular;
      F x[7]{X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w}, twist[6]{v.x, v.y, v.z, omega.x, omega.y, omega.z};
      store_but(stays, out_body_q, at.q, 7 * b, x);
      store_but(stays, out_body_qd, at.qd, 6 * b, twist);
    });
  }

  // What sleeps has neither velocities nor accelerations.
  template <class Team, class F, class Asleep = AllAwake<F>>
  CAROM_HD_FREE void write_joints(Team team, const WorldIds<F>& ids, MaskOf<F> finite, F dt, const MaximalWork<F>& w,
                                  Asleep asleep = {}) const {
    find_coordinates(team, w);
    team.each(tree.links(), [&](int l) {
      const TreeLink& link = tree.link[l];
      const MaskOf<F> stays = asleep(l);
      if (!any(stays)) return;
      for (int k = link.q; k < link.q + joint_coord_count(link.type, {link.linear, link.angular}); ++k)
        w.tree.q[k] = select(stays, load<F>(out_q, world_offsets(coord_start, ids), k), w.tree.q[k]);
    });
    const DofColumns<F> dofs = columns(ids, w);
    store_block(team, out_q, world_offsets(coord_start, ids), tree.coord_count, w.tree.q);
    dofs.store(team, w.tree.qd, out_qd);
    move_velocities_to_origins(team, tree, w.tree);
    const F rate = F(1) / dt;
    team.each(tree.blocks(),
              [&](int b) { w.stiffness[b] = select(finite, (w.tree.qd[b] - w.joint_start[b]) * rate, Vec3T<F>{}); });
    dofs.store(team, w.stiffness, out_qdd);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void read(Team team, const WorldIds<F>& ids, MaximalWork<F>& w) const {
    const TreeNumbers<F> numbers = read_tree_row(rows, row_of_part, ids, w.row, w.tree);
    w.holds = numbers.holds, w.bodies = numbers.bodies;
    w.motors = motors.row(row_of_part, ids, w.motor_row);
    w.loops = loops.row(row_of_part, ids, w.loop_row);
    team.each(tree.blocks(), [&](int b) { w.tree.qd[b] = w.joint_f[b] = w.target_pos[b] = w.target_vel[b] = {}; });
    load_block(team, ctrl, world_offsets(ctrl_start, ids), motors.ctrls, w.ctrl);
    const DofColumns<F> dofs = columns(ids, w);
    dofs.load(team, joint_f, w.joint_f);
    dofs.load(team, target_pos, w.target_pos);
    dofs.load(team, target_vel, w.target_vel);
  }
  template <class F>
  CAROM_HD DofColumns<F> columns(const WorldIds<F>& ids, const MaximalWork<F>& w) const {
    return {tree, world_offsets(dof_start, ids), w.part_dofs};
  }

  // Where the bodies of the worlds begin.
  template <class F>
  struct BodyOffsets {
    Offsets<F> q, qd;

    CAROM_HD BodyOffsets(const MaximalWorlds& worlds, const WorldIds<F>& ids)
        : q(world_offsets(worlds.body_rows.first, ids, 7)), qd(world_offsets(worlds.body_rows.first, ids, 6)) {}
  };

  template <class Team, class F>
  CAROM_HD_FREE void read_links(Team team, const WorldIds<F>& ids, const MaximalWork<F>& w) const {
    const BodyOffsets<F> at(*this, ids);
    team.each(tree.links(), [&](int l) { w.link[l] = link_of_state(at, l, w); });
  }
  template <int N, class F>
  CAROM_HD static void store_but(MaskOf<F> stays, Real* column, const Offsets<F>& at, int first, F (&x)[N]) {
    if (any(stays)) {
      F there[N];
      load_rows(column, at, first, there);
      for (int k = 0; k < N; ++k) x[k] = select(stays, there[k], x[k]);
    }
    store_rows(column, at, first, x);
  }
  // A link's frame is that of the body that carries it; its centre of mass is that of all bodies that are fixed to it.
  template <class F>
  CAROM_HD LinkMotion<F> link_of_state(const BodyOffsets<F>& at, int l, const MaximalWork<F>& w) const {
    const int b = tree.link[l].body;
    F x[7], v[6];
    load_rows(body_q, at.q, 7 * b, x);
    load_rows(body_qd, at.qd, 6 * b, v);
    LinkMotion<F> link;
    link.X_WL = {{x[0], x[1], x[2]}, normalize(QuatT<F>{x[3], x[4], x[5], x[6]})};
    link.com = transform_point(link.X_WL, w.tree.link_params[l].com);
    const Vec3T<F> omega{v[3], v[4], v[5]}, arm = link.com - transform_point(link.X_WL, w.bodies[b].com);
    link.V = {Vec3T<F>{v[0], v[1], v[2]} + cross(omega, arm), omega};
    return link;
  }
};

}  // namespace carom::inline CAROM_PRECISION
