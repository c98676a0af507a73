// All kernels of this module.
#pragma once

#include "sim/mujoco_step.kernel.h"
#include "sim/read_status.kernel.h"
