// Forward kinematics: poses and twists of a world's bodies, from the roots to the leaves of its joint tree.
//
//   X_WC = X_WP X_PJ X_J(q) X_CJ^-1                       J: joint frame, on the parent P and on the child C
//   w_C  = w_P + R_WPj w_J
//   v_C  = v_P + w_P x (o - c_P) + R_WPj v_J + w_C x (c_C - o)    c: centres of mass, o: origin of the child's joint frame
//
// A free joint's velocity is that of the child's centre of mass itself, so there o = c_C.
#pragma once

#include "backend/team.h"
#include "backend/world_lanes.h"
#include "carom/model.h"
#include "dynamics/joint_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct EvalFk {
  using Number = Real;

  // The archetype.
  Span<const int> worlds;
  Span<const TreeJoint> tree;
  Span<const int> level_start;
  Span<const int> loose_parents;
  bool shared_kinematics;  // parameters are the same in all the worlds: read them once
  bool global;             // the archetype of the global entities: rows count from 0
  int body_count;          // of one world

  // Where worlds begin.
  Span<const int> body_world_start, joint_world_start, coord_world_start, dof_world_start;

  // Parameters.
  const Transform* joint_X_p;
  const Transform* joint_X_c;
  const Vec3* joint_axis;
  const Vec3* body_com;

  // Input and output.
  const Real* joint_q;
  const Real* joint_qd;
  Transform* body_q;
  SpatialVector* body_qd;

  // Lanes keep the bodies of their worlds in a scratch of [body][lane]; one world at a time works in place.
  template <class F>
  static constexpr int scratch_bytes_per_body() {
    return PlainNumber<F> ? 0 : int(sizeof(TransformT<F>) + sizeof(SpatialVectorT<F>));
  }
  template <class F>
  CAROM_HD std::int64_t scratch_bytes() const {
    return std::int64_t{body_count} * scratch_bytes_per_body<F>();
  }

  template <class F>
  struct World {
    Offsets<F> joint, body, q, qd, X, V;  // where each world's rows begin: entities, then numbers of poses and twists
    int shared_joint, shared_body, shared_dof;
    TransformT<F>* X_WB;
    SpatialVectorT<F>* V_WB;
  };

  template <class Team, class F>
  CAROM_HD_STAGE void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    World<F> w = open<F>(ids, scratch);
    team.each(static_cast<int>(loose_parents.size), [&](int i) { load_body(w, loose_parents[i]); });
    for (int level = 0; level + 1 < static_cast<int>(level_start.size); ++level) {
      const int first = level_start[level];
      if (shared_kinematics) {
        team.each(level_start[level + 1] - first, [&](int i) { move_child<true>(w, tree[first + i]); });
      } else {
        team.each(level_start[level + 1] - first, [&](int i) { move_child<false>(w, tree[first + i]); });
      }
    }
  }

 private:
  template <class F>
  CAROM_HD World<F> open(WorldIds<F> ids, void* scratch) const {
    World<F> w;
    w.joint = starts<F>(joint_world_start, ids, 1);
    w.body = starts<F>(body_world_start, ids, 1);
    w.q = starts<F>(coord_world_start, ids, 1);
    w.qd = starts<F>(dof_world_start, ids, 1);
    w.X = starts<F>(body_world_start, ids, 7);
    w.V = starts<F>(body_world_start, ids, 6);
    w.shared_joint = global ? 0 : joint_world_start[ids[0]];
    w.shared_body = global ? 0 : body_world_start[ids[0]];
    w.shared_dof = global ? 0 : dof_world_start[ids[0]];
    if constexpr (PlainNumber<F>) {
      w.X_WB = body_q + w.shared_body;
      w.V_WB = body_qd + w.shared_body;
    } else {
      w.X_WB = static_cast<TransformT<F>*>(scratch);
      w.V_WB = reinterpret_cast<SpatialVectorT<F>*>(w.X_WB + body_count);
    }
    return w;
  }

  template <class F>
  CAROM_HD Offsets<F> starts(Span<const int> world_start, WorldIds<F> ids, int stride) const {
    return global ? Offsets<F>{} : world_offsets(world_start, ids, stride);
  }

  template <class F>
  CAROM_HD void load_body(World<F>& w, int body) const {
    if constexpr (!PlainNumber<F>) {
      w.X_WB[body] = load_transform<F>(&body_q[0].p.x, w.X, body * 7);
      w.V_WB[body] = {load_vec3<F>(&body_qd[0].linear.x, w.V, body * 6),
                      load_vec3<F>(&body_qd[0].linear.x, w.V, body * 6 + 3)};
    }
  }

  template <class F>
  CAROM_HD void store_body(const World<F>& w, int body, const TransformT<F>& X, const SpatialVectorT<F>& V) const {
    w.X_WB[body] = X;
    w.V_WB[body] = V;
    if constexpr (!PlainNumber<F>) {
      store_rows(&body_q[0].p.x, w.X, body * 7, {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w});
      store_rows(&body_qd[0].linear.x, w.V, body * 6,
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
    return load_vec3<F>(&joint_axis[0].x, scaled(w.qd, 3), dof * 3);
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

  // The parent's pose and twist and its centre of mass; at rest at the origin for the world itself.
  template <class F>
  struct Parent {
    TransformT<F> X;
    SpatialVectorT<F> V;
    Vec3T<F> p_com;
  };

  template <bool Shared, class F>
  CAROM_HD Parent<F> parent_of(const World<F>& w, int parent) const {
    Parent<F> result;
    if (parent >= 0) {
      result.X = w.X_WB[parent];
      result.V = w.V_WB[parent];
      result.p_com = transform_point(result.X, com<Shared>(w, parent));
    } else if (parent <= -2) {
      const int body = -2 - parent;  // a global body, moved before
      result.X = broadcast<F>(body_q[body]);
      result.V = {broadcast<F>(body_qd[body].linear), broadcast<F>(body_qd[body].angular)};
      result.p_com = transform_point(result.X, broadcast<F>(body_com[body]));
    }
    return result;
  }

  template <bool Shared, class F>
  CAROM_HD void move_child(World<F>& w, const TreeJoint& joint) const {
    const Parent<F> P = parent_of<Shared>(w, joint.parent);
    const TransformT<F> X_WPj = P.X * frame<Shared>(w, joint_X_p, joint.joint);
    const auto axis_of = [&](int i) { return axis<Shared>(w, joint.qd + i); };
    const JointMotion<F> J = joint_motion<F>(joint, axis_of, joint_q, joint_qd, w.q, w.qd);
    const TransformT<F> X_WJ = X_WPj * J.X;
    const TransformT<F> X_WC = X_WJ * inverse(frame<Shared>(w, joint_X_c, joint.joint));

    const Vec3T<F> p_com = transform_point(X_WC, com<Shared>(w, joint.child));
    const Vec3T<F> o = moves_freely(joint.type) ? p_com : X_WJ.p;
    SpatialVectorT<F> V;
    V.angular = P.V.angular + rotate(X_WPj.q, J.V.angular);
    V.linear = P.V.linear + cross(P.V.angular, o - P.p_com) + rotate(X_WPj.q, J.V.linear) + cross(V.angular, p_com - o);
    store_body(w, joint.child, X_WC, V);
  }
};

}  // namespace carom::inline CAROM_PRECISION
