// All kernels of this module.
#pragma once

#include "solvers/xpbd/meet_bodies.kernel.h"
#include "solvers/xpbd/project_particles.kernel.h"
#include "solvers/xpbd/step.kernel.h"
