#include "solvers/xpbd/joint_colours.h"

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

}  // namespace

JointColours::JointColours(const char* solver, const Model& model, const WorldPlan& plan) {
  check_masses(solver, model, plan);
  const std::vector<TreeLink>& links = plan.tree.links;
  std::vector<std::vector<int>> of_colour;
  std::vector<std::vector<bool>> taken(links.size());
  for (int l = 0; l < static_cast<int>(links.size()); ++l) {
    if (velocity_at_com(links[l].type) && !some_resist(model, plan, links[l])) continue;
    const auto is_taken = [&](int at, std::size_t c) { return at >= 0 && c < taken[at].size() && taken[at][c]; };
    std::size_t colour = 0;
    while (is_taken(l, colour) || is_taken(links[l].parent, colour)) ++colour;
    if (colour == of_colour.size()) of_colour.emplace_back();
    of_colour[colour].push_back(l);
    for (const int at : {l, links[l].parent})
      if (at >= 0) {
        if (taken[at].size() <= colour) taken[at].resize(colour + 1);
        taken[at][colour] = true;
      }
  }
  std::vector<int> all, begin{0};
  for (const std::vector<int>& same : of_colour) {
    all.insert(all.end(), same.begin(), same.end());
    begin.push_back(static_cast<int>(all.size()));
  }
  link = Array<int>(std::span<const int>(all), model.device);
  start = Array<int>(std::span<const int>(begin), model.device);
}

}  // namespace carom::inline CAROM_PRECISION
