// The accelerations that given forces lead to: the articulated-body algorithm, Featherstone 2008, section 7.3, in time
// that grows with the number of links. A joint gives way one degree of freedom after the other, its last one first, as
// if there were links without mass between them; so nothing larger than a number is inverted.
//
//   I_A = I_L + sum of the children's,  p = f_L(qdd = 0) + sum of the children's          leaves to roots
//   U_j = I_A S_j,  D_j = S_j . U_j + armature_j,  u_j = tau_j - S_j . p                  for j from the last to the
//   first, I_A -= U_j U_j^T / D_j,  p += U_j u_j / D_j                                           which the parent feels
//   then
//
//   qdd_j = (u_j - U_j . A) / D_j,  A += S_j qdd_j                                        roots to leaves, j ascending
//
// A is what qdd alone brings about, as in inverse_dynamics.kernel.h: velocities and gravity are in f_L(qdd = 0).
#pragma once

#include "dynamics/articulated_inertia.kernel.h"
#include "dynamics/tree_input.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct ForwardDynamicsWork : TreeInputWork<F> {
  Vec3T<F>* tau;  // then u, then qdd
  // Per degree of freedom.
  SpatialVectorT<F>* U;
  F* one_over_D;
  // Per link.
  ArticulatedInertiaT<F>* inertia;  // as the parent feels it
  SpatialVectorT<F>* acceleration;
};

template <class F>
CAROM_HD void take_forward_dynamics(Arena& arena, const TreeView& tree, ForwardDynamicsWork<F>& w) {
  w.tau = arena.take<Vec3T<F>>(tree.blocks());
  w.U = arena.take<SpatialVectorT<F>>(tree.dofs());
  w.one_over_D = arena.take<F>(tree.dofs());
  w.inertia = arena.take<ArticulatedInertiaT<F>>(tree.links());
  w.acceleration = arena.take<SpatialVectorT<F>>(tree.links());
}

namespace tree {

template <class F>
CAROM_HD void give_way_at(const TreeView& tree, int l, const ForwardDynamicsWork<F>& w) {
  const TreeLink& link = tree.link[l];
  ArticulatedInertiaT<F> I = articulated(w.tree.inertia[l]);
  SpatialVectorT<F> p = w.tree.wrench[l];
  CAROM_ROLL
  for (int c = link.first_child; c < link.first_child + link.child_count; ++c) {
    I = I + w.inertia[tree.child[c]];
    p = p + w.tree.wrench[tree.child[c]];
  }
  CAROM_ROLL
  for (int i = link.dof + link.linear + link.angular - 1; i >= link.dof; --i) {
    const SpatialVectorT<F>& S = w.tree.motion[i];
    const SpatialVectorT<F> U = I * S;
    const F one_over_D = F(1) / (dot(S, U) + w.tree.dof_params[i].armature), u = entry(w.tau, i) - dot(S, p);
    I = give_way(I, U, one_over_D);
    p = fma(U, u * one_over_D, p);
    w.U[i] = U;
    w.one_over_D[i] = one_over_D;
    entry(w.tau, i) = u;
  }
  w.inertia[l] = I;
  w.tree.wrench[l] = p;
}

template <class F>
CAROM_HD void accelerate_link(const TreeView& tree, int l, const ForwardDynamicsWork<F>& w) {
  const TreeLink& link = tree.link[l];
  SpatialVectorT<F> A;
  if (link.parent >= 0) A = w.acceleration[link.parent];
  CAROM_ROLL
  for (int i = link.dof; i < link.dof + link.linear + link.angular; ++i) {
    const F qdd = (entry(w.tau, i) - dot(w.U[i], A)) * w.one_over_D[i];
    A = fma(w.tree.motion[i], qdd, A);
    entry(w.tau, i) = qdd;
  }
  w.acceleration[l] = A;
}

}  // namespace tree

// Makes accelerations of the forces in tau, once links are placed and their wrenches found.
template <class F, class Team>
CAROM_HD_FREE void accelerate_tree(Team team, const TreeView& tree, const ForwardDynamicsWork<F>& w) {
  each_link_from_leaves(team, tree, [&](int l) { tree::give_way_at(tree, l, w); });
  each_link_from_roots(team, tree, [&](int l) { tree::accelerate_link(tree, l, w); });
}

struct EvalForwardDynamics : TreeKernel<EvalForwardDynamics> {
  template <class F>
  using Work = ForwardDynamicsWork<F>;

  const Real* joint_f;
  Real* joint_qdd;

  template <class F>
  CAROM_HD void take(Arena& arena, Work<F>& w) const {
    take_forward_dynamics(arena, in.tree, w);
  }

  template <class Team, class F>
  CAROM_HD_FREE void eval(Team team, const WorldIds<F>& ids, ForwardDynamicsWork<F>& w) const {
    in.begin(team, ids, w);
    in.find_wrenches(team, ids, w);
    in.load_dofs(team, ids, w, joint_f, w.tau);
    accelerate_tree(team, in.tree, w);
    in.columns(ids, w).store(team, w.tau, joint_qdd);
  }
};

}  // namespace carom::inline CAROM_PRECISION
