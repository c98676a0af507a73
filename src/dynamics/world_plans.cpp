#include "dynamics/world_plans.h"

#include <algorithm>
#include <limits>

namespace carom::inline CAROM_PRECISION {

namespace {

Array<int> ids_of(const PartArchetype& archetype, const ActiveWorlds& active, Device device) {
  std::vector<int> ids;
  for (const PartRows& part : archetype.parts)
    if (active.has(part.world)) ids.push_back(part.id);
  return Array<int>(std::span<const int>(ids), device);
}

}  // namespace

WorldPlan::WorldPlan(const HostModel& host, PartArchetype parts, MassPattern pattern)
    : archetype(std::move(parts)),
      tree(host, archetype, pattern),
      link_dofs(tree, host.model.device),
      rows(host.model, tree, archetype),
      ids(ids_of(archetype, {}, host.model.device)) {}

WorldPlans::WorldPlans(const Model& model, MassPattern pattern) {
  const HostModel host(model);
  const Parts parts = find_parts(host, std::numeric_limits<int>::max());
  std::vector<int> start[7];
  for (std::vector<int>& column : start) column.resize(parts.count());
  std::vector<int> links(model.body_count, -1);
  for (const PartArchetype& archetype : parts.archetypes) {
    if (archetype.joints.empty()) continue;  // nothing moves there
    const WorldPlan& plan = plans.emplace_back(host, archetype, pattern);
    for (std::size_t i = 0; i < archetype.parts.size(); ++i) {
      const PartRows& part = archetype.parts[i];
      const int values[7]{
          part.begin(Entity::kJointCoord), part.begin(Entity::kJointDof),           part.begin(Entity::kBody),
          part.begin(Entity::kCtrl),       part.begin(Entity::kEqualityConstraint), static_cast<int>(i),
          std::max(part.world, 0)};
      for (int k = 0; k < 7; ++k) start[k][part.id] = values[k];
      for (int b = 0; b < part.count(Entity::kBody); ++b) links[part.begin(Entity::kBody) + b] = plan.tree.body_link[b];
    }
  }
  Array<int>* const column[7]{&coord, &dof, &body, &ctrl, &equality, &row, &world};
  for (int k = 0; k < 7; ++k) *column[k] = Array<int>(std::span<const int>(start[k]), model.device);
  body_link = Array<int>(std::span<const int>(links), model.device);
}

bool WorldPlans::keep_up(const Model& model, const Queue& queue) {
  if (generation_ == model.generation()) return false;
  for (WorldPlan& plan : plans) plan.rows.pack(model, queue, plan.tree);
  generation_ = model.generation();
  ++version_;
  return true;
}

bool WorldPlans::set_active(const Model& model, const char* who, std::span<const std::uint8_t> mask) {
  ActiveWorlds next(who, model.layout, mask);
  if (next == active) return false;
  active = std::move(next);
  active_of = active.of_archetypes(model);
  ++version_;
  for (WorldPlan& plan : plans) plan.ids = ids_of(plan.archetype, active, model.device);
  return true;
}

int most_contacts(const Contacts& contacts, int world_slots) {
  const Array<int>& start = contacts.rigid_contact_world_start;
  int most = 0;
  for (int w = 0; w < world_slots; ++w) most = std::max(most, start[w + 1] - start[w]);
  return most;
}

}  // namespace carom::inline CAROM_PRECISION
