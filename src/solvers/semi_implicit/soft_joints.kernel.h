// Joints between bodies that move on their own: springs and dampers hold what a joint does not leave free, and what it
// leaves free is held as its coordinates are (dynamics/hold_joints.kernel.h).
//
// A joint acts on the relative velocity of its two links, along three axes at the child's joint frame and about three:
//
//   p = h g - B dv,   B = armature + h D + h^2 K,   g = f(q, v) - h K v - armature dJ/dt v
//
// so it adds J^T B J to the matrix of the bodies, and h J^T g to their impulses.
#pragma once

#include "dynamics/block_matrix.kernel.h"
#include "dynamics/maximal.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct JointMatrices {
  Mat33T<F> along, about;  // B
  Vec3T<F> force, torque;  // g, on the child

  CAROM_HD JointMatrices on_parent() const { return {along, about, -force, -torque}; }
};

// ke, kd: of what holds; offset: how far it has given way, v: the relative velocity, drift: MaximalWorlds::drift_of().
// The other arguments: of each coordinate.
template <class F>
struct SoftAxes {
  F ke, kd, h;

  template <class Force, class Stiffness, class Damping, class Armature>
  CAROM_HD void add(const FreeAxes<F>& axes, Vec3T<F> offset, Vec3T<F> v, Vec3T<F> drift, Force force,
                    Stiffness stiffness, Damping damping, Armature armature, Mat33T<F>& B, Vec3T<F>& g) const {
    B = axes.held * (h * fma(h, ke, kd));
    g = axes.held * (offset * -ke - v * fma(h, ke, kd));
    for (int i = 0; i < axes.count; ++i) {
      const Vec3T<F> d = axes.dual[i];
      const F rate = dot(d, v);
      B = B + outer(d, d) * fma(h, fma(h, stiffness(i), damping(i)), armature(i));
      g = fma(d, fma(-h * stiffness(i), rate, force(i)) - armature(i) * dot(d, drift), g);
    }
  }
};

// H += J^T B J and rhs += h J^T g, of a joint at the point p. Links by the place of their first block; -1: the world.
template <class F>
struct JointBlocks {
  Mat33T<F>* H;
  Vec3T<F>* rhs;
  F h;

  CAROM_HD void add(int child, Vec3T<F> r_child, int parent, Vec3T<F> r_parent, const JointMatrices<F>& joint) const {
    const Mat33T<F> C = skew(r_child) * F(-1), P = skew(r_parent) * F(-1);  // turning moves the point by C omega
    const Mat33T<F> CtB = transpose(C) * joint.along;
    at(child, child) = at(child, child) + joint.along;
    at(child + 1, child) = at(child + 1, child) + CtB;
    at(child + 1, child + 1) = at(child + 1, child + 1) + CtB * C + joint.about;
    push(child, r_child, joint, h);
    if (parent < 0) return;
    const Mat33T<F> PtB = transpose(P) * joint.along;
    at(parent, parent) = at(parent, parent) + joint.along;
    at(parent + 1, parent) = at(parent + 1, parent) + PtB;
    at(parent + 1, parent + 1) = at(parent + 1, parent + 1) + PtB * P + joint.about;
    at(child, parent) = at(child, parent) - joint.along;
    at(child, parent + 1) = at(child, parent + 1) - joint.along * P;
    at(child + 1, parent) = at(child + 1, parent) - CtB;
    at(child + 1, parent + 1) = at(child + 1, parent + 1) - CtB * P - joint.about;
    push(parent, r_parent, joint, -h);
  }

  // Of a row J with numbers B and g, over links once each; first: their first blocks, -1 = none.
  template <int N>
  CAROM_HD void add_row(const int (&first)[N], const SpatialVectorT<F> (&J)[N], F B, F g) const {
    for (int a = 0; a < 2 * N; ++a) {
      if (first[a / 2] < 0) continue;
      const int row = first[a / 2] + a % 2;
      const Vec3T<F> J_a = half(J[a / 2], a % 2);
      rhs[row] = fma(J_a, h * g, rhs[row]);
      for (int b = 0; b < 2 * N; ++b) {
        const int column = first[b / 2] + b % 2;
        if (first[b / 2] >= 0 && column <= row)
          at(row, column) = at(row, column) + outer(J_a, half(J[b / 2], b % 2)) * B;
      }
    }
  }

 private:
  CAROM_HD static Vec3T<F> half(const SpatialVectorT<F>& J, int k) { return k == 0 ? J.linear : J.angular; }
  CAROM_HD Mat33T<F>& at(int row, int column) const { return H[block_index(row, column)]; }
  CAROM_HD void push(int link, Vec3T<F> r, const JointMatrices<F>& joint, F scale) const {
    rhs[link] = fma(joint.force, scale, rhs[link]);
    rhs[link + 1] = fma(joint.torque + cross(r, joint.force), scale, rhs[link + 1]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
