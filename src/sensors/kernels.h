// All kernels of this module.
#pragma once

#include "sensors/add_forces.kernel.h"
