// All kernels of this module.
#pragma once

#include "solvers/featherstone/step.kernel.h"
