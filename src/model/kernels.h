// All kernels of this module.
#pragma once

#include "model/copy_worlds.kernel.h"
