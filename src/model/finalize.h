// Freezing collected data into a Model: checks its structure, copies the columns to the device and derives the rest.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// Shapes without a contact_margin get rigid_contact_margin [m]. Throws Error naming the entity that does not fit.
Model make_model(const ModelData& data, const ModelOptions& options, Vec3 global_gravity, Real rigid_contact_margin,
                 Device device);

}  // namespace carom::inline CAROM_PRECISION
