// Contacts as the penalty solvers and SolverXPBD read them.
#pragma once

#include "dynamics/contact_slots.kernel.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

// Whether some material resists spinning or rolling.
bool resists_turning(const Model& model);
// What kernels read of the contacts; nullptr: there are none.
ContactColumns contact_columns(const Model& model, const WorldPlans& worlds, const Contacts* contacts, bool turns);

}  // namespace carom::inline CAROM_PRECISION
