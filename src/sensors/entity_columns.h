// Where a body or shape stands in the row of a world: its own first, from 0 on, then the global ones.
#pragma once

#include <algorithm>

#include "carom/math.h"
#include "carom/state.h"

namespace carom::inline CAROM_PRECISION {

struct EntityColumns {
  const int* start;  // of every world, as Model::body_world_start
  int world_count;
  int most;     // that a world has of its own
  int globals;  // that all have

  CAROM_HD int operator()(int world, int entity) const {
    if (entity < 0) return most + globals;
    if (world < world_count && entity >= start[world] && entity < start[world + 1]) return entity - start[world];
    return most + (entity < start[0] ? entity : entity - start[world_count] + start[0]);
  }
};

// start: on the host.
inline EntityColumns columns_of(const WorldLayout& layout, Entity entity) {
  const std::vector<int>& start = layout.start[static_cast<int>(entity)];
  EntityColumns columns{start.data(), layout.world_count, 0, 0};
  for (int w = 0; w < layout.world_count; ++w) columns.most = std::max(columns.most, start[w + 1] - start[w]);
  columns.globals = start.front() + start.back() - start[layout.world_count];
  return columns;
}

}  // namespace carom::inline CAROM_PRECISION
