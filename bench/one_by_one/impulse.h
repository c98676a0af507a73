// Impulses one by one: the loop that arrays of contacts are measured against.
#pragma once

#include "carom/impulse_bulk.h"

namespace carom {

// The contacts of a batch whose columns all have rows, with moments for inertias.
void impulses_one_by_one(const ImpulseBatch& batch, Span<Vec3> impulses);

}  // namespace carom
