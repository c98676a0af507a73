// All kernels of this module.
#pragma once

#include "sensors/accelerate_bodies.kernel.h"
#include "sensors/add_forces.kernel.h"
#include "sensors/copy_readings.kernel.h"
#include "sensors/find_wrenches.kernel.h"
#include "sensors/finish_values.kernel.h"
#include "sensors/keep_readings.kernel.h"
#include "sensors/sense_actuation.kernel.h"
#include "sensors/sense_clocks.kernel.h"
#include "sensors/sense_contacts.kernel.h"
#include "sensors/sense_energies.kernel.h"
#include "sensors/sense_frames.kernel.h"
#include "sensors/sense_joints.kernel.h"
#include "sensors/sense_ranges.kernel.h"
#include "sensors/sense_sites.kernel.h"
#include "sensors/sense_subtrees.kernel.h"
