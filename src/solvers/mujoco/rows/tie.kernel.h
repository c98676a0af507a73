// Where the two bodies of a connect or a weld stand, before its rows are made (joint.kernel.h): with anchors p1, p2
// fixed to the bodies, velocities V and accelerations while qdd = 0,
//
//   r = p1 - p2,                          bias = a1 - a2
//   e = vector part of q2^-1 Q,           q2: axes fixed to body 2; Q: where they should be, fixed to body 1
//   e'' while qdd = 0: vector part of 1/2 q2^-1 (alpha + 1/2 (omega omega1 - omega2 omega)) Q
//
// with omega = omega1 - omega2, alpha likewise, and products of quaternions. e is weighed by the torquescale.
#pragma once

#include "dynamics/tree.h"
#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct TieParams {
  F enabled;                  // 1 or 0
  F torquescale;              // [m]
  Vec3T<F> anchor[2];         // in the links; in the world for what does not move [m]
  QuatT<F> turned1, turned2;  // Q in link 1; q2 in link 2
};

template <class F>
struct TieState {
  Vec3T<F> anchor[2], r, bias;  // world axes [m], [m/s^2]
  Vec3T<F> turn, turn_bias;
  QuatT<F> Q, inverse2;
};

namespace ties {

template <class F>
CAROM_HD QuatT<F> pure(Vec3T<F> v) {
  return {v.x, v.y, v.z, F(0)};
}
template <class F>
CAROM_HD QuatT<F> plus(QuatT<F> a, QuatT<F> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
template <class F>
CAROM_HD QuatT<F> times(QuatT<F> q, F s) {
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}

// A link, or the world, as one end of a constraint.
template <class F>
struct End {
  Vec3T<F> anchor, acceleration, omega, alpha;
  QuatT<F> turn;

  CAROM_HD End(const TreeView& tree, const TreeWork<F>& w, int link, Vec3T<F> in_link) {
    anchor = in_link;
    if (link < 0) return;
    anchor = transform_point(w.X_WL[link], in_link);
    turn = w.X_WL[link].q;
    const SpatialVectorT<F>&V = w.velocity[link], &A = w.acceleration[link];
    const Vec3T<F> arm = anchor - w.tree_com[tree.link[link].tree];
    omega = V.angular, alpha = A.angular;
    // A holds off gravity.
    acceleration = A.linear + w.gravity + cross(alpha, arm) + cross(omega, V.linear + cross(omega, arm));
  }
};

// What e gains when body 1 turns by omega; half_scale: half of the torquescale.
template <class F>
CAROM_HD Vec3T<F> turned(const TieState<F>& at, Vec3T<F> omega, F half_scale) {
  return vector_part(at.inverse2 * pure(omega) * at.Q) * half_scale;
}
// The torque on body 1 that does what the forces of the rows of e do.
template <class F>
CAROM_HD Vec3T<F> torque_of(const TieState<F>& at, Vec3T<F> row_force, F half_scale) {
  const auto about = [&](F x, F y, F z) CAROM_HD_LAMBDA {
    return dot(row_force, turned(at, Vec3T<F>{x, y, z}, half_scale));
  };
  return {about(F(1), F(0), F(0)), about(F(0), F(1), F(0)), about(F(0), F(0), F(1))};
}

}  // namespace ties

template <class F, class Team>
CAROM_HD_FREE void place_ties(Team team, const RowView& view, const TreeView& tree, const TreeWork<F>& w,
                              const TieParams<F>* params, TieState<F>* out) {
  team.each(static_cast<int>(view.tie.size), [&](int i) {
    const Tie& slot = view.tie[i];
    const TieParams<F>& p = params[i];
    const ties::End<F> a(tree, w, slot.link[0], p.anchor[0]), b(tree, w, slot.link[1], p.anchor[1]);
    TieState<F>& s = out[i];
    s.anchor[0] = a.anchor, s.anchor[1] = b.anchor;
    s.r = a.anchor - b.anchor, s.bias = a.acceleration - b.acceleration;
    if (!slot.is_weld) return;
    s.Q = a.turn * p.turned1;
    s.inverse2 = conjugate(b.turn * p.turned2);
    s.turn = vector_part(s.inverse2 * s.Q) * p.torquescale;
    const Vec3T<F> omega = a.omega - b.omega;
    using namespace ties;
    const QuatT<F> whirl = plus(pure(omega) * pure(a.omega), times(pure(b.omega) * pure(omega), F(-1)));
    const QuatT<F> inner = plus(pure(a.alpha - b.alpha), times(whirl, F(0.5)));
    s.turn_bias = vector_part(s.inverse2 * inner * s.Q) * (p.torquescale * F(0.5));
  });
}

}  // namespace carom::inline CAROM_PRECISION
