// Lengths of paths (path_view.h), and how degrees of freedom change them. A unit of tension pulls at the links of a
// path with a wrench each; with the motion S_j of a degree of freedom, about the same point,
//
//   J_j = S_j . (sum of the wrenches of the links that it moves)
//
// Straight pieces pull at their ends along themselves, wrapped ones at the points where they touch.
#pragma once

#include "dynamics/tree.h"
#include "model/joints/joints.kernel.h"
#include "model/wrap.kernel.h"
#include "solvers/mujoco/path_view.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct PathKinematics {
  const PathView& view;
  const TreeView& tree;
  const TreeWork<F>& t;
  const PathWork<F>& w;

  CAROM_HD void place(int path) const {
    const PathSlot& slot = view.slot[path];
    for (int k = 0; k < slot.link_count; ++k) w.pull[slot.first_link + k] = {};
    switch (slot.sort) {
      case PathSort::kTendon: w.length[path] = run_tendon(slot); break;
      case PathSort::kSite: w.length[path] = push_site(slot, w.params[path]); break;
      case PathSort::kSliderCrank: w.length[path] = push_slider(slot, w.params[path]); break;
      case PathSort::kTurningJoint: w.length[path] = turn_joint(slot, w.params[path]); return;
      case PathSort::kOrientation:
        w.length[path] = turn_about(slot);
        if (slot.joint >= 0) return;
        break;
      case PathSort::kContacts: w.length[path] = F(0); break;  // its J: see MuJoCoStep::find_paths
    }
    CAROM_ROLL
    for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) w.J[e] = moment_of(slot, e);
    if (w.drift) w.drift[path] = slot.sort == PathSort::kTendon ? drift_of(slot) : F(0);
  }

 private:
  CAROM_HD F moment_of(const PathSlot& slot, int e) const {
    const PathEntry& entry = view.entry[e];
    SpatialVectorT<F> wrench;
    CAROM_ROLL
    for (int k = 0; k < slot.link_count; ++k)
      if (entry.links >> k & 1u) wrench = wrench + w.pull[slot.first_link + k];
    const SpatialVectorT<F>& S = t.motion[entry.dof];
    return dot(S.linear, wrench.linear) + dot(S.angular, wrench.angular);
  }

  // link: number among those of the path, -1 = does not move, here and below.
  CAROM_HD TransformT<F> pose_of(const PathSlot& slot, int link) const {
    return link < 0 ? TransformT<F>{} : t.X_WL[view.link[slot.first_link + link]];
  }
  CAROM_HD TransformT<F> pose_of_point(const PathSlot& slot, int point) const {
    return pose_of(slot, view.point[point].link) * w.point_params[point].X_LP;
  }
  CAROM_HD void pull_at(const PathSlot& slot, int link, Vec3T<F> position, Vec3T<F> force, Vec3T<F> moment = {}) const {
    if (link < 0) return;
    const Vec3T<F> arm = position - t.tree_com[tree.link[view.link[slot.first_link + link]].tree];
    SpatialVectorT<F>& pull = w.pull[slot.first_link + link];
    pull = {pull.linear + force, pull.angular + moment + cross(arm, force)};
  }

  // -- Tendons.

  // The sum of piece(first point, share of the tension) over what lies between points, each times its share.
  template <class Piece>
  CAROM_HD F sum_of_pieces(const PathSlot& slot, Piece piece) const {
    F sum{}, share = F(1);
    CAROM_ROLL
    for (int k = slot.first_point; k + 1 < slot.first_point + slot.point_count; ++k) {
      const TendonPointType type = view.point[k].type, next = view.point[k + 1].type;
      if (type == TendonPointType::kPulley) share = F(1) / w.point_params[k].divisor;
      if (type == TendonPointType::kPoint && next != TendonPointType::kPulley) sum = fma(piece(k, share), share, sum);
    }
    return sum;
  }
  CAROM_HD bool is_straight(int k) const { return view.point[k + 1].type == TendonPointType::kPoint; }

  CAROM_HD F run_tendon(const PathSlot& slot) const {
    return sum_of_pieces(slot, [&](int k, F share) CAROM_HD_LAMBDA {
      return is_straight(k) ? run_straight(slot, k, k + 1, share) : run_round(slot, k, share);
    });
  }

  // A straight piece from p to q pulls at both ends. on: where it does; share: of the tension.
  CAROM_HD F pull_along(const PathSlot& slot, int link_p, Vec3T<F> p, int link_q, Vec3T<F> q, F share,
                        MaskOf<F> on) const {
    const Vec3T<F> d = q - p;
    const F norm = sqrt(length_squared(d));
    const auto some = norm >= F(kTiny);
    const Vec3T<F> unit = select(some, d * (F(1) / select(some, norm, F(1))), Vec3T<F>{F(1), F(0), F(0)});
    const Vec3T<F> force = unit * select(on, share, F(0));
    pull_at(slot, link_p, p, -force);
    pull_at(slot, link_q, q, force);
    return select(on, norm, F(0));
  }
  CAROM_HD F run_straight(const PathSlot& slot, int from, int to, F share) const {
    const int link_p = view.point[from].link, link_q = view.point[to].link;
    if (link_p == link_q) {  // it pulls at nothing; what is left of it would be rounding
      return sqrt(length_squared(pose_of_point(slot, to).p - pose_of_point(slot, from).p));
    }
    return pull_along(slot, link_p, pose_of_point(slot, from).p, link_q, pose_of_point(slot, to).p, share,
                      F(0) <= F(0));
  }

  // J-dot v of a tendon that wraps round nothing: how its length would accelerate if no joint did. With the unit vector
  // u along a piece and the velocities v and accelerations a of its ends: |v perpendicular to u|^2 / length + u . a.
  CAROM_HD F drift_of(const PathSlot& slot) const {
    return sum_of_pieces(
        slot, [&](int k, F) CAROM_HD_LAMBDA { return is_straight(k) ? drift_of_piece(slot, k, k + 1) : F(0); });
  }
  CAROM_HD F drift_of_piece(const PathSlot& slot, int from, int to) const {
    if (view.point[from].link == view.point[to].link) return F(0);
    const PointMotion p = motion_of_point(slot, from), q = motion_of_point(slot, to);
    const Vec3T<F> d = q.position - p.position, v = q.velocity - p.velocity;
    const F norm = sqrt(length_squared(d));
    const auto some = norm >= F(kTiny);
    const F inverse = F(1) / select(some, norm, F(1));
    const Vec3T<F> u = d * inverse;
    const Vec3T<F> across = fma(u, -dot(u, v), v);
    const F drift = fma(length_squared(across), inverse, dot(u, q.acceleration - p.acceleration));
    return select(some, drift, F(0));
  }
  struct PointMotion {
    Vec3T<F> position, velocity, acceleration;  // acceleration: that of the velocities alone
  };
  CAROM_HD PointMotion motion_of_point(const PathSlot& slot, int point) const {
    PointMotion m{pose_of_point(slot, point).p, {}, {}};
    const int link = view.point[point].link;
    if (link < 0) return m;
    const int l = view.link[slot.first_link + link];
    const Vec3T<F> arm = m.position - t.tree_com[tree.link[l].tree];
    const SpatialVectorT<F>&V = t.velocity[l], &A = t.acceleration[l];
    m.velocity = V.linear + cross(V.angular, arm);
    // Spatial accelerations count against gravity, and are of the points that pass, not of one point.
    m.acceleration = A.linear + t.gravity + cross(A.angular, arm) + cross(V.angular, m.velocity);
    return m;
  }

  // From the point `from` round what follows it to the point behind that.
  CAROM_HD F run_round(const PathSlot& slot, int from, F share) const {
    const int round = from + 1, to = from + 2;
    const int link_p = view.point[from].link, link_q = view.point[to].link, link = view.point[round].link;
    const Vec3T<F> p = pose_of_point(slot, from).p, q = pose_of_point(slot, to).p;
    const auto [first, last, arc, wraps] = touch(slot, round, p, q);
    const F straight = pull_along(slot, link_p, p, link_q, q, share, !wraps);
    if (!any(wraps)) return straight;
    // One after the other: both pull at what it wraps around.
    const F before = pull_along(slot, link_p, p, link, first, share, wraps);
    const F behind = pull_along(slot, link, last, link_q, q, share, wraps);
    return straight + (before + behind) + select(wraps, arc, F(0));
  }

  CAROM_HD TouchT<F> touch(const PathSlot& slot, int round, Vec3T<F> p, Vec3T<F> q) const {
    const TransformT<F> X = pose_of_point(slot, round), back = inverse(X);
    WrappedT<F> wrapped{view.point[round].type == TendonPointType::kSphere, view.point[round].has_side,
                        w.point_params[round].radius};
    if (wrapped.has_side) {
      const TransformT<F> X_side = pose_of(slot, view.point[round].side_link);
      wrapped.side = transform_point(back, transform_point(X_side, w.point_params[round].side));
    }
    TouchT<F> touch = wrap_around(wrapped, transform_point(back, p), transform_point(back, q));
    touch.first = transform_point(X, touch.first), touch.last = transform_point(X, touch.last);
    return touch;
  }

  // -- What actuators push.

  CAROM_HD F push_site(const PathSlot& slot, const PathParams<F>& p) const {
    const int site = slot.first_point, against = site + 1;
    const TransformT<F> X_WS = pose_of_point(slot, site);
    if (slot.point_count == 1) {
      pull_at(slot, view.point[site].link, X_WS.p, rotate(X_WS.q, p.wrench.linear), rotate(X_WS.q, p.wrench.angular));
      return F(0);
    }
    const TransformT<F> X_WR = pose_of_point(slot, against);
    const Vec3T<F> force = rotate(X_WR.q, p.wrench.linear), moment = rotate(X_WR.q, p.wrench.angular);
    pull_at(slot, view.point[site].link, X_WS.p, force, moment);
    pull_at(slot, view.point[against].link, X_WR.p, -force, -moment);
    return dot(X_WS.p - X_WR.p, force) + dot(rotation_vector(conjugate(X_WR.q) * X_WS.q), p.wrench.angular);
  }

  // With the axis z of the slider and the vector v from it to the crank, s = z . v - sqrt((z . v)^2 + rod^2 - v . v);
  // a rod that is too short holds the slider below the crank.
  CAROM_HD F push_slider(const PathSlot& slot, const PathParams<F>& p) const {
    const int crank = slot.first_point, slider = crank + 1;
    const Vec3T<F> end = pose_of_point(slot, crank).p;
    const TransformT<F> X_WS = pose_of_point(slot, slider);
    const Vec3T<F> axis = rotate(X_WS.q, Vec3T<F>{F(0), F(0), F(1)}), v = end - X_WS.p;
    const F along = dot(axis, v), square = fma(along, along, fma(p.rod, p.rod, -length_squared(v)));
    const auto reaches = square > F(0);
    const F root = sqrt(select(reaches, square, F(1)));
    const F of_axis = select(reaches, F(1) - along / root, F(1)), of_vector = select(reaches, F(1) / root, F(0));
    const Vec3T<F> force = axis * of_axis + v * of_vector;
    pull_at(slot, view.point[crank].link, end, force);
    pull_at(slot, view.point[slider].link, X_WS.p, -force, cross(axis, v * of_axis));
    return select(reaches, along - root, along);
  }

  // A ball or free joint: of the latter it has no length.
  CAROM_HD F turn_joint(const PathSlot& slot, const PathParams<F>& p) const {
    const TreeLink& link = tree.link[slot.joint];
    const QuatT<F> turn = BallJoint::turn(t.q + link.q + link.linear);
    const Vec3T<F> moment = select(p.in_parent > F(0), p.wrench.angular, rotate(turn, p.wrench.angular));
    CAROM_ROLL
    for (int e = 0; e < slot.entry_count; ++e)
      w.J[slot.first_entry + e] = e < link.linear ? p.wrench.linear[e] : moment[e - link.linear];
    return link.linear > 0 ? F(0) : dot(rotation_vector(turn), moment);
  }

  // A ball joint, or a site against its reference, about one of its own axes.
  CAROM_HD F turn_about(const PathSlot& slot) const {
    Vec3T<F> axis{F(0), F(0), F(0)};
    axis[slot.axis] = F(1);
    if (slot.joint >= 0) {
      const QuatT<F> turn = BallJoint::turn(t.q + tree.link[slot.joint].q);
      const Vec3T<F> moment = rotate(turn, axis);
      for (int e = 0; e < 3; ++e) w.J[slot.first_entry + e] = moment[e];
      return rotation_vector(turn)[slot.axis];
    }
    const int site = slot.first_point, against = site + 1;
    const TransformT<F> X_WS = pose_of_point(slot, site), X_WR = pose_of_point(slot, against);
    const Vec3T<F> moment = rotate(X_WS.q, axis);
    pull_at(slot, view.point[site].link, X_WS.p, {}, moment);
    pull_at(slot, view.point[against].link, X_WR.p, {}, -moment);
    return rotation_vector(conjugate(X_WR.q) * X_WS.q)[slot.axis];
  }
};

template <class F, class Team>
CAROM_HD_FREE void place_paths(Team team, const PathView& view, const TreeView& tree, const TreeWork<F>& t,
                               const PathWork<F>& w) {
  const PathKinematics<F> kinematics{view, tree, t, w};
  team.each(view.paths(), [&](int path) { kinematics.place(path); });
}

// Coefficients of entries: as given, or those of paths. source: entry of a path, -1 = as given.
template <class F, class Team>
CAROM_HD_FREE void gather_coefs(Team team, Span<const int> source, const F* given, const F* J, F* out) {
  team.each(static_cast<int>(source.size), [&](int e) { out[e] = source[e] < 0 ? given[e] : J[source[e]]; });
}

}  // namespace carom::inline CAROM_PRECISION
