// All kernels of this module.
#pragma once

#include "carom/config.h"
