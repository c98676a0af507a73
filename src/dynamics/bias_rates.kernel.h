// How the bias forces of a tree change with its velocities: C_ij = d bias_i / d qd_j.
//
// With c_j the velocity that carries the axis S_j along, w_j the one behind it (of axes that turn at once: behind all
// of them), and m the farther of the two links from the root,
//
//   C_ij = S_i . (I_m (c_j + w_j) x S_j + B_m S_j)
//   B S  = (2 s x P,  G s)      s: angular part of S;  P, v, w: linear momentum, velocities of a link
//   G s  = w x I s - I (w x s) + s x I w - 2 h x (v x s)      h: mass times centre of mass;  I: inertia, about o
//
// where I_m, P and G are sums over all that m carries. It follows from tree_dynamics.kernel.h by the product rule and
// Jacobi's identity; in other words: Echeandia and Wensing 2021, "Numerical methods to compute the Coriolis matrix".
#pragma once

#include "dynamics/tree.h"
#include "dynamics/tree_dynamics.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct BiasRates {
  // C in blocks as block_lu.kernel.h has them: (k, i), and the transpose of (i, k). Its pattern is that of M.
  Mat33T<F>*below, *right;
  // Until it is there.
  SpatialVectorT<F>* swing;  // per degree of freedom: (c + w) x S
  Vec3T<F>* momentum;        // per link: P
  Mat33T<F>* bend;           // per link: G
};

template <class F>
CAROM_HD void take_bias_rates(Arena& arena, const TreeView& tree, BiasRates<F>& b) {
  b.below = arena.take<Mat33T<F>>(block_total(tree.blocks()));
  b.right = arena.take<Mat33T<F>>(block_total(tree.blocks()));
}
template <class F>
CAROM_HD void take_bias_rates_temporaries(Arena& arena, const TreeView& tree, BiasRates<F>& b) {
  b.swing = arena.take<SpatialVectorT<F>>(tree.dofs());
  b.momentum = arena.take<Vec3T<F>>(tree.links());
  b.bend = arena.take<Mat33T<F>>(tree.links());
}

namespace tree {

template <class F>
CAROM_HD Mat33T<F> bend_of(const SpatialInertiaT<F>& I, const SpatialVectorT<F>& V) {
  Mat33T<F> columns;  // as rows
  const Vec3T<F> w = V.angular, spin = I.inertia * w;
  for (int k = 0; k < 3; ++k) {
    Vec3T<F> s;
    s[k] = F(1);
    columns[k] =
        cross(w, I.inertia * s) - I.inertia * cross(w, s) + cross(s, spin) - cross(I.moment, cross(V.linear, s)) * F(2);
  }
  return transpose(columns);
}

template <class F>
CAROM_HD void find_swings(const TreeLink& link, const TreeWork<F>& w, const SpatialVectorT<F>& V_link,
                          SpatialVectorT<F> V, SpatialVectorT<F>* swing) {
  const int angular = link.dof + link.linear, end = angular + link.angular;
  const bool at_once = turns_at_once(link.type);
  SpatialVectorT<F> carrier = V;
  CAROM_ROLL
  for (int i = link.dof; i < end; ++i) {
    if (!at_once || i <= angular) carrier = V;
    V = V + w.motion[i] * entry(w.qd, i);
    swing[i] = cross_motion(carrier + (at_once && i >= angular ? V_link : V), w.motion[i]);
  }
}

}  // namespace tree

// What the links do to it, each for itself. After move_links(), before gather_subtrees().
template <class F, class Team>
CAROM_HD_FREE void begin_bias_rates(Team team, const TreeView& tree, const TreeWork<F>& w, const BiasRates<F>& b) {
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    b.momentum[l] = (w.inertia[l] * w.velocity[l]).linear;
    b.bend[l] = tree::bend_of(w.inertia[l], w.velocity[l]);
    const SpatialVectorT<F> V = link.parent >= 0 ? w.velocity[link.parent] : SpatialVectorT<F>{};
    tree::find_swings(link, w, w.velocity[l], V, b.swing);
  });
  each_block(team, tree.mass_pattern, [&](int at) CAROM_HD_LAMBDA { b.below[at] = b.right[at] = Mat33T<F>{}; });
}

// C, after gather_subtrees().
template <class F, class Team>
CAROM_HD_FREE void finish_bias_rates(Team team, const TreeView& tree, const TreeWork<F>& w, const BiasRates<F>& b) {
  each_parent_from_leaves(team, tree, [&](int l) {
    const TreeLink& link = tree.link[l];
    CAROM_ROLL
    for (int c = link.first_child; c < link.first_child + link.child_count; ++c) {
      b.momentum[l] = b.momentum[l] + b.momentum[tree.child[c]];
      b.bend[l] = b.bend[l] + b.bend[tree.child[c]];
    }
  });
  team.each(tree.dofs(), [&](int i) {
    const int l = tree.dof_link[i];
    if (l < 0) return;
    const SpatialVectorT<F>& S = w.motion[i];
    const Vec3T<F> P = b.momentum[l];
    // C_ij = swing_j . along + s_j . about,  C_ji = S_j . across
    const SpatialVectorT<F> along = w.inertia[l] * S;
    const Vec3T<F> about = cross(P, S.linear) * F(2) + transpose(b.bend[l]) * S.angular;
    const SpatialVectorT<F> across =
        w.inertia[l] * b.swing[i] + SpatialVectorT<F>{cross(S.angular, P) * F(2), b.bend[l] * S.angular};
    CAROM_ROLL
    for (int a = tree.ancestor_start[i]; a < tree.ancestor_start[i + 1]; ++a) {
      const int j = tree.ancestor[a], at = block_index(i / 3, j / 3);
      const SpatialVectorT<F>& T = w.motion[j];
      const F row = dot(b.swing[j], along) + dot(T.angular, about), column = dot(T, across);
      b.below[at][i % 3][j % 3] = row;
      if (i / 3 == j / 3) b.below[at][j % 3][i % 3] = column;
      else b.right[at][i % 3][j % 3] = column;
    }
  });
}

}  // namespace carom::inline CAROM_PRECISION
