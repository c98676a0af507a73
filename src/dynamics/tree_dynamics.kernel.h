// Mass matrix and bias forces of a tree, in the solver's velocities.
//
//   V_L = V_P + sum_j S_j qd_j                       velocities, root to leaves
//   A_L = A_P + sum_j (V x S_j) qd_j,  A_0 = -g      accelerations while qdd = 0
//   f_L = I_L A_L + V_L x* (I_L V_L) + sum of the children's f
//   bias_j = S_j . f_L,   M_ij = S_j . (Ic_L(i) S_i)  for the ancestors j of i, with Ic the composite inertia
//
// Featherstone 2008, chapters 5 and 6.
#pragma once

#include "dynamics/tree.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace tree {

// Adds the joint's part to the velocity V and the acceleration A of the parent. The three axes about which a ball turns
// are fixed to the parent; any other axis is carried along by the degrees of freedom before it.
template <class F>
CAROM_HD void add_joint_motion(const TreeLink& link, const TreeWork<F>& w, SpatialVectorT<F>& V, SpatialVectorT<F>& A) {
  const int angular = link.dof + link.linear, end = angular + link.angular;
  const bool at_once = turns_at_once(link.type);
  SpatialVectorT<F> carrier = V;
  CAROM_ROLL
  for (int i = link.dof; i < end; ++i) {
    const F rate = entry(w.qd, i);
    if (!at_once || i <= angular) carrier = V;
    A = A + cross_motion(carrier, w.motion[i]) * rate;
    V = V + w.motion[i] * rate;
  }
}

}  // namespace tree

// Velocities of the links, and the wrench that each needs for gravity and for what its motion bends.
template <class F, class Team>
CAROM_HD_FREE void move_links(Team team, const TreeView& tree, const TreeWork<F>& w) {
  each_link_from_roots(team, tree, [&](int l) {
    const TreeLink& link = tree.link[l];
    SpatialVectorT<F> V, A{-w.gravity, {}};
    if (link.parent >= 0) {
      V = w.velocity[link.parent];
      A = w.acceleration[link.parent];
    }
    tree::add_joint_motion(link, w, V, A);
    w.velocity[l] = V;
    w.acceleration[l] = A;
    w.wrench[l] = w.inertia[l] * A + cross_force(V, w.inertia[l] * V);
  });
}

// Composite inertias and wrenches, leaves to roots. The order of the children is fixed: the same bits everywhere.
template <class F, class Team>
CAROM_HD_FREE void gather_subtrees(Team team, const TreeView& tree, const TreeWork<F>& w) {
  each_parent_from_leaves(team, tree, [&](int l) {
    const TreeLink& link = tree.link[l];
    CAROM_ROLL
    for (int c = link.first_child; c < link.first_child + link.child_count; ++c) {
      w.inertia[l] = w.inertia[l] + w.inertia[tree.child[c]];
      w.wrench[l] = w.wrench[l] + w.wrench[tree.child[c]];
    }
  });
}

// Mass matrix and bias. After clear_mass_matrix(); what is outside the pattern is never written.
template <class F, class Team>
CAROM_HD_FREE void fill_mass_matrix(Team team, const TreeView& tree, const TreeWork<F>& w) {
  team.each(tree.dofs(), [&](int i) {
    const int l = tree.dof_link[i];
    if (l < 0) {
      entry(w.bias, i) = F(0);
      return;
    }
    entry(w.bias, i) = dot(w.motion[i], w.wrench[l]);
    const SpatialVectorT<F> momentum = w.inertia[l] * w.motion[i];
    const int b = i / 3, r = i % 3;
    Mat33T<F>* const row = w.M + block_index(b, 0);
    F* const numbers = &row->row0.x + 3 * r;
    CAROM_ROLL
    for (int a = tree.ancestor_start[i]; a < tree.ancestor_start[i + 1] - 1; ++a) {  // the last one is i
      const int j = tree.ancestor[a];
      const F value = dot(w.motion[j], momentum);
      numbers[j + 6 * (j / 3)] = value;  // [j / 3][r][j % 3], in blocks of nine
      if (j >= 3 * b) row[b][j - 3 * b][r] = value;
    }
    row[b][r][r] = dot(w.motion[i], momentum) + w.dof_params[i].armature;
  });
}

template <class F, class Team>
CAROM_HD_FREE void clear_mass_matrix(Team team, const TreeView& tree, const TreeWork<F>& w) {
  each_block(team, tree.mass_pattern, [&](int at) CAROM_HD_LAMBDA { w.M[at] = Mat33T<F>{}; });
  team.each(tree.dofs(), [&](int i) {
    if (tree.dof_link[i] < 0) w.M[block_index(i / 3, i / 3)][i % 3][i % 3] = F(1);
  });
}

// Positions after a time h [s] at these velocities.
template <class F, class Team>
CAROM_HD_FREE void step_positions(Team team, const TreeView& tree, const TreeWork<F>& t, F h) {
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    const auto rate = [&](int i) CAROM_HD_LAMBDA { return entry(t.qd, link.dof + i); };
    visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
      joint.integrate({link.linear, link.angular}, rate, h, t.q + link.q);
    });
  });
}

}  // namespace carom::inline CAROM_PRECISION
