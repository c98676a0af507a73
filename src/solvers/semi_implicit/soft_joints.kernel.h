// Joints between bodies that move on their own: springs and dampers hold what a joint does not leave free, and what it
// leaves free is held as its coordinates are (dynamics/hold_joints.kernel.h).
//
// A joint acts on the relative velocity of its two links, along three axes at the child's joint frame and about three:
//
//   p = h g - B dv,   B = armature + h D + h^2 K,   g = f(q, v) - h K v - armature dJ/dt v
//
// so it adds J^T B J to the matrix of the bodies, and h J^T g to their impulses. What closes a loop is held likewise.
#pragma once

#include "dynamics/block_matrix.kernel.h"
#include "dynamics/maximal_loops.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Between two links, at a point: joints, and ties of loops.
template <class F>
struct SoftJoint {
  Vec3T<F> r[2];           // from the origins of the parent and the child, or of sides 0 and 1 of a tie [m]
  Sym33T<F> along, about;  // B
  Vec3T<F> force, torque;  // g, on the child or side 1
};

namespace soft {

template <class F>
CAROM_HD Sym33T<F> diagonal(F a) {
  return {a, a, a, F(0), F(0), F(0)};
}
template <class F>
CAROM_HD Sym33T<F> lower_triangle(const Mat33T<F>& A) {
  return {A.row0.x, A.row1.y, A.row2.z, A.row1.x, A.row2.x, A.row2.y};
}
template <class F>
CAROM_HD Mat33T<F> matrix(const Sym33T<F>& a) {
  return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}
// A + s d d^T
template <class F>
CAROM_HD Sym33T<F> plus_square(const Sym33T<F>& A, Vec3T<F> d, F s) {
  const Vec3T<F> sd = d * s;
  return {fma(sd.x, d.x, A.xx), fma(sd.y, d.y, A.yy), fma(sd.z, d.z, A.zz),
          fma(sd.x, d.y, A.xy), fma(sd.x, d.z, A.xz), fma(sd.y, d.z, A.yz)};
}
// r x the columns of B.
template <class F>
CAROM_HD Mat33T<F> cross_columns(Vec3T<F> r, const Sym33T<F>& b) {
  const Mat33T<F> B = matrix(b);
  return {fma(B.row2, r.y, B.row1 * -r.z), fma(B.row0, r.z, B.row2 * -r.x), fma(B.row1, r.x, B.row0 * -r.y)};
}
// The rows of A x r.
template <class F>
CAROM_HD Mat33T<F> cross_rows(const Mat33T<F>& A, Vec3T<F> r) {
  return {cross(A.row0, r), cross(A.row1, r), cross(A.row2, r)};
}

}  // namespace soft

// ke, kd: of what holds; offset: how far it has given way, v: the relative velocity, drift: MaximalWorlds::drift_of().
// The other arguments: of each coordinate.
template <class F>
struct SoftAxes {
  F ke, kd, h;

  template <class Force, class Stiffness, class Damping, class Armature>
  CAROM_HD void add(int count, const Vec3T<F>* axis, Vec3T<F> offset, Vec3T<F> v, Vec3T<F> drift, Force force,
                    Stiffness stiffness, Damping damping, Armature armature, Sym33T<F>& B, Vec3T<F>& g) const {
    const F yield = fma(h, ke, kd);
    const Vec3T<F> held = fma(v, -yield, offset * -ke);
    const auto own_B = [&](int i) CAROM_HD_LAMBDA { return fma(h, fma(h, stiffness(i), damping(i)), armature(i)); };
    const auto own_g = [&](int i, Vec3T<F> d) CAROM_HD_LAMBDA {
      return fma(-h * stiffness(i), dot(d, v), force(i)) - armature(i) * dot(d, drift);
    };
    if (count <= 1) {  // most joints: all directions are held, or all but one
      B = soft::diagonal(h * yield);
      g = held;
      if (count == 0) return;
      const Vec3T<F> a = axis[0];
      B = soft::plus_square(B, a, own_B(0) - h * yield);
      g = fma(a, own_g(0, a) - dot(a, held), g);
      return;
    }
    const FreeAxes<F> axes(count, axis);
    B = soft::lower_triangle(axes.held * (h * yield));
    g = axes.held * held;
    for (int i = 0; i < count; ++i) {
      const Vec3T<F> d = axes.dual[i];
      B = soft::plus_square(B, d, own_B(i));
      g = fma(d, own_g(i, d), g);
    }
  }
};

// The rows of a link in the matrix of the bodies and their impulses. Its velocity is that of its origin, which is where
// its joint is: so the joint has no lever there, and what holds its turning moves no link along.
template <class F>
struct LinkRows {
  Sym33T<F> linear, angular;
  Mat33T<F> mixed;  // (angular, linear)
  Vec3T<F> impulse, twist;

  // Of its own joint.
  CAROM_HD void add_own(const SoftJoint<F>& joint, F h) {
    linear = linear + joint.along;
    angular = angular + joint.about;
    impulse = fma(joint.force, h, impulse);
    twist = fma(joint.torque, h, twist);
  }
  // side: of the link.
  CAROM_HD void add(const SoftJoint<F>& joint, int side, F h) {
    const Vec3T<F> r = joint.r[side];
    const Mat33T<F> rB = soft::cross_columns(r, joint.along);
    linear = linear + joint.along;
    mixed = mixed + rB;
    angular = angular + joint.about + soft::lower_triangle(soft::cross_rows(rB, -r));
    const F share = side == 1 ? h : -h;
    impulse = fma(joint.force, share, impulse);
    twist = fma(joint.torque + cross(r, joint.force), share, twist);
  }

  // add(row, column, what is added) for the blocks towards the link of the other side; row, column: 0 linear, 1
  // angular.
  template <class Add>
  CAROM_HD static void each_towards_parent(const SoftJoint<F>& joint, Add add) {
    add(0, 0, soft::matrix(joint.along) * F(-1));
    add(0, 1, transpose(soft::cross_columns(-joint.r[0], joint.along)));
    add(1, 1, soft::matrix(joint.about) * F(-1));
  }
  template <class Add>
  CAROM_HD static void each_towards(const SoftJoint<F>& tie, int side, Add add) {
    const Vec3T<F> other = tie.r[1 - side];
    const Mat33T<F> rB = soft::cross_columns(tie.r[side], tie.along);
    add(0, 0, soft::matrix(tie.along) * F(-1));
    add(0, 1, transpose(soft::cross_columns(-other, tie.along)));
    add(1, 0, rB * F(-1));
    add(1, 1, soft::cross_rows(rB, other) - soft::matrix(tie.about));
  }
};

// A coupling of joints: one row J over links once each, with the numbers B and g.
template <class F>
struct CoupledLinks {
  CouplingRow<F> row;  // of the velocities of origins
  F B, g;

  // To the rows of a link; add_towards(other link, row, column, what is added).
  template <class Add>
  CAROM_HD void add(int link, LinkRows<F>& rows, F h, Add add_towards) const {
    for (int a = 0; a < CouplingRow<F>::kLinks; ++a) {
      if (row.link[a] != link) continue;
      const SpatialVectorT<F>& J = row.J[a];
      rows.linear = soft::plus_square(rows.linear, J.linear, B);
      rows.mixed = rows.mixed + outer(J.angular, J.linear) * B;
      rows.angular = soft::plus_square(rows.angular, J.angular, B);
      rows.impulse = fma(J.linear, h * g, rows.impulse);
      rows.twist = fma(J.angular, h * g, rows.twist);
      for (int b = 0; b < CouplingRow<F>::kLinks; ++b) {
        if (b == a || row.link[b] < 0) continue;
        for (int k = 0; k < 4; ++k)
          add_towards(row.link[b], k / 2, k % 2,
                      outer(k / 2 == 0 ? J.linear : J.angular, k % 2 == 0 ? row.J[b].linear : row.J[b].angular) * B);
      }
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
