// The structure of collected data: every index points to something, worlds stand in order, trees are trees. A builder
// gives no other data; a model file might.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// Throws Error naming the first entity that does not fit.
void validate(const ModelData& data);

}  // namespace carom::inline CAROM_PRECISION
