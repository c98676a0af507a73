// TreePlan: the structure of an archetype as links and ordered degrees of freedom, and the numbers of its worlds.
#pragma once

#include <vector>

#include "dynamics/tree.h"
#include "model/host_model.h"

namespace carom::inline CAROM_PRECISION {

// A BlockPattern with its memory.
struct PatternLists {
  std::vector<std::uint64_t> coupled;  // per row: columns left of the diagonal, with fill
  Array<char> memory;
  BlockPattern pattern;  // on the device

  PatternLists() = default;
  // Adds the fill to `coupled`.
  PatternLists(std::vector<std::uint64_t> coupled, Device device);
};

struct TreePlan {
  std::vector<TreeLink> links;
  std::vector<int> dof_link, dof_in_world;
  std::vector<std::vector<int>> ancestors;  // of each degree of freedom, itself included
  std::vector<int> body_link;               // -1 = does not move
  std::vector<int> dof_of_world_dof;        // the other way round
  PatternLists mass;
  TreeView view;  // on the model's device

  // Throws Error for what cannot be a tree of links.
  TreePlan(const HostModel& host, const Archetype& archetype);

  const TreeView& host_view() const { return host_view_; }  // the same structure where the CPU can read it
  // Pose of every body in its link, in one world; of bodies that do not move in the world frame.
  std::vector<Transform> poses_in_links(const HostModel& host, const Archetype& archetype, int world) const;
  // The numbers of one world, LinkParams and DofParams one after the other.
  void write_params(const HostModel& host, const Archetype& archetype, int world, LinkParams<Real>* links,
                    DofParams<Real>* dofs, Vec3* body_com) const;

 private:
  void add_links(const HostModel& host, const Archetype& archetype);
  void number_dofs(bool branches_in_own_blocks);
  void number_children();
  TreeView make_view(Device device);

  std::vector<int> link_joint_;  // row of Archetype::tree_joints
  std::vector<int> world_dof_;   // first degree of freedom of each link in joint_qd
  std::vector<std::vector<int>> children_;
  std::vector<int> level_start_;
  TreeView host_view_;
  // What the views point to.
  std::vector<Array<int>> arrays_;
  std::vector<Array<TreeLink>> link_arrays_;
  std::vector<PatternLists> patterns_;
  int world_dofs_ = 0, world_coords_ = 0;
};

// Block rows that a number of degrees of freedom takes.
constexpr int blocks_for(int dofs) { return (dofs + 2) / 3; }

}  // namespace carom::inline CAROM_PRECISION
