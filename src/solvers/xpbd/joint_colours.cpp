#include "solvers/xpbd/joint_colours.h"

#include <algorithm>

#include "base/fail.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_masses(const char* solver, const Model& model, const WorldPlan& plan) {
  const Array<Real> body_mass = model.body_mass.on_cpu();
  for (const PartRows& part : plan.archetype.parts) {
    std::vector<Real> mass(plan.tree.links.size(), 0);
    for (int b = 0; b < part.count(Entity::kBody); ++b)
      if (const int l = plan.tree.body_link[b]; l >= 0) mass[l] += body_mass[part.begin(Entity::kBody) + b];
    for (std::size_t l = 0; l < mass.size(); ++l)
      if (!(mass[l] > 0))
        fail(solver, ": body '", model.key(Entity::kBody, part.begin(Entity::kBody) + plan.tree.links[l].body),
             "': moving bodies without mass are not supported");
  }
}

// Whether something resists a free joint in some world.
bool some_resist(const Model& model, const WorldPlan& plan, const TreeLink& link) {
  const Array<Real> damping = model.joint_damping.on_cpu(), armature = model.joint_armature.on_cpu(),
                    friction = model.joint_friction.on_cpu();
  for (const PartRows& part : plan.archetype.parts)
    for (int i = 0; i < 6; ++i) {
      const int dof = part.begin(Entity::kJointDof) + plan.tree.dof_in_part[link.dof + i];
      if (damping[dof] != 0 || armature[dof] != 0 || friction[dof] != 0) return true;
    }
  return false;
}

// Greedy: each item gets the first colour that none of its links has yet.
class Colours {
 public:
  explicit Colours(std::size_t links) : taken_(links) {}

  // links: -1 = none.
  void add(int item, std::initializer_list<int> links) {
    std::size_t colour = 0;
    while (std::any_of(links.begin(), links.end(), [&](int l) { return has(l, colour); })) ++colour;
    if (colour == items_.size()) items_.emplace_back();
    items_[colour].push_back(item);
    for (const int l : links) {
      if (l < 0) continue;
      if (taken_[l].size() <= colour) taken_[l].resize(colour + 1);
      taken_[l][colour] = true;
    }
  }
  ColouredList on(Device device) const {
    std::vector<int> all, begin{0};
    for (const std::vector<int>& same : items_) {
      all.insert(all.end(), same.begin(), same.end());
      begin.push_back(static_cast<int>(all.size()));
    }
    return {Array<int>(std::span<const int>(all), device), Array<int>(std::span<const int>(begin), device)};
  }

 private:
  bool has(int link, std::size_t colour) const {
    return link >= 0 && colour < taken_[link].size() && taken_[link][colour];
  }

  std::vector<std::vector<int>> items_;   // of each colour
  std::vector<std::vector<bool>> taken_;  // colours of each link
};

}  // namespace

ColouredList colour_joints(const char* solver, const Model& model, const WorldPlan& plan,
                           const std::vector<Loop>& loops) {
  check_masses(solver, model, plan);
  const std::vector<TreeLink>& links = plan.tree.links;
  Colours colours(links.size());
  for (int l = 0; l < static_cast<int>(links.size()); ++l)
    if (links[l].type != JointType::kFree || some_resist(model, plan, links[l])) colours.add(l, {l, links[l].parent});
  for (int k = 0; k < static_cast<int>(loops.size()); ++k)
    if (loops[k].is_tie()) colours.add(~k, {loops[k].link[0], loops[k].link[1]});
  return colours.on(model.device);
}

ColouredList colour_couplings(const WorldPlan& plan, const std::vector<Loop>& loops, Device device) {
  const std::vector<TreeLink>& links = plan.tree.links;
  Colours colours(links.size());
  for (int k = 0; k < static_cast<int>(loops.size()); ++k) {
    if (loops[k].is_tie()) continue;
    const int driven = loops[k].link[0], driving = loops[k].link[1];
    colours.add(k, {driven, links[driven].parent, driving, driving < 0 ? -1 : links[driving].parent});
  }
  return colours.on(device);
}

}  // namespace carom::inline CAROM_PRECISION
