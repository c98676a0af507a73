// All kernels of this module.
#pragma once

#include "solvers/semi_implicit/fetch_ahead.kernel.h"
#include "solvers/semi_implicit/step.kernel.h"
