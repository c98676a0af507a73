// All kernels of this module.
#pragma once

#include "dynamics/jacobian.kernel.h"
#include "dynamics/pack_tree.kernel.h"
