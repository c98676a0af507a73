// WorldPlans: what the penalty solvers step a model by. Every world is one part, whatever it consists of; worlds of one
// structure share a plan, so that lanes and teams take them side by side.
#pragma once

#include "carom/contacts.h"
#include "dynamics/link_dofs.h"
#include "dynamics/tree_rows.h"
#include "model/active_worlds.h"
#include "model/graph_keys.h"

namespace carom::inline CAROM_PRECISION {

struct WorldPlan {
  PartArchetype archetype;
  TreePlan tree;
  LinkDofLists link_dofs;
  TreeRows rows;
  Array<int> ids;  // of its parts in worlds that take part, on the model's device

  WorldPlan(const HostModel& host, PartArchetype parts, MassPattern pattern);
  int world_count() const { return static_cast<int>(ids.size()); }  // that take part
};

class WorldPlans {
 public:
  std::vector<WorldPlan> plans;
  // Of each part: where its rows begin, its row of parameters, its world (0 of a model without).
  Array<int> coord, dof, body, ctrl, equality, row, world;
  Array<int> body_link;  // of each body of the model, in its part; -1 = does not move
  ActiveWorlds active;
  std::vector<Array<int>> active_of;  // worlds of each archetype of the model, where some are left out

  explicit WorldPlans(const Model& model, MassPattern pattern = MassPattern::kLoops);
  // Brings the numbers in line with the model after edits; true when there were any.
  bool keep_up(const Model& model, const Queue& queue);
  std::int64_t generation() const { return generation_; }
  // Other worlds take part from now on; true when they are others.
  bool set_active(const Model& model, const char* who, std::span<const std::uint8_t> mask);
  void add_to(GraphKey& key) const { key.add(version_); }

 private:
  std::int64_t generation_ = -1, version_ = 0;  // version_: another one after edits, and when other worlds take part
};

// The most contacts that a world has; contacts are on the CPU.
int most_contacts(const Contacts& contacts, int world_slots);

}  // namespace carom::inline CAROM_PRECISION
