// TreePlan: the structure of one archetype of parts as links and ordered degrees of freedom. The numbers of each part
// are written by tree_params.kernel.h.
#pragma once

#include <functional>
#include <vector>

#include "dynamics/loops.kernel.h"
#include "dynamics/parts.h"
#include "dynamics/tree_params.kernel.h"

namespace carom::inline CAROM_PRECISION {

// A BlockPattern with its memory.
struct PatternLists {
  Array<char> memory;
  BlockPattern pattern;

  PatternLists() = default;
  // On the CPU. couple(sets): adds the columns left of the diagonal to the set of each row; the fill comes by itself.
  PatternLists(int size, const std::function<void(const BitSets&)>& couple);
  PatternLists on(Device device) const;
};

// The pattern of the mass matrix: none, which is for those that need no matrix that grows with the square of the links,
// that of the trees, or with what loops (loops.h) couple as well.
enum class MassPattern { kNone, kTrees, kLoops };

struct TreePlan {
  std::vector<TreeLink> links;
  std::vector<int> dof_link, dof_in_part;
  std::vector<std::vector<int>> ancestors;  // of each degree of freedom, itself included
  std::vector<int> body_link;               // -1 = does not move
  std::vector<int> dof_of_part_dof;         // the other way round
  PatternLists mass;                        // on the CPU
  TreeView view;                            // on the model's device
  TreeOrigin origin;                        // likewise

  // Throws Error for what cannot be a tree of links. Without a pattern `mass` has a size alone.
  TreePlan(const HostModel& host, const PartArchetype& archetype, MassPattern pattern = MassPattern::kTrees);
  // That move a link, ascending.
  const std::vector<int>& dofs_of_link(const TreeLink& link) const {
    return ancestors[link.dof + link.linear + link.angular - 1];
  }
  // That move what a loop holds, ascending.
  std::vector<int> dofs_of_loop(const Loop& loop) const;

 private:
  void add_links(const HostModel& host, const PartRows& part);
  void number_dofs(bool branches_in_own_blocks);
  void couple_dofs(const HostModel& host, const PartRows& part, MassPattern pattern);
  void number_children();
  void to_device(Device device);

  std::vector<TreeJoint> joints_;
  std::vector<int> link_joint_;  // row of joints_
  std::vector<int> part_dof_;    // first degree of freedom of each link in joint_qd
  std::vector<std::vector<int>> children_;
  std::vector<int> level_start_;
  // What the views point to.
  std::vector<Array<int>> arrays_;
  Array<TreeLink> links_device_;
  Array<TreeJoint> joints_device_;
  Array<std::int8_t> fixed_coord_;
  PatternLists pattern_;
  int part_dofs_ = 0, part_coords_ = 0;  // of the part
};

}  // namespace carom::inline CAROM_PRECISION
