// All kernels of this module.
#pragma once

#include "events/push_balls.kernel.h"
#include "events/step_sums.kernel.h"
