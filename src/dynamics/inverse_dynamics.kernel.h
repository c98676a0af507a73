// The forces that given accelerations need: the recursive Newton-Euler algorithm, Featherstone 2008, section 5.3.
//
//   A_L = A_P + sum_j S_j qdd_j                 root to leaves, on top of what gravity and velocities bring about
//   f_L = f_L(qdd = 0) + I_L A_L + sum of the children's f
//   tau_j = S_j . f_L + armature_j qdd_j
#pragma once

#include "dynamics/tree_input.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct InverseDynamicsWork : TreeInputWork<F> {
  Vec3T<F>*qdd, *tau;
  SpatialVectorT<F>* acceleration;  // per link: that qdd alone brings about
};

struct EvalInverseDynamics : TreeKernel<EvalInverseDynamics> {
  template <class F>
  using Work = InverseDynamicsWork<F>;

  const Real* joint_qdd;
  Real* joint_f;

  template <class F>
  CAROM_HD void take(Arena& arena, Work<F>& w) const {
    w.qdd = arena.take<Vec3T<F>>(in.tree.blocks());
    w.tau = arena.take<Vec3T<F>>(in.tree.blocks());
    w.acceleration = arena.take<SpatialVectorT<F>>(in.tree.links());
  }

  template <class Team, class F>
  CAROM_HD_FREE void eval(Team team, const WorldIds<F>& ids, InverseDynamicsWork<F>& w) const {
    in.begin(team, ids, w);
    in.find_wrenches(team, ids, w);
    in.load_dofs(team, ids, w, joint_qdd, w.qdd);
    accelerate_links(team, w);
    gather_subtrees(team, in.tree, w.tree);
    team.each(in.tree.dofs(), [&](int i) {
      const int l = in.tree.dof_link[i];
      if (l < 0) return;
      entry(w.tau, i) = fma(w.tree.dof_params[i].armature, entry(w.qdd, i), dot(w.tree.motion[i], w.tree.wrench[l]));
    });
    in.columns(ids, w).store(team, w.tau, joint_f);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void accelerate_links(Team team, const InverseDynamicsWork<F>& w) const {
    each_link_from_roots(team, in.tree, [&](int l) {
      const TreeLink& link = in.tree.link[l];
      SpatialVectorT<F> A;
      if (link.parent >= 0) A = w.acceleration[link.parent];
      CAROM_ROLL
      for (int i = link.dof; i < link.dof + link.linear + link.angular; ++i)
        A = fma(w.tree.motion[i], entry(w.qdd, i), A);
      w.acceleration[l] = A;
      w.tree.wrench[l] = w.tree.wrench[l] + w.tree.inertia[l] * A;
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
