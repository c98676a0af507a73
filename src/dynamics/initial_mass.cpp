#include "dynamics/initial_mass.h"

#include <algorithm>

#include "dynamics/tree_dynamics.kernel.h"
#include "dynamics/tree_kinematics.kernel.h"

namespace carom::inline CAROM_PRECISION {

InitialMass::InitialMass(const TreePlan& plan, const LinkParams<Real>* links, const DofParams<Real>* dofs,
                         const Real* q)
    : plan_(plan) {
  // The view's arrays may be on a GPU: these are the same on the host.
  const TreeView& tree = plan.host_view();
  const auto take = [&](Arena arena) {
    take_tree_work(arena, tree, work_);
    take_tree_temporaries(arena, tree, work_);
    take_factor(arena, tree, work_);
    return arena.used;
  };
  memory_.resize(take({}));
  take({memory_.data(), 0});
  work_.link_params = links;
  work_.dof_params = dofs;
  std::copy_n(q, tree.coord_count, work_.q);
  const Solo solo;
  place_links(solo, tree, work_);
  move_to_com_frames(solo, tree, work_);
  std::fill_n(work_.wrench, tree.links(), SpatialVector{});
  gather_subtrees(solo, tree, work_);
  clear_mass_matrix(solo, tree, work_);
  fill_mass_matrix(solo, tree, work_);
  std::copy_n(work_.M, block_total(tree.blocks()), work_.factor);
  factor_blocks(solo, tree.mass_pattern, work_.factor);
}

Real InitialMass::inverse_mass(const std::vector<Real>& J) const {
  const TreeView& tree = plan_.host_view();
  std::vector<Vec3> x(tree.blocks());
  for (std::size_t i = 0; i < J.size(); ++i) entry(x.data(), static_cast<int>(i)) = J[i];
  solve_blocks(Solo{}, tree.mass_pattern, work_.factor, x.data());
  Real sum = 0;
  for (std::size_t i = 0; i < J.size(); ++i) sum += J[i] * entry(x.data(), static_cast<int>(i));
  return sum;
}

Real InitialMass::inverse_mass_of_point(int link, Vec3 point) const {
  if (link < 0) return 0;
  const TreeLink& l = plan_.links[link];
  const Vec3 arm = transform_point(work_.X_WL[link], point) - work_.tree_com[l.tree];
  Real sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 direction;
    direction[axis] = 1;
    const Vec3 moment = cross(arm, direction);
    std::vector<Real> J(plan_.dof_link.size(), 0);
    for (const int dof : plan_.ancestors[l.dof + l.linear + l.angular - 1])
      J[dof] = dot(work_.motion[dof].linear, direction) + dot(work_.motion[dof].angular, moment);
    sum += inverse_mass(J);
  }
  return sum / 3;
}

}  // namespace carom::inline CAROM_PRECISION
