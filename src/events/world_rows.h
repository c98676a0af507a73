// The rows of a world in the columns of a model.
#pragma once

#include <algorithm>

#include "events/rows.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

// world: -1 is that of a model without worlds.
inline Rows rows_of(const Model& model, Entity entity, int world) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  const int slot = std::max(world, 0);
  return {start[slot], start[slot + 1]};
}

}  // namespace carom::inline CAROM_PRECISION
