// Poses of the links from joint coordinates, and what every degree of freedom moves.
//
//   X_WL = X_WP X_PJ X_J(q) X_JL
//
// Spatial vectors are taken about the centre of mass of the tree, which keeps their numbers small wherever the tree is.
#pragma once

#include "dynamics/tree.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace tree {

// X_WJ, and the world axes of the joint's degrees of freedom.
template <class F>
CAROM_HD TransformT<F> place_joint(const TreeLink& link, const TreeWork<F>& w, const TransformT<F>& X_WP) {
  const F* const q = w.q + link.q;
  Vec3T<F>* const axis_W = w.axis + link.dof;
  const DofParams<F>* const params = w.dof_params + link.dof;
  if (is_hinge(link.type)) {  // the most common joint, which moves no origin
    axis_W[0] = rotate(X_WP.q, params->axis);
    return {X_WP.p, X_WP.q * quat_from_axis_angle(params->axis, q[0])};
  }
  const auto axis_of = [&](int i) CAROM_HD_LAMBDA { return params[i].axis; };
  return X_WP * visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
           return joint.pose({link.linear, link.angular}, axis_of, q, X_WP.q, axis_W);
         });
}

}  // namespace tree

// Poses of the links, axes and anchors of the joints.
template <class F, class Team>
CAROM_HD_FREE void place_links(Team team, const TreeView& tree, const TreeWork<F>& w) {
  each_link_from_roots(team, tree, [&](int l) {
    const TreeLink& link = tree.link[l];
    const LinkParams<F>& params = w.link_params[l];
    const TransformT<F> X_WP = link.parent < 0 ? params.X_PJ : w.X_WL[link.parent] * params.X_PJ;
    const TransformT<F> X_WJ = tree::place_joint(link, w, X_WP);
    w.anchor[l] = X_WJ.p;
    w.X_WL[l] = X_WJ * params.X_JL;
  });
}

// Inertias of the links and motions of the degrees of freedom, about the trees' centres of mass.
template <class F, class Team>
CAROM_HD_FREE void move_to_com_frames(Team team, const TreeView& tree, const TreeWork<F>& w) {
  team.each(tree.links(), [&](int l) { w.com[l] = transform_point(w.X_WL[l], w.link_params[l].com); });
  team.each(tree.trees(), [&](int t) {
    F mass{};
    Vec3T<F> moment;
    CAROM_ROLL
    for (int i = tree.tree_start[t]; i < tree.tree_start[t + 1]; ++i) {
      const int l = tree.tree_link[i];
      mass += w.link_params[l].mass;
      moment = fma(w.com[l], w.link_params[l].mass, moment);
    }
    w.tree_com[t] = moment / mass;
  });
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    const LinkParams<F>& params = w.link_params[l];
    const Vec3T<F> o = w.tree_com[link.tree];
    w.inertia[l] = spatial_inertia(params.mass, w.com[l] - o, rotate(mat33_from_quat(w.X_WL[l].q), params.inertia));
    const Vec3T<F> arm = o - w.anchor[l];
    CAROM_ROLL
    for (int i = link.dof; i < link.dof + link.linear; ++i) w.motion[i] = slide_motion(w.axis[i]);
    CAROM_ROLL
    for (int i = link.dof + link.linear; i < link.dof + link.linear + link.angular; ++i)
      w.motion[i] = turn_motion(w.axis[i], arm);
  });
}

}  // namespace carom::inline CAROM_PRECISION
