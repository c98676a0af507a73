// All kernels of this module.
#pragma once

#include "sensors/add_forces.kernel.h"
#include "sensors/copy_readings.kernel.h"
#include "sensors/sense_contacts.kernel.h"
