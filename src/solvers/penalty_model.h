// What the penalty solvers have in common on the host: what they refuse of a model, its motors, its contacts.
#pragma once

#include "dynamics/contact_slots.kernel.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

// Throws Error for parts of a model that the penalty solvers do not know, with the solver's name and theirs.
void check_penalty_model(const char* solver, const Model& model);

// Whether some material resists spinning or rolling.
bool resists_turning(const Model& model);
// What kernels read of the contacts; nullptr: there are none.
ContactColumns contact_columns(const Model& model, const WorldPlans& worlds, const Contacts* contacts, bool turns);

}  // namespace carom::inline CAROM_PRECISION
