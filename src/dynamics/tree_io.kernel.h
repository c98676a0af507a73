// Between the arrays of a state, which hold degrees of freedom world by world in the order of joint_qd, and the vectors
// that a tree is computed with, in blocks of three.
//
// A free joint's velocity, and the force applied there, are those of the body's centre of mass between steps, and those
// of the joint frame's origin inside a step.
#pragma once

#include "backend/world_lanes.h"
#include "dynamics/tree_dynamics.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct DofColumns {
  const TreeView& tree;
  Offsets<F> dofs;  // where those of each part begin
  F* as_given;      // room for the numbers in the order of joint_qd

  template <class Team>
  CAROM_HD void load(Team team, const Real* column, Vec3T<F>* to) const {
    load_block(team, column, dofs, tree.part_dof_count, tree.keeps_order ? &entry(to, 0) : as_given);
    if (tree.keeps_order) return;
    team.each(tree.dofs(), [&](int i) {
      if (tree.dof_in_part[i] >= 0) entry(to, i) = as_given[tree.dof_in_part[i]];
    });
  }
  template <class Team>
  CAROM_HD void store(Team team, const Vec3T<F>* from, Real* column) const {
    team.each(tree.dofs(), [&](int i) {
      // Adding zero turns -0 into +0: lanes that skip a sum of zeros agree with those that do not.
      if (tree.dof_in_part[i] >= 0) as_given[tree.dof_in_part[i]] = entry(from, i) + F(0);
    });
    store_block(team, column, dofs, tree.part_dof_count, as_given);
  }
};

template <class F>
CAROM_HD Vec3T<F> com_from_origin(const TreeView& tree, const TreeWork<F>& w, int link) {
  return FreeJoint::com_from_origin(w.q + tree.link[link].q, w.link_params[link].p_JBcom);
}

// f(first linear, first angular degree of freedom, com from origin) for the free joints.
template <class F, class Team, class Function>
CAROM_HD void each_free_joint(Team team, const TreeView& tree, const TreeWork<F>& w, Function f) {
  team.each(tree.links(), [&](int l) {
    if (!velocity_at_com(tree.link[l].type)) return;
    f(tree.link[l].dof, tree.link[l].dof + 3, com_from_origin(tree, w, l));
  });
}
// Of one free joint.
template <class F>
CAROM_HD void move_velocity_to_origin(const TreeView& tree, const TreeWork<F>& w, int link) {
  const int linear = tree.link[link].dof, angular = linear + 3;
  write3(w.qd, linear, read3(w.qd, linear) - cross(read3(w.qd, angular), com_from_origin(tree, w, link)));
}
template <class F, class Team>
CAROM_HD void move_velocities_to_origins(Team team, const TreeView& tree, const TreeWork<F>& w) {
  team.each(tree.links(), [&](int l) {
    if (velocity_at_com(tree.link[l].type)) move_velocity_to_origin(tree, w, l);
  });
}
template <class F, class Team>
CAROM_HD void move_velocities_to_coms(Team team, const TreeView& tree, const TreeWork<F>& w) {
  each_free_joint(team, tree, w, [&](int linear, int angular, Vec3T<F> arm) CAROM_HD_LAMBDA {
    write3(w.qd, linear, read3(w.qd, linear) + cross(read3(w.qd, angular), arm));
  });
}
// given: forces as users give them; moved: those that act on the velocities of the origins.
template <class F, class Team>
CAROM_HD void move_forces_to_origins(Team team, const TreeView& tree, const TreeWork<F>& w, const Vec3T<F>* given,
                                     Vec3T<F>* moved) {
  team.each(tree.blocks(), [&](int b) { moved[b] = given[b]; });
  each_free_joint(team, tree, w, [&](int linear, int angular, Vec3T<F> arm) CAROM_HD_LAMBDA {
    write3(moved, angular, read3(given, angular) + cross(arm, read3(given, linear)));
  });
}

// Rows of the bodies of parts.
struct BodyRows {
  const int* row;  // nullptr: they stand one after the other
  Span<const int> first;

  CAROM_HD int operator()(int part, int b) const { return row ? row[first[part] + b] : first[part] + b; }
};

// Whether somebody applies forces to bodies, of some part at least. No branches, so that numbers are compared several
// at a time.
template <class F, class Team>
CAROM_HD_FREE bool any_body_force(Team team, const Real* body_f, const BodyRows& rows, int bodies,
                                  const WorldIds<F>& ids) {
  const int pieces = rows.row ? bodies : 1, count = rows.row ? 6 : 6 * bodies;
  int different = 0;
  for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
    for (int b = 0; b < pieces && bodies > 0; ++b) {
      const Real* const f = body_f + std::int64_t{6} * rows(ids[l], b);
      for (int k = team.rank(); k < count; k += team.size()) different |= f[k] != Real(0);
    }
  return team.any_in_step(different != 0);
}

// A row of six numbers of a body of each part.
template <class F>
CAROM_HD SpatialVectorT<F> load_of_body(const Real* column, const BodyRows& rows, const WorldIds<F>& ids, int b) {
  Offsets<F> at;
  if constexpr (PlainNumber<F>) {
    at.start = std::int64_t{6} * rows(ids[0], b);
  } else {
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) at.start[l] = std::int64_t{6} * rows(ids[l], b);
  }
  F v[6];
  for (int k = 0; k < 6; ++k) v[k] = load<F>(column, at, k);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

}  // namespace carom::inline CAROM_PRECISION
