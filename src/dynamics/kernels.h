// All kernels of this module.
#pragma once

#include "dynamics/jacobian.kernel.h"
