// What sequences of launches depend on, of sets of arrays.
#pragma once

#include "backend/graph.h"
#include "carom/state.h"

namespace carom::inline CAROM_PRECISION {

inline void add_state(GraphKey& key, const State& state) {
  const auto add = [&](const char*, Entity, auto get) { key.add(get(state)); };
  visit_state(add);
  visit_aligned(add);
}

inline void add_control(GraphKey& key, const Control& control) {
  visit_control([&](const char*, Entity, auto get) { key.add(get(control)); });
}

}  // namespace carom::inline CAROM_PRECISION
