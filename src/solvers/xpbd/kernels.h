// All kernels of this module.
#pragma once

#include "solvers/xpbd/step.kernel.h"
