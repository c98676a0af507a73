// The rows of the model that a part (parts.h) consists of; of every entity but bodies they stand one after the other.
#pragma once

#include <array>

#include "carom/columns.h"

namespace carom::inline CAROM_PRECISION {

struct PartRows {
  int id = 0;     // parts are numbered world by world
  int world = 0;  // -1: of a model without worlds
  std::array<int, kEntityCount> first{}, size{};
  int listed = -1;  // where its bodies begin in Parts::bodies; -1: they stand one after the other

  CAROM_HD int begin(Entity entity) const { return first[static_cast<int>(entity)]; }
  CAROM_HD int count(Entity entity) const { return size[static_cast<int>(entity)]; }
  // bodies: Parts::bodies.
  CAROM_HD int body(int b, const int* bodies) const {
    return listed < 0 ? begin(Entity::kBody) + b : bodies[listed + b];
  }
};

}  // namespace carom::inline CAROM_PRECISION
