// All kernels of this module.
#pragma once

#include "impulse/collide_rows.kernel.h"
#include "impulse/resolve_rows.kernel.h"
#include "impulse/resolve_worlds.kernel.h"
