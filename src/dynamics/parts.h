// Parts of worlds: sets of bodies and joints that move on their own as long as nothing touches them. A small world is
// one part, whatever it consists of; a large one is taken apart into its kinematic trees. Parts of the same structure
// share a plan, so that lanes and teams take them side by side, in one world or in many.
#pragma once

#include <vector>

#include "dynamics/part_rows.h"
#include "model/host_model.h"

namespace carom::inline CAROM_PRECISION {

// What parts of one structure have in common.
struct PartArchetype {
  std::vector<TreeJoint> joints;  // parents before children; indices count from the part's first rows
  std::vector<PartRows> parts;
};

struct Parts {
  std::vector<PartArchetype> archetypes;
  std::vector<int> bodies;       // rows of those that do not stand one after the other, part by part
  std::vector<int> world_start;  // parts of each world (of slot 0 for a model without)
  int count() const { return world_start.back(); }
  // Whether some world was taken apart.
  bool is_split() const { return count() != static_cast<int>(world_start.size()) - 1; }
};

// Worlds with more than `most_dofs` degrees of freedom are taken apart.
Parts find_parts(const HostModel& host, int most_dofs);

}  // namespace carom::inline CAROM_PRECISION
