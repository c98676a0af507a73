// The rows of the model that a part (parts.h) consists of.
#pragma once

#include <array>

#include "carom/columns.h"

namespace carom::inline CAROM_PRECISION {

struct PartRows {
  int id = 0;     // parts are numbered world by world
  int world = 0;  // -1: of a model without worlds
  std::array<int, kEntityCount> first{}, size{};

  CAROM_HD int begin(Entity entity) const { return first[static_cast<int>(entity)]; }
  CAROM_HD int count(Entity entity) const { return size[static_cast<int>(entity)]; }
};

}  // namespace carom::inline CAROM_PRECISION
