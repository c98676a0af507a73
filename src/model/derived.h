// What a Model works out from its columns: inverse masses, bounds of shapes, archetypes and which of them move alike,
// and the poses of the initial state.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// Room for it. All copies of a model write and read the same arrays.
void make_derived_arrays(Model& model);

// The end of finalize() and of every edit: works out all that depends on the numbers of the columns. Users of the model
// notice by its generation.
void bring_up_to_date(const Model& model);

}  // namespace carom::inline CAROM_PRECISION
