// All kernels of this module.
#pragma once

#include "impulse/collide_rows.kernel.h"
