// How heavy bodies, joints and tendons of a part are at its initial pose: J M^-1 J^T there.
#pragma once

#include "dynamics/tree_dynamics.kernel.h"
#include "dynamics/tree_kinematics.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The mass matrix at the coordinates w.q.
template <class Team>
CAROM_HD_STAGE void fill_mass(Team team, const TreeView& tree, const TreeWork<Real>& w) {
  place_links(team, tree, w);
  move_to_com_frames(team, tree, w);
  team.each(tree.links(), [&](int l) { w.wrench[l] = {}; });
  gather_subtrees(team, tree, w);
  clear_mass_matrix(team, tree, w);
  fill_mass_matrix(team, tree, w);
}

// J M^-1 J^T of a row over the degrees of freedom, with M factored; x: room for M^-1 J^T.
template <class Team>
CAROM_HD_STAGE Real inverse_mass(Team team, const TreeView& tree, const TreeWork<Real>& w, const Real* J, Vec3* x) {
  team.each(tree.dofs(), [&](int i) { entry(x, i) = J[i]; });
  solve_blocks(team, tree.mass_pattern, w.factor, x);
  Real sum = 0;
  CAROM_ROLL
  for (int i = 0; i < tree.dofs(); ++i) sum += J[i] * entry(x, i);
  return sum;
}

// The mean of it over the three directions in which a point of a link, given in the link, can move [1/kg]; J, x: room.
template <class Team>
CAROM_HD_STAGE Real inverse_mass_of_point(Team team, const TreeView& tree, const TreeWork<Real>& w, int link,
                                          Vec3 point, Real* J, Vec3* x) {
  if (link < 0) return 0;
  const TreeLink& l = tree.link[link];
  const Vec3 arm = transform_point(w.X_WL[link], point) - w.tree_com[l.tree];
  const int last = l.dof + l.linear + l.angular - 1;
  Real sum = 0;
  CAROM_ROLL
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 direction;
    direction[axis] = 1;
    const Vec3 moment = cross(arm, direction);
    team.each(tree.dofs(), [&](int i) { J[i] = 0; });
    team.each(tree.ancestor_start[last + 1] - tree.ancestor_start[last], [&](int a) {
      const int dof = tree.ancestor[tree.ancestor_start[last] + a];
      J[dof] = dot(w.motion[dof].linear, direction) + dot(w.motion[dof].angular, moment);
    });
    sum += inverse_mass(team, tree, w, J, x);
  }
  return sum / 3;
}

// The mean over the three directions about which a link can turn [1/(kg m^2)].
template <class Team>
CAROM_HD_STAGE Real inverse_inertia_of_link(Team team, const TreeView& tree, const TreeWork<Real>& w, int link, Real* J,
                                            Vec3* x) {
  if (link < 0) return 0;
  const TreeLink& l = tree.link[link];
  const int last = l.dof + l.linear + l.angular - 1;
  Real sum = 0;
  CAROM_ROLL
  for (int axis = 0; axis < 3; ++axis) {
    team.each(tree.dofs(), [&](int i) { J[i] = 0; });
    team.each(tree.ancestor_start[last + 1] - tree.ancestor_start[last], [&](int a) {
      const int dof = tree.ancestor[tree.ancestor_start[last] + a];
      J[dof] = w.motion[dof].angular[axis];
    });
    sum += inverse_mass(team, tree, w, J, x);
  }
  return sum / 3;
}

}  // namespace carom::inline CAROM_PRECISION
