// All kernels of this module.
#pragma once

#include "solvers/mujoco/count_rows.kernel.h"
#include "solvers/mujoco/fetch_ahead.kernel.h"
#include "solvers/mujoco/gather_parts.kernel.h"
#include "solvers/mujoco/island_step.kernel.h"
#include "solvers/mujoco/pack_parts.kernel.h"
#include "solvers/mujoco/step_phases.kernel.h"
