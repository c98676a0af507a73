// All kernels of this module.
#pragma once

#include "model/align.kernel.h"
#include "model/copy_rows.kernel.h"
