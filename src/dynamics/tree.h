// A part of a world as the dynamics see it: rigid links moved by joints, degrees of freedom numbered so that matrices
// are sparse.
//
// A link is a body with everything that is fixed to it. Degrees of freedom are numbered from the roots to the leaves,
// branch by branch, in blocks of three; a place in a block that no joint fills is a number of its own with unit mass
// and no force. Structure is the same in all parts of an archetype; what differs between them is in LinkParams,
// DofParams and the state.
#pragma once

#include "backend/arena.h"
#include "carom/model.h"
#include "dynamics/block_matrix.kernel.h"
#include "dynamics/spatial_inertia.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct TreeLink {
  int parent;  // link, -1 = the world
  int body;    // that carries the frame of the link; in the part
  JointType type;
  int linear, angular;           // degrees of freedom
  int q;                         // first coordinate in the part
  int dof;                       // first degree of freedom here
  int tree;                      // links of one tree are connected
  int first_child, child_count;  // in TreeView::child
};

// Views of the structure; the arrays are owned by TreePlan.
struct TreeView {
  Span<const TreeLink> link;    // parents before children, by depth
  Span<const int> level_start;  // links of depth d: [level_start[d], level_start[d + 1])
  Span<const int> child;        // links, by parent
  Span<const int> tree_start;   // links of tree t: tree_link[tree_start[t] ... tree_start[t + 1])
  Span<const int> tree_link;
  Span<const int> dof_link;        // -1 = a place that no joint fills
  Span<const int> dof_in_part;     // its number in joint_qd, -1 as above
  Span<const int> ancestor_start;  // degrees of freedom that move this one, itself included, ascending
  Span<const int> ancestor;
  BlockPattern mass_pattern;  // of the mass matrix
  int coord_count, part_dof_count;
  bool keeps_order;  // the degrees of freedom of joint_qd are the first ones here, in their order

  CAROM_HD int links() const { return static_cast<int>(link.size); }
  CAROM_HD int dofs() const { return static_cast<int>(dof_link.size); }
  CAROM_HD int blocks() const { return mass_pattern.size; }
  CAROM_HD int trees() const { return static_cast<int>(tree_start.size) - 1; }
};

// Numbers of a link that may differ from world to world.
template <class F>
struct LinkParams {
  TransformT<F> X_PJ;  // joint frame in the parent link
  TransformT<F> X_JL;  // link in the joint frame
  F mass;              // [kg]
  Vec3T<F> com;        // in the link [m]
  Sym33T<F> inertia;   // about the centre of mass, link axes [kg m^2]
  Vec3T<F> p_JBcom;    // centre of mass of the body in the joint frame [m]: free joints' velocities are given there
};

template <class F>
struct DofParams {
  Vec3T<F> axis;                 // in the joint frame of the parent
  F stiffness;                   // [N/m] or [N m/rad]
  F spring_ref;                  // [m] or [rad]
  F damping;                     // [N s/m] or [N m s/rad]
  F armature;                    // [kg] or [kg m^2]
  F effort_lower, effort_upper;  // what its actuators do together stays within these [N] or [N m]
};

// What takes the place of the inertia of joints whose motion is given: all that pushes is nothing against it.
inline constexpr Real kGivenMotion = Real(1e20);

// What the stages below compute with, for one world or W of them.
template <class F>
struct TreeWork {
  const LinkParams<F>* link_params;
  const DofParams<F>* dof_params;
  Vec3T<F> gravity;  // [m/s^2]

  F* q;          // coordinates
  Vec3T<F>* qd;  // velocities, by blocks; of free joints those of the joint frame's origin

  // Per link.
  TransformT<F>* X_WL;
  Vec3T<F>* anchor;  // origin of the joint frame [m]
  Vec3T<F>* com;     // [m]
  SpatialInertiaT<F>* inertia;
  SpatialVectorT<F>* velocity;
  SpatialVectorT<F>* acceleration;  // that the joints' velocities alone bring about, against gravity
  SpatialVectorT<F>* wrench;        // that the joint must pass on for it

  Vec3T<F>* tree_com;         // per tree: the point that spatial vectors are about [m]
  Vec3T<F>* axis;             // per degree of freedom, world axes
  SpatialVectorT<F>* motion;  // per degree of freedom: what it moves, about tree_com

  Mat33T<F>* M;       // mass matrix
  Mat33T<F>* factor;  // of M, and later of other matrices of this size
  Vec3T<F>* bias;     // forces of gravity and motion
};

// What rows are made and solved with.
template <class F>
CAROM_HD void take_tree_motion(Arena& arena, const TreeView& tree, TreeWork<F>& w) {
  w.tree_com = arena.take<Vec3T<F>>(tree.trees());
  w.motion = arena.take<SpatialVectorT<F>>(tree.dofs());
  w.factor = arena.take<Mat33T<F>>(block_total(tree.blocks()));
}
template <class F>
CAROM_HD void take_tree_state(Arena& arena, const TreeView& tree, TreeWork<F>& w) {
  w.q = arena.take<F>(tree.coord_count);
  w.qd = arena.take<Vec3T<F>>(tree.blocks());
}
template <class F>
CAROM_HD void take_tree_mass(Arena& arena, const TreeView& tree, TreeWork<F>& w) {
  w.M = arena.take<Mat33T<F>>(block_total(tree.blocks()));
  w.bias = arena.take<Vec3T<F>>(tree.blocks());
}
// What is done with once mass matrix and bias are filled.
template <class F>
CAROM_HD void take_tree_temporaries(Arena& arena, const TreeView& tree, TreeWork<F>& w) {
  const int links = tree.links();
  w.X_WL = arena.take<TransformT<F>>(links);
  w.anchor = arena.take<Vec3T<F>>(links);
  w.com = arena.take<Vec3T<F>>(links);
  w.inertia = arena.take<SpatialInertiaT<F>>(links);
  w.velocity = arena.take<SpatialVectorT<F>>(links);
  w.acceleration = arena.take<SpatialVectorT<F>>(links);
  w.wrench = arena.take<SpatialVectorT<F>>(links);
  w.axis = arena.take<Vec3T<F>>(tree.dofs());
}

// f(link) for the links of one depth after the other, from the roots on; those of one depth do not wait for each other.
template <class Team, class Function>
CAROM_HD void each_link_from_roots(Team team, const TreeView& tree, Function f) {
  CAROM_ROLL
  for (int level = 0; level + 1 < static_cast<int>(tree.level_start.size); ++level) {
    const int first = tree.level_start[level];
    team.each(tree.level_start[level + 1] - first, [&](int i) CAROM_HD_LAMBDA { f(first + i); });
  }
}
// The other way round, from the links of this depth on.
template <class Team, class Function>
CAROM_HD void each_link_to_roots(Team team, const TreeView& tree, int depth, Function f) {
  CAROM_ROLL
  for (int level = depth; level >= 0; --level) {
    const int first = tree.level_start[level];
    team.each(tree.level_start[level + 1] - first, [&](int i) CAROM_HD_LAMBDA { f(first + i); });
  }
}
template <class Team, class Function>
CAROM_HD void each_link_from_leaves(Team team, const TreeView& tree, Function f) {
  each_link_to_roots(team, tree, static_cast<int>(tree.level_start.size) - 2, f);
}
// Without the deepest links, which have no children.
template <class Team, class Function>
CAROM_HD void each_parent_from_leaves(Team team, const TreeView& tree, Function f) {
  each_link_to_roots(team, tree, static_cast<int>(tree.level_start.size) - 3, f);
}

// Number i of a vector in blocks of three.
template <class F>
CAROM_HD F& entry(Vec3T<F>* v, int i) {
  static_assert(sizeof(Vec3T<F>) == 3 * sizeof(F));
  return reinterpret_cast<F*>(v)[i];
}
template <class F>
CAROM_HD const F& entry(const Vec3T<F>* v, int i) {
  return entry(const_cast<Vec3T<F>*>(v), i);
}
// Numbers i, i + 1 and i + 2, which may be of two blocks.
template <class F>
CAROM_HD Vec3T<F> read3(const Vec3T<F>* v, int i) {
  return {entry(v, i), entry(v, i + 1), entry(v, i + 2)};
}
template <class F>
CAROM_HD void write3(Vec3T<F>* v, int i, Vec3T<F> value) {
  for (int k = 0; k < 3; ++k) entry(v, i + k) = value[k];
}

}  // namespace carom::inline CAROM_PRECISION
