#include "cli/describe.h"

#include <cstdio>
#include <numeric>

#include "cli/table.h"

namespace carom::cli {

namespace {

const std::vector<int>& starts(const Model& model, Entity entity) {
  return model.layout->start[static_cast<int>(entity)];
}

int in_world(const Model& model, Entity entity, int world) {
  const std::vector<int>& start = starts(model, entity);
  return start[world + 1] - start[world];
}

int among_globals(const Model& model, Entity entity) {
  const std::vector<int>& start = starts(model, entity);
  return start.back() - start[model.world_count] + (model.world_count > 0 ? start.front() : 0);
}

// What the longest tree of the archetype is rooted at; its name if it has one.
std::string example_key(const Model& model, int world) {
  const int first = starts(model, Entity::kArticulation)[world];
  return in_world(model, Entity::kArticulation, world) > 0 ? model.key(Entity::kArticulation, first) : "-";
}

}  // namespace

void print_counts(const Model& model) {
  Table table({"entity", "total", "global", "in worlds"});
  for (const Entity entity :
       {Entity::kBody, Entity::kShape, Entity::kContactPair, Entity::kJoint, Entity::kJointDof, Entity::kJointCoord,
        Entity::kArticulation, Entity::kEqualityConstraint, Entity::kTendon, Entity::kActuator, Entity::kSensor,
        Entity::kParticle, Entity::kSpring, Entity::kTriangle, Entity::kTetrahedron}) {
    const int total = starts(model, entity).back(), global = among_globals(model, entity);
    if (total > 0) table.add({entity_name(entity), grouped(total), grouped(global), grouped(total - global)});
  }
  table.print();
}

void print_archetypes(const Model& model) {
  const Array<Real> mass = model.body_mass.on_cpu();
  Table table({"archetype", "worlds", "bodies", "shapes", "dofs", "trees", "depth", "particles", "mass kg"});
  int number = 0;
  for (const Archetype& archetype : model.archetypes) {
    const int world = archetype.world_list.front();
    if (world < 0) continue;
    const int first = starts(model, Entity::kBody)[world], bodies = in_world(model, Entity::kBody, world);
    const double kilograms = std::accumulate(mass.data() + first, mass.data() + first + bodies, 0.0);
    table.add({std::to_string(number++) + " " + example_key(model, world),
               grouped(static_cast<long long>(archetype.world_list.size())), grouped(bodies),
               grouped(in_world(model, Entity::kShape, world)), grouped(in_world(model, Entity::kJointDof, world)),
               grouped(archetype.tree_count), grouped(static_cast<long long>(archetype.level_start.size()) - 1),
               grouped(in_world(model, Entity::kParticle, world)), format("%.3f", kilograms)});
  }
  table.print();
}

}  // namespace carom::cli
