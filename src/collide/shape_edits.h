// Whether what is worked out from the shapes and particles of a model is out of date.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// Since a generation of the model. Edits of bodies, joints and gravity do not count: what else stages depend on is
// structure.
bool shapes_were_edited(const Model& model, std::int64_t since);

}  // namespace carom::inline CAROM_PRECISION
