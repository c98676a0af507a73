// What sensors of a model ask for, as the step writes it.
#pragma once

#include "carom/model.h"
#include "carom/solver_forces.h"
#include "solvers/mujoco/step_output.h"
#include "solvers/solver_forces.h"

namespace carom::inline CAROM_PRECISION {

SensedView sensed_view(const SolverForces& forces);
// Of limits, which a step writes where they may act: after an edit others may.
void forget_limits(const SolverForces& forces);

// Of each tendon 1 where a sensor reads its length or velocity, on the model's device.
Array<std::uint8_t> find_sensed_tendons(const Model& model);

}  // namespace carom::inline CAROM_PRECISION
