// All kernels of this module.
#pragma once

#include "dynamics/fk.kernel.h"
#include "dynamics/ik.kernel.h"
#include "dynamics/jacobian.kernel.h"
