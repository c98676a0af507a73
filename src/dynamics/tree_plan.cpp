#include "dynamics/tree_plan.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "dynamics/loops.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Work of a factorisation, in products of blocks.
std::int64_t factor_cost(const BlockPattern& pattern) {
  std::int64_t cost = 0;
  for (int k = 0; k < pattern.size; ++k) {
    const std::int64_t n = pattern.column_count[k];
    cost += 1 + n + n * (n + 1) / 2;
  }
  return cost;
}

void check_joint(const HostModel& host, const TreeJoint& joint, int row) {
  const auto who = [&] { return text("joint '", host.name(Entity::kJoint, row), "'"); };
  if (joint.parent <= -2) fail(who(), ": its parent is a global body; both bodies must be of one world");
  if (joint.type == JointType::kFree && joint.parent >= 0)
    fail(who(), ": free joints are supported between a body and the world alone");
}

}  // namespace

PatternLists::PatternLists(int size, const std::function<void(const BitSets&)>& couple) {
  Arena count;
  take_pattern(count, size);
  memory = Array<char>(count.used);
  Arena arena{memory.data(), 0};
  pattern = take_pattern(arena, size);
  for (int k = 0; k < size; ++k) pattern.coupled.clear(k);
  couple(pattern.coupled);
  build_pattern(pattern);
}

PatternLists PatternLists::on(Device device) const {
  if (device.is_cpu()) return *this;
  PatternLists there;
  there.memory = memory.to(device);
  Arena arena{there.memory.data(), 0};
  there.pattern = take_pattern(arena, pattern.size);
  return there;
}

TreePlan::TreePlan(const HostModel& host, const PartArchetype& archetype, MassPattern pattern)
    : joints_(archetype.joints) {
  const PartRows& part = archetype.parts.front();
  part_dofs_ = part.count(Entity::kJointDof);
  part_coords_ = part.count(Entity::kJointCoord);
  add_links(host, part);
  // Branches in blocks of their own keep more of the matrix empty, but leave places empty, too: take what costs less.
  const bool with_mass = pattern != MassPattern::kNone;
  if (with_mass && part_dofs_ > 3 * kMostBlocks)
    fail("joint '", host.name(Entity::kJoint, part.begin(Entity::kJoint)), "': what moves with it has ", part_dofs_,
         " degrees of freedom; there may be up to ", 3 * kMostBlocks, " in one kinematic tree");
  number_dofs(false);
  if (with_mass) {
    couple_dofs(host, part, pattern);
    const std::int64_t packed = factor_cost(mass.pattern);
    number_dofs(true);
    if (dof_link.size() <= 3 * kMostBlocks) couple_dofs(host, part, pattern);
    if (dof_link.size() > 3 * kMostBlocks || packed < factor_cost(mass.pattern)) {
      number_dofs(false);
      couple_dofs(host, part, pattern);
    }
  } else {
    mass.pattern.size = static_cast<int>(dof_link.size() / 3);
  }
  number_children();
  to_device(host.model.device);
  if (part.count(Entity::kTendonPoint) == 0) return;
  // How strings weigh depends on where bodies stand.
  const std::vector<std::int8_t> as_given(part_coords_, -1);
  fixed_coord_ = Array<std::int8_t>(std::span<const std::int8_t>(as_given), host.model.device);
  origin.fixed_coord = fixed_coord_.const_view();
}

// Links by depth; bodies that are fixed to another one belong to its link.
void TreePlan::add_links(const HostModel& host, const PartRows& part) {
  body_link.assign(part.count(Entity::kBody), -1);
  std::vector<int> depth, order;
  std::vector<TreeLink> found;
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    const TreeJoint& joint = joints_[j];
    check_joint(host, joint, part.begin(Entity::kJoint) + joint.joint);
    const int parent = joint.parent < 0 ? -1 : body_link[joint.parent];
    if (joint.linear + joint.angular == 0) {
      body_link[joint.child] = parent;
      continue;
    }
    body_link[joint.child] = static_cast<int>(found.size());
    depth.push_back(parent < 0 ? 0 : depth[parent] + 1);
    found.push_back({.parent = parent,
                     .body = joint.child,
                     .type = joint.type,
                     .linear = joint.linear,
                     .angular = joint.angular,
                     .q = joint.q,
                     .dof = joint.qd,
                     .tree = 0,
                     .first_child = 0,
                     .child_count = 0});
    order.push_back(j);
  }
  // By depth in links, which fixed joints make smaller than that in joints.
  std::vector<int> sorted(found.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return depth[a] < depth[b]; });
  std::vector<int> place(found.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) place[sorted[i]] = static_cast<int>(i);
  for (int& link : body_link)
    if (link >= 0) link = place[link];
  children_.assign(found.size(), {});
  int trees = 0;
  for (const int old : sorted) {
    TreeLink link = found[old];
    const int l = static_cast<int>(links.size());
    if (link.parent >= 0) {
      link.parent = place[link.parent];
      link.tree = links[link.parent].tree;
      children_[link.parent].push_back(l);
    } else {
      link.tree = trees++;
    }
    if (depth[old] == static_cast<int>(level_start_.size())) level_start_.push_back(l);
    part_dof_.push_back(link.dof);
    links.push_back(link);
    link_joint_.push_back(order[old]);
  }
  level_start_.push_back(static_cast<int>(links.size()));
}

// From the roots to the leaves, one branch after the other.
void TreePlan::number_dofs(bool branches_in_own_blocks) {
  dof_link.clear();
  dof_in_part.clear();
  ancestors.clear();
  dof_of_part_dof.assign(part_dofs_, -1);
  std::vector<int> first_dof(links.size());
  const auto pad = [&] {
    while (dof_link.size() % 3 != 0) {
      dof_link.push_back(-1);
      dof_in_part.push_back(-1);
      ancestors.push_back({static_cast<int>(ancestors.size())});
    }
  };
  std::vector<int> todo;
  for (int l = static_cast<int>(links.size()) - 1; l >= 0; --l)
    if (links[l].parent < 0) todo.push_back(l);
  while (!todo.empty()) {
    const int l = todo.back();
    todo.pop_back();
    const TreeLink& link = links[l];
    const bool new_branch = link.parent < 0 || children_[link.parent].size() > 1;
    if (branches_in_own_blocks && new_branch) pad();
    std::vector<int> chain;
    if (link.parent >= 0) {
      const TreeLink& p = links[link.parent];
      chain = ancestors[first_dof[link.parent] + p.linear + p.angular - 1];
    }
    first_dof[l] = static_cast<int>(dof_link.size());
    for (int i = 0; i < link.linear + link.angular; ++i) {
      const int dof = static_cast<int>(dof_link.size());
      chain.push_back(dof);
      ancestors.push_back(chain);
      dof_link.push_back(l);
      dof_in_part.push_back(part_dof_[l] + i);
      dof_of_part_dof[part_dof_[l] + i] = dof;
    }
    for (auto child = children_[l].rbegin(); child != children_[l].rend(); ++child) todo.push_back(*child);
  }
  pad();
  for (std::size_t l = 0; l < links.size(); ++l) links[l].dof = first_dof[l];
}

void TreePlan::couple_dofs(const HostModel& host, const PartRows& part, MassPattern pattern) {
  mass = PatternLists(static_cast<int>(dof_link.size() / 3), [&](const BitSets& coupled) {
    const auto couple = [&](int i, int j) {
      if (j / 3 < i / 3) coupled.add(i / 3, j / 3);
    };
    for (int i = 0; i < static_cast<int>(dof_link.size()); ++i)
      for (const int j : ancestors[i]) couple(i, j);
    if (pattern != MassPattern::kLoops) return;
    for (const FoundLoop& found : find_loops(host, part, *this)) {
      const std::vector<int> dofs = dofs_of_loop(found.loop);
      for (const int i : dofs)
        for (const int j : dofs) couple(i, j);
    }
  });
}

std::vector<int> TreePlan::dofs_of_loop(const Loop& loop) const {
  std::vector<int> dofs;
  for (int side = 0; side < 2; ++side) {
    if (loop.link[side] < 0) continue;
    const std::vector<int> of_side =
        loop.is_tie() ? dofs_of_link(links[loop.link[side]]) : std::vector<int>{loop.dof[side]};
    dofs.insert(dofs.end(), of_side.begin(), of_side.end());
  }
  std::sort(dofs.begin(), dofs.end());
  dofs.erase(std::unique(dofs.begin(), dofs.end()), dofs.end());
  return dofs;
}

void TreePlan::number_children() {
  int first = 0;
  for (std::size_t l = 0; l < links.size(); ++l) {
    links[l].first_child = first;
    links[l].child_count = static_cast<int>(children_[l].size());
    first += links[l].child_count;
  }
}

void TreePlan::to_device(Device device) {
  const auto array = [&](const std::vector<int>& values) {
    arrays_.emplace_back(std::span<const int>(values), device);
    return arrays_.back().const_view();
  };
  std::vector<int> child, tree_start{0}, tree_link, ancestor_start{0}, ancestor;
  for (const std::vector<int>& of_link : children_) child.insert(child.end(), of_link.begin(), of_link.end());
  const int trees = static_cast<int>(std::count_if(links.begin(), links.end(), [](auto& l) { return l.parent < 0; }));
  for (int t = 0; t < trees; ++t) {
    for (std::size_t l = 0; l < links.size(); ++l)
      if (links[l].tree == t) tree_link.push_back(static_cast<int>(l));
    tree_start.push_back(static_cast<int>(tree_link.size()));
  }
  for (const std::vector<int>& chain : ancestors) {
    ancestor.insert(ancestor.end(), chain.begin(), chain.end());
    ancestor_start.push_back(static_cast<int>(ancestor.size()));
  }
  std::vector<std::int8_t> fixed_coord(part_coords_, -1);
  for (const TreeJoint& joint : joints_)
    if (joint.type == JointType::kFree)
      for (int i = 0; i < 7; ++i) fixed_coord[joint.q + i] = i == 6;
  links_device_ = Array<TreeLink>(std::span<const TreeLink>(links), device);
  joints_device_ = Array<TreeJoint>(std::span<const TreeJoint>(joints_), device);
  fixed_coord_ = Array<std::int8_t>(std::span<const std::int8_t>(fixed_coord), device);
  pattern_ = mass.memory.empty() ? mass : mass.on(device);
  origin = {.joint = joints_device_.const_view(),
            .link_joint = array(link_joint_),
            .body_link = array(body_link),
            .fixed_coord = fixed_coord_.const_view()};
  view = {.link = links_device_.const_view(),
          .level_start = array(level_start_),
          .child = array(child),
          .tree_start = array(tree_start),
          .tree_link = array(tree_link),
          .dof_link = array(dof_link),
          .dof_in_part = array(dof_in_part),
          .ancestor_start = array(ancestor_start),
          .ancestor = array(ancestor),
          .mass_pattern = pattern_.pattern,
          .coord_count = part_coords_,
          .part_dof_count = part_dofs_,
          .keeps_order = std::is_sorted(dof_of_part_dof.begin(), dof_of_part_dof.end()) &&
                         (part_dofs_ == 0 || dof_of_part_dof.back() == part_dofs_ - 1)};
}

}  // namespace carom::inline CAROM_PRECISION
