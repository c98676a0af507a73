// Parts of worlds: sets of bodies and joints that move on their own as long as nothing touches them. A small world is
// one part, whatever it consists of; a large one is taken apart into its kinematic trees. Parts of the same structure
// share a plan, so that lanes and teams take them side by side, in one world or in many.
#pragma once

#include <array>
#include <vector>

#include "model/host_model.h"

namespace carom::inline CAROM_PRECISION {

// The rows of the model that a part consists of; of every entity but bodies they stand one after the other.
struct PartRows {
  int id = 0;     // parts are numbered world by world
  int world = 0;  // -1: of a model without worlds
  std::array<int, kEntityCount> first{}, size{};
  std::vector<int> bodies{};  // rows of its bodies, ascending; empty: they stand one after the other

  int begin(Entity entity) const { return first[static_cast<int>(entity)]; }
  int body(int b) const { return bodies.empty() ? begin(Entity::kBody) + b : bodies[b]; }
  int count(Entity entity) const { return size[static_cast<int>(entity)]; }
};

// What parts of one structure have in common.
struct PartArchetype {
  std::vector<TreeJoint> joints;  // parents before children; indices count from the part's first rows
  std::vector<PartRows> parts;
};

struct Parts {
  std::vector<PartArchetype> archetypes;
  std::vector<int> world_start;  // parts of each world (of slot 0 for a model without)
  int count() const { return world_start.back(); }
  // Whether some world was taken apart.
  bool is_split() const { return count() != static_cast<int>(world_start.size()) - 1; }
};

// Worlds with more than `most_dofs` degrees of freedom are taken apart.
Parts find_parts(const HostModel& host, int most_dofs);

}  // namespace carom::inline CAROM_PRECISION
