// Forward kinematics: poses and twists of a world's bodies, from the roots to the leaves of its joint tree.
//
//   X_WC = X_WP X_PJ X_J(q) X_CJ^-1
//   w_C  = w_P + R_WPj w_J
//   v_C  = v_P + w_P x (o - c_P) + R_WPj v_J + w_C x (c_C - o)
//
// P: parent, C: child, J: joint frame (Pj as it is fixed to the parent), c: centres of mass, o: origin of the child's
// joint frame.
// A free joint's velocity is that of the child's centre of mass itself, so there o = c_C. X_J, v_J and w_J are what
// joints/ says for the type of the joint.
#pragma once

#include "backend/team.h"
#include "backend/world_lanes.h"
#include "carom/model.h"
#include "model/aligned_rows.kernel.h"
#include "model/joints/joints.kernel.h"
#include "model/world_vectors.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct EvalFk {
  using Number = Real;
  static constexpr int kCudaTeam = 4;  // bodies that do not wait for each other are rarely more

  // The archetype.
  Span<const int> worlds;
  Span<const TreeJoint> tree;
  Span<const int> level_start;
  Span<const int> loose_bodies;            // bodies that no joint moves
  bool shared_kinematics;                  // parameters are the same in all the worlds: read them once
  bool global;                             // the archetype of the global entities, alone in it: rows count from 0
  int body_count, coord_count, dof_count;  // of one world

  // Where worlds begin.
  Span<const int> body_world_start, joint_world_start, coord_world_start, dof_world_start;

  // Parameters.
  const Transform* joint_X_p;
  const Transform* joint_X_c_inv;
  const Vec3* joint_axis;
  const Vec3* body_com;

  // Input and output.
  const Real* joint_q;
  const Real* joint_qd;
  Transform* body_q;
  SpatialVector* body_qd;
  AlignedRows aligned;  // of the state whose coordinates these are
  bool keep;            // both sides are in line afterwards, and are kept as such
  bool velocities;      // false: poses alone; body_qd stays as it is

  // One world at a time works in place, or in memory of its own near the processor of a GPU. Lanes keep what they
  // compute with as [number][lane], and collect their results world by world before these are copied out: writing body
  // by body to W places at once would wait for the memory.
  template <class F>
  struct World {
    Offsets<F> joint, body, dof;                // first entity of each world
    int first_body;                             // of the first of them
    int shared_joint, shared_body, shared_dof;  // first entities of the world whose parameters count for all of them
    const F* q;
    const F* qd;
    TransformT<F>* X_WB;
    SpatialVectorT<F>* V_WB;
    Vec3T<F>* p_com;  // centres of mass in world axes; lanes only
    Real* X_rows;     // results, world by world
    Real* V_rows;
    const char* X_next;  // where the results will go: each body fetches its share ahead of the copy
    const char* V_next;
  };

  template <class F>
  CAROM_HD std::int64_t scratch_bytes() const {
    if constexpr (PlainNumber<F>) return 0;
    return std::int64_t{sizeof(F)} * (std::int64_t{body_count} * (2 * (7 + 6) + 3) + coord_count + dof_count);
  }

  // What a world would rather have in shared memory [bytes]. The rows of the globals do not follow each other.
  CAROM_HD int near_bytes() const {
    return global ? 0 : body_count * static_cast<int>(sizeof(Transform) + (velocities ? sizeof(SpatialVector) : 0));
  }

  template <class Team, class F>
  CAROM_HD_STAGE void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    constexpr bool kMayBeNear = PlainNumber<F> && Team::size() > 1;
    World<F> w = open<F>(ids, scratch);
    if constexpr (kMayBeNear)
      if (scratch) come_near(team, w, scratch);
    if (velocities) move_children<true>(team, w);
    else move_children<false>(team, w);
    if constexpr (kMayBeNear)
      if (scratch) go_back(team, w);
    if constexpr (!PlainNumber<F>) close(w, ids);
    if (keep)
      for (int lane = 0; lane < ScalarTraits<F>::kWidth; ++lane) keep_world(team, ids[lane]);
  }

  // All joints of a world that is not the globals'.
  CAROM_HD JointRows joint_rows(int world) const {
    const int joints = joint_world_start[world];
    return {
        joints,   joint_world_start[world + 1] - joints, coord_world_start[world], coord_count, dof_world_start[world],
        dof_count};
  }
  // One joint.
  CAROM_HD JointRows joint_rows(int world, const TreeJoint& j) const {
    const bool own = !global;
    return {j.joint + (own ? joint_world_start[world] : 0), 1,
            j.q + (own ? coord_world_start[world] : 0),     joint_coord_count(j.type, {j.linear, j.angular}),
            j.qd + (own ? dof_world_start[world] : 0),      j.linear + j.angular};
  }
  CAROM_HD int first_body(int world) const { return global ? 0 : body_world_start[world]; }

  // Says that both sides of a world are in line.
  template <class Team>
  CAROM_HD void keep_world(Team team, int world) const {
    if (global) {
      for (const TreeJoint& joint : tree) {
        aligned.keep_joints(team, joint_rows(world, joint));
        aligned.keep_bodies(team, joint.child, 1);
      }
      for (const int body : loose_bodies) aligned.keep_bodies(team, body, 1);
    } else {
      aligned.keep_joints(team, joint_rows(world));
      aligned.keep_bodies(team, first_body(world), body_count);
    }
  }

  // All bodies of a world.
  template <class Team>
  CAROM_HD void place_all(Team team, int world) const {
    World<Real> w = open<Real>({world}, nullptr);
    move_children<true>(team, w);
  }
  // The child of one joint of a world, after its parent.
  CAROM_HD void place_one(int world, const TreeJoint& joint) const {
    World<Real> w = open<Real>({world}, nullptr);
    move_child<false, true>(w, joint);
  }

 private:
  // From here on bodies are placed in `memory`, of near_bytes().
  template <class Team>
  CAROM_HD void come_near(Team team, World<Real>& w, void* memory) const {
    w.X_WB = static_cast<Transform*>(memory);
    w.V_WB = reinterpret_cast<SpatialVector*>(w.X_WB + body_count);
    team.each(static_cast<int>(loose_bodies.size), [&](int i) {
      const int body = loose_bodies[i];
      w.X_WB[body] = body_q[w.first_body + body];
      if (velocities) w.V_WB[body] = body_qd[w.first_body + body];
    });
  }
  template <class Team>
  CAROM_HD void go_back(Team team, const World<Real>& w) const {
    rows::copy(team, body_q + w.first_body, w.X_WB, body_count);
    if (velocities) rows::copy(team, body_qd + w.first_body, w.V_WB, body_count);
  }

  template <class F>
  CAROM_HD Offsets<F> starts(Span<const int> world_start, WorldIds<F> ids, int stride = 1) const {
    return global ? Offsets<F>{} : world_offsets(world_start, ids, stride);
  }

  template <class F>
  CAROM_HD World<F> open(WorldIds<F> ids, void* scratch) const {
    World<F> w;
    w.joint = starts<F>(joint_world_start, ids);
    w.body = starts<F>(body_world_start, ids);
    w.dof = starts<F>(dof_world_start, ids);
    w.first_body = first_body(ids[0]);
    if (shared_kinematics) {  // always those of one world, which caches keep
      w.shared_joint = global ? 0 : joint_world_start[worlds[0]];
      w.shared_body = first_body(worlds[0]);
      w.shared_dof = global ? 0 : dof_world_start[worlds[0]];
    }
    if constexpr (PlainNumber<F>) {
      w.q = joint_q + (global ? 0 : coord_world_start[ids[0]]);
      w.qd = joint_qd + (global ? 0 : dof_world_start[ids[0]]);
      w.X_WB = body_q + w.first_body;
      w.V_WB = body_qd + w.first_body;
    } else {
      open_lanes(w, ids, static_cast<F*>(scratch));
    }
    return w;
  }

  template <class F>
  CAROM_HD void open_lanes(World<F>& w, WorldIds<F> ids, F* scratch) const {  // never the globals: they are one world
    w.X_WB = reinterpret_cast<TransformT<F>*>(scratch);
    w.V_WB = reinterpret_cast<SpatialVectorT<F>*>(scratch + 7 * body_count);
    w.p_com = reinterpret_cast<Vec3T<F>*>(scratch + 13 * body_count);
    F* const q = scratch + 16 * body_count;
    F* const qd = q + coord_count;
    load_block(joint_q, starts<F>(coord_world_start, ids), coord_count, q);
    if (velocities) load_block(joint_qd, w.dof, dof_count, qd);
    w.q = q;
    w.qd = qd;
    w.X_rows = reinterpret_cast<Real*>(qd + dof_count);
    w.V_rows = w.X_rows + std::int64_t{7} * body_count * ScalarTraits<F>::kWidth;
    w.X_next = reinterpret_cast<const char*>(body_q + w.first_body);
    w.V_next = reinterpret_cast<const char*>(body_qd + w.first_body);
    const Offsets<F> X = starts<F>(body_world_start, ids, 7), V = starts<F>(body_world_start, ids, 6);
    for (const int body : loose_bodies) {
      const TransformT<F> X_WB = load_transform<F>(&body_q[0].p.x, X, body * 7);
      const SpatialVectorT<F> V_WB{load_vec3<F>(&body_qd[0].linear.x, V, body * 6),
                                   load_vec3<F>(&body_qd[0].linear.x, V, body * 6 + 3)};
      store_body<true>(w, body, X_WB, V_WB, transform_point(X_WB, com<false>(w, body)));
    }
  }

  template <class F>
  CAROM_HD void close(const World<F>& w, WorldIds<F> ids) const {
    if (body_count == 0) return;  // and maybe no memory at all
    for (int lane = 0; lane < ScalarTraits<F>::kWidth; ++lane) {
      const int body = body_world_start[ids[lane]];
      const std::int64_t row = std::int64_t{body_count} * lane;
      __builtin_memcpy(&body_q[body].p.x, w.X_rows + 7 * row, body_count * sizeof(Transform));
      if (velocities) __builtin_memcpy(&body_qd[body].linear.x, w.V_rows + 6 * row, body_count * sizeof(SpatialVector));
    }
  }

  // Worlds of a group mostly follow each other, so their results are one piece of memory; a wrong guess costs nothing.
  template <std::size_t Bytes>
  CAROM_HD static void prefetch_part(const char*& next) {
    for (std::size_t at = 0; at < Bytes; at += 64) __builtin_prefetch(next + at, 1);
    next += Bytes;
  }

  template <bool Velocities, class F>
  CAROM_HD void store_body(World<F>& w, int body, const TransformT<F>& X, const SpatialVectorT<F>& V,
                           const Vec3T<F>& p_com) const {
    w.X_WB[body] = X;
    if constexpr (Velocities) w.V_WB[body] = V;
    if constexpr (!PlainNumber<F>) {
      prefetch_part<sizeof(TransformT<F>)>(w.X_next);
      store_rows<7>(w.X_rows + body * 7, LaneStride{body_count * 7}, {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w});
      if constexpr (!Velocities) return;
      prefetch_part<sizeof(SpatialVectorT<F>)>(w.V_next);
      w.p_com[body] = p_com;
      store_rows<6>(w.V_rows + body * 6, LaneStride{body_count * 6},
                    {V.linear.x, V.linear.y, V.linear.z, V.angular.x, V.angular.y, V.angular.z});
    }
  }

  template <bool Shared, class F>
  CAROM_HD TransformT<F> frame(const World<F>& w, const Transform* frames, int joint) const {
    if constexpr (Shared) return broadcast<F>(frames[w.shared_joint + joint]);
    return load_transform<F>(&frames[0].p.x, scaled(w.joint, 7), joint * 7);
  }
  template <bool Shared, class F>
  CAROM_HD Vec3T<F> com(const World<F>& w, int body) const {
    if constexpr (Shared) return broadcast<F>(body_com[w.shared_body + body]);
    return load_vec3<F>(&body_com[0].x, scaled(w.body, 3), body * 3);
  }
  template <bool Shared, class F>
  CAROM_HD Vec3T<F> axis(const World<F>& w, int dof) const {
    if constexpr (Shared) return broadcast<F>(joint_axis[w.shared_dof + dof]);
    return load_vec3<F>(&joint_axis[0].x, scaled(w.dof, 3), dof * 3);
  }

  template <class F>
  CAROM_HD static Offsets<F> scaled(Offsets<F> offsets, int stride) {
    if constexpr (PlainNumber<F>) {
      offsets.start *= stride;
    } else {
      for (auto& start : offsets.start) start *= stride;
    }
    return offsets;
  }

  template <class F>
  struct Parent {
    TransformT<F> X;
    SpatialVectorT<F> V;
    Vec3T<F> p_com;
  };

  // Of the world itself, at rest at the origin, or of a global body, moved before.
  template <class F>
  CAROM_HD Parent<F> parent_outside(int parent) const {
    Parent<F> result;
    if (parent <= -2) {
      const int body = -2 - parent;
      result.X = broadcast<F>(body_q[body]);
      result.V = {broadcast<F>(body_qd[body].linear), broadcast<F>(body_qd[body].angular)};
      result.p_com = transform_point(result.X, broadcast<F>(body_com[body]));
    }
    return result;
  }

  template <bool Velocities, class Team, class F>
  CAROM_HD void move_children(Team team, World<F>& w) const {
    for (int level = 0; level + 1 < static_cast<int>(level_start.size); ++level) {
      const int first = level_start[level], count = level_start[level + 1] - first;
      if (shared_kinematics) {
        team.each(count, [&](int i) { move_child<true, Velocities>(w, tree[first + i]); });
      } else {
        team.each(count, [&](int i) { move_child<false, Velocities>(w, tree[first + i]); });
      }
    }
  }

  template <bool Shared, bool Velocities, class F>
  CAROM_HD void move_child(World<F>& w, const TreeJoint& joint) const {
    // Pointers, so that a parent in this world is read where it lies.
    Parent<F> other;
    const TransformT<F>* X_WP = &other.X;
    const SpatialVectorT<F>* V_P = &other.V;
    const Vec3T<F>* p_Pcom = &other.p_com;
    if (joint.parent < 0) {
      other = parent_outside<F>(joint.parent);
    } else {
      X_WP = &w.X_WB[joint.parent];
      V_P = &w.V_WB[joint.parent];
      if constexpr (PlainNumber<F>) {
        other.p_com = transform_point(*X_WP, com<Shared>(w, joint.parent));
      } else {
        p_Pcom = &w.p_com[joint.parent];
      }
    }

    const auto axis_of = [&](int i) CAROM_HD_LAMBDA { return axis<Shared>(w, joint.qd + i); };
    const F* const q = w.q + joint.q;
    const F* const qd = w.qd + joint.qd;
    const auto motion_of = [&](auto family) CAROM_HD_LAMBDA {
      return family.motion({joint.linear, joint.angular}, axis_of, q, qd);
    };
    if (is_hinge(joint.type)) {
      const JointMotion<F> turn = AxesJoint::hinge_motion(axis_of(0), q[0], qd[0]);
      place_child<Shared, Velocities, false>(w, joint, *X_WP, *V_P, *p_Pcom, turn);
    } else if (joint.linear == 0) {
      place_child<Shared, Velocities, false>(w, joint, *X_WP, *V_P, *p_Pcom, visit_joint(joint.type, motion_of));
    } else {
      place_child<Shared, Velocities, true>(w, joint, *X_WP, *V_P, *p_Pcom, visit_joint(joint.type, motion_of));
    }
  }

  // Slides: the joint has linear motion. That is structure, not a value: what cannot move is left out everywhere.
  template <bool Shared, bool Velocities, bool Slides, class F>
  CAROM_HD void place_child(World<F>& w, const TreeJoint& joint, const TransformT<F>& X_WP,
                            const SpatialVectorT<F>& V_P, const Vec3T<F>& p_Pcom, const JointMotion<F>& J) const {
    const TransformT<F> X_WPj = X_WP * frame<Shared>(w, joint_X_p, joint.joint);
    const TransformT<F> X_WJ = Slides ? X_WPj * J.X : TransformT<F>{X_WPj.p, X_WPj.q * J.X.q};
    const TransformT<F> X_WC = X_WJ * frame<Shared>(w, joint_X_c_inv, joint.joint);

    const Vec3T<F> p_com = transform_point(X_WC, com<Shared>(w, joint.child));
    const Vec3T<F> o = Slides && velocity_at_com(joint.type) ? p_com : X_WJ.p;
    SpatialVectorT<F> V;
    V.angular = V_P.angular + rotate(X_WPj.q, J.V.angular);
    V.linear = V_P.linear + cross(V_P.angular, o - p_Pcom) + cross(V.angular, p_com - o);
    if constexpr (Slides) V.linear = V.linear + rotate(X_WPj.q, J.V.linear);
    store_body<Velocities>(w, joint.child, X_WC, V, p_com);
  }
};

}  // namespace carom::inline CAROM_PRECISION
