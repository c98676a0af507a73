// What sensors of a model ask a solver for (SolverForces): room for it.
#pragma once

#include "carom/model.h"
#include "carom/solver_forces.h"

namespace carom::inline CAROM_PRECISION {

// Arrays that some sensor reads, zero; the others are empty.
SolverForces make_solver_forces(const Model& model);

// Whether a sensor of this type reads how long a tendon is, or how fast that changes.
bool reads_strokes(int type);

}  // namespace carom::inline CAROM_PRECISION
