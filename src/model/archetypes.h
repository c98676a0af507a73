// Archetypes: worlds of equal structure (the same entities, connected in the same way) share everything that depends
// on structure alone; their numbers may differ.
#pragma once

#include "model/host_model.h"

namespace carom::inline CAROM_PRECISION {

// The archetypes of all worlds in order of their first world; the globals come first if there are global bodies.
std::vector<Archetype> find_archetypes(const HostModel& host);

}  // namespace carom::inline CAROM_PRECISION
