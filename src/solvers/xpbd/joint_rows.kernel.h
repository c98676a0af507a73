// A joint as SolverXPBD solves it: six directions at the child's joint frame, three along which and three about which
// its links move against each other. Along each, with the velocity u,
//
//   p = w - B (u - u_0)
//
// What the joint leaves free is held as its coordinates are (hold_joints.kernel.h), by the force at the end of the
// sub-step: w = h (f - h K u_0 - armature dJ/dt), B = armature + h D + h^2 K, u_0 the velocity at its beginning. What
// it holds is to lose its error C: w = 0, u_0 = -rate C, and a B that is large beside the masses.
//
// All six are solved at once. With W the velocities per impulse and D^2 = B, a change of the impulses is D y, where
//
//   (1 + D W D) y = -D^-1 (p - w) - D (u - u_0)
//
// A connect or a weld is such a joint, too, at the point that it holds.
#pragma once

#include "dynamics/maximal_loops.kernel.h"
#include "solvers/xpbd/contact_rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct JointImpulses {
  F along[6];  // [N s], [N m s]
};

template <class F>
struct HeldJoint {
  int link[2];           // rows of parent and child; of a connect or a weld, of both its bodies
  Vec3T<F> r[2];         // from their centres of mass to the child's joint frame [m]
  Vec3T<F> axis[6];      // three to slide along, three to turn about; the free ones first
  F error[6];            // C of what is held; otherwise 0 [m], [rad]
  F start[6];            // u_0 without it
  F wanted[6];           // w
  F D[6], inverse_D[6];  // 0: the impulse is w
  F factor[21];          // of 1 + D W D: lower triangle, with the reciprocals of its diagonal
  JointImpulses<F> p;
  Vec3T<F> push, twist;  // all of them together, world axes: what the next sub-step, which has other axes, begins with
};

CAROM_HD constexpr int at_row(int i, int j) { return i * (i + 1) / 2 + j; }

// A = L L^T, in place.
template <class F>
CAROM_HD void factor6(F (&a)[21]) {
  CAROM_UNROLL
  for (int j = 0; j < 6; ++j) {
    F d = a[at_row(j, j)];
    for (int k = 0; k < j; ++k) d = fma(-a[at_row(j, k)], a[at_row(j, k)], d);
    const F inverse = F(1) / sqrt(d);
    a[at_row(j, j)] = inverse;
    for (int i = j + 1; i < 6; ++i) {
      F x = a[at_row(i, j)];
      for (int k = 0; k < j; ++k) x = fma(-a[at_row(i, k)], a[at_row(j, k)], x);
      a[at_row(i, j)] = x * inverse;
    }
  }
}
template <class F>
CAROM_HD void solve6(const F (&L)[21], F (&x)[6]) {
  CAROM_UNROLL
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) x[i] = fma(-L[at_row(i, k)], x[k], x[i]);
    x[i] = x[i] * L[at_row(i, i)];
  }
  CAROM_UNROLL
  for (int i = 5; i >= 0; --i) {
    for (int k = i + 1; k < 6; ++k) x[i] = fma(-L[at_row(k, i)], x[k], x[i]);
    x[i] = x[i] * L[at_row(i, i)];
  }
}

// Three directions, those of the n free ones first; the rate of coordinate i is axis[i] . v.
template <class F>
CAROM_HD void complete_axes(int n, const Vec3T<F>* free, Vec3T<F>* axis) {
  if (n == 0) {
    for (int k = 0; k < 3; ++k) axis[k] = Vec3T<F>{F(k == 0), F(k == 1), F(k == 2)};
  } else if (n == 1) {
    const Mat33T<F> frame = contact_frame(free[0], Vec3T<F>{});
    for (int k = 0; k < 3; ++k) axis[k] = frame[k];
  } else {
    const Vec3T<F> third = n == 3 ? free[2] : normalize(cross(free[0], free[1]));
    const Mat33T<F> rows = inverse(mat33_columns(free[0], free[1], third));
    for (int k = 0; k < 3; ++k) axis[k] = rows[k];
    if (n == 2) axis[2] = third;
  }
}

template <class F>
struct JointSolve {
  const MaximalWorlds& maximal;
  MaximalWork<F>& links;
  const LinkMass<F>* mass;
  LinkRow<F>* rows;
  F h;
  MaskOf<F> acts;  // where it does anything

  // Of what is held, beside what the links weigh along it.
  static constexpr Real kStiff = Real(1e4);

  CAROM_HD int world() const { return maximal.tree.links(); }

  // At the poses and velocities of `links`. Impulses begin with `push` and `twist`.
  template <class Team>
  CAROM_HD_FREE void open(Team team, int l, HeldJoint<F>& j) const {
    const TreeLink& link = maximal.tree.link[l];
    if (link.type == JointType::kDistance) return open_distance(link, l, j);
    const JointFrame<F> frame = maximal.frame_of(l, links);
    maximal.hold_joint(team, l, frame, h, links);
    JointPose<F> pose;
    maximal.find_pose(l, frame, links, pose);
    j.link[0] = link.parent < 0 ? world() : link.parent, j.link[1] = l;
    j.r[0] = frame.r_parent, j.r[1] = frame.r_child;
    complete_axes(link.linear, pose.axes, j.axis);
    complete_axes(link.angular, pose.axes + link.linear, j.axis + 3);
    F B[6], W[21];
    find_compliance(j, W);
    for (int k = 0; k < 6; ++k) {
      const int among = k % 3, count = k < 3 ? link.linear : link.angular;
      const Vec3T<F> v = k < 3 ? frame.V.linear : frame.V.angular, gone = k < 3 ? pose.shift : pose.turn;
      const Vec3T<F> drift = k < 3 && among < count ? maximal.drift_of(l, frame, links) : Vec3T<F>{};
      if (among < count) open_free(link.dof + (k < 3 ? among : link.linear + among), k, v, drift, j, B[k]);
      else open_held(k, gone, W[at_row(k, k)], j, B[k]);
    }
    const F moves = select(maximal.is_given(l, links), F(0), F(1));
    Vec3T<F> direction[6];
    for (int k = 0; k < 6; ++k) {
      const int among = k % 3, count = k < 3 ? link.linear : link.angular, first = k < 3 ? 0 : link.linear;
      direction[k] = among < count ? pose.axes[first + among] : j.axis[k];
      j.wanted[k] = j.wanted[k] * moves;
      B[k] = B[k] * moves;
    }
    begin(direction, B, W, j);
  }

  // A connect or a weld.
  template <class Team>
  CAROM_HD_FREE void open_tie(Team, int loop, HeldJoint<F>& j) const {
    const Loop& tie = maximal.loops.loop[loop];
    const LoopParams<F>& params = links.loops[loop];
    const TieGap<F> gap = tie_gap_of(maximal, loop, links);
    for (int side = 0; side < 2; ++side) {
      j.link[side] = tie.link[side] < 0 ? world() : tie.link[side];
      j.r[side] = tie.link[side] < 0 ? Vec3T<F>{} : gap.point - links.link[tie.link[side]].com;
    }
    for (int half = 0; half < 6; half += 3) complete_axes<F>(0, nullptr, j.axis + half);
    F B[6], W[21];
    find_compliance(j, W);
    for (int k = 0; k < 6; ++k) {
      open_held(k, k < 3 ? gap.shift : gap.turn, W[at_row(k, k)], j, B[k]);
      B[k] = B[k] * (k < 3 ? params.enabled : params.enabled * params.turns);
    }
    begin(j.axis, B, W, j);
  }

  template <class Team>
  CAROM_HD_FREE void warm_start(Team, const HeldJoint<F>& j) const {
    LinkRow<F> parent = rows[j.link[0]], child = rows[j.link[1]];
    push_links(j, j.p.along, parent, child);
    write(j, parent, child);
  }

  template <class Team>
  CAROM_HD_FREE void close(Team, HeldJoint<F>& j) const {
    j.push = sum(j, j.p.along, 0), j.twist = sum(j, j.p.along, 3);
  }

  // rate: at which errors are taken away [1/s].
  template <class Team>
  CAROM_HD_FREE void solve(Team, HeldJoint<F>& j, F rate) const {
    LinkRow<F> parent = rows[j.link[0]], child = rows[j.link[1]];
    const Vec3T<F> v = child.v + cross(child.omega, j.r[1]) - parent.v - cross(parent.omega, j.r[0]);
    const Vec3T<F> omega = child.omega - parent.omega;
    F y[6];
    for (int k = 0; k < 6; ++k) {
      const F u = dot(j.axis[k], k < 3 ? v : omega), off = fma(rate, j.error[k], u - j.start[k]);
      y[k] = fma(j.inverse_D[k], j.wanted[k] - j.p.along[k], -j.D[k] * off);
    }
    solve6(j.factor, y);
    for (int k = 0; k < 6; ++k) {
      y[k] = select(acts, j.D[k] * y[k], F(0));
      j.p.along[k] += y[k];
    }
    push_links(j, y, parent, child);
    write(j, parent, child);
  }

 private:
  CAROM_HD void open_distance(const TreeLink& link, int l, HeldJoint<F>& j) const {
    const JointFrame<F> frame = maximal.frame_of(l, links);
    const auto between = maximal.reach_of(frame);
    j.link[0] = link.parent < 0 ? world() : link.parent, j.link[1] = l;
    j.r[0] = frame.r_parent, j.r[1] = frame.r_child;
    complete_axes(1, &between.direction, j.axis);
    complete_axes<F>(0, nullptr, j.axis + 3);
    F B[6]{}, W[21];
    find_compliance(j, W);
    for (int k = 0; k < 6; ++k) j.error[k] = j.start[k] = j.wanted[k] = F(0);
    const auto held = maximal.hold_forces(h, links).hold_distance(link, between.length, between.rate);
    const F moves = select(maximal.is_given(l, links), F(0), F(1));
    j.start[0] = between.rate;
    j.wanted[0] = moves * h * held.g(h, between.rate);
    B[0] = moves * held.B(h);
    begin(j.axis, B, W, j);
  }
  // direction: of the axes, along which the impulses of before are taken up.
  CAROM_HD void begin(const Vec3T<F>* direction, const F (&B)[6], const F (&W)[21], HeldJoint<F>& j) const {
    for (int k = 0; k < 6; ++k) {
      j.D[k] = sqrt(max(B[k], F(0)));
      const MaskOf<F> gives_way = j.D[k] > F(0);
      j.inverse_D[k] = select(gives_way, F(1) / select(gives_way, j.D[k], F(1)), F(0));
      j.p.along[k] = select(gives_way, dot(direction[k], k < 3 ? j.push : j.twist), j.wanted[k]);
    }
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b <= a; ++b) j.factor[at_row(a, b)] = fma(j.D[a] * W[at_row(a, b)], j.D[b], F(a == b));
    factor6(j.factor);
  }
  // Velocities along the axes per impulse.
  CAROM_HD void find_compliance(const HeldJoint<F>& j, F (&W)[21]) const {
    const LinkMass<F>&m0 = mass[j.link[0]], &m1 = mass[j.link[1]];
    const auto lever = [&](int side, int k) CAROM_HD_LAMBDA { return k < 3 ? cross(j.r[side], j.axis[k]) : j.axis[k]; };
    for (int b = 0; b < 6; ++b) {
      const Vec3T<F> turn0 = m0.inverse_turn * lever(0, b), turn1 = m1.inverse_turn * lever(1, b);
      for (int a = b; a < 6; ++a) {
        const F sliding = a < 3 ? (m0.inverse + m1.inverse) * dot(j.axis[a], j.axis[b]) : F(0);
        W[at_row(a, b)] = sliding + dot(lever(0, a), turn0) + dot(lever(1, a), turn1);
      }
    }
  }
  CAROM_HD void open_free(int dof, int k, Vec3T<F> v, Vec3T<F> drift, HeldJoint<F>& j, F& B) const {
    const F stiffness = entry(links.stiffness, dof), armature = links.tree.dof_params[dof].armature;
    j.error[k] = F(0);
    j.start[k] = dot(j.axis[k], v);
    const F force = fma(-armature, dot(j.axis[k], drift), entry(links.joint_force, dof));
    j.wanted[k] = h * fma(-h * stiffness, j.start[k], force);
    B = fma(h, fma(h, stiffness, entry(links.damping, dof)), armature);
  }
  CAROM_HD static void open_held(int k, Vec3T<F> gone, F w, HeldJoint<F>& j, F& B) {
    j.error[k] = dot(j.axis[k], gone);
    j.start[k] = j.wanted[k] = F(0);
    B = select(w > F(0), F(kStiff) / select(w > F(0), w, F(1)), F(0));
  }
  CAROM_HD static Vec3T<F> sum(const HeldJoint<F>& j, const F (&p)[6], int first) {
    return fma(j.axis[first], p[first], fma(j.axis[first + 1], p[first + 1], j.axis[first + 2] * p[first + 2]));
  }
  CAROM_HD void push_links(const HeldJoint<F>& j, const F (&p)[6], LinkRow<F>& parent, LinkRow<F>& child) const {
    const Vec3T<F> P = sum(j, p, 0), T = sum(j, p, 3);
    push(child, mass[j.link[1]], j.r[1], P, T);
    push(parent, mass[j.link[0]], j.r[0], -P, -T);
  }
  CAROM_HD void write(const HeldJoint<F>& j, const LinkRow<F>& parent, const LinkRow<F>& child) const {
    if (j.link[1] != world()) rows[j.link[1]].v = child.v, rows[j.link[1]].omega = child.omega;
    if (j.link[0] != world()) rows[j.link[0]].v = parent.v, rows[j.link[0]].omega = parent.omega;
  }
};

}  // namespace carom::inline CAROM_PRECISION
