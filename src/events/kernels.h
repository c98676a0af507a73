// All kernels of this module.
#pragma once

#include "events/free_bodies.kernel.h"
#include "events/push_balls.kernel.h"
#include "events/step_sums.kernel.h"
