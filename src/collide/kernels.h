// All kernels of this module.
#pragma once

#include "collide/asleep.kernel.h"
#include "collide/broad/rank_tree.kernel.h"
#include "collide/broad/rows.kernel.h"
#include "collide/fill_contacts.kernel.h"
#include "collide/keep_contacts.kernel.h"
#include "collide/most_totals.kernel.h"
#include "collide/pair_order.kernel.h"
#include "collide/place_shapes.kernel.h"
#include "collide/ray/cast_rays.kernel.h"
#include "collide/ray/check_rays.kernel.h"
#include "collide/soft/near_shapes.kernel.h"
#include "collide/soft/particle_grid.kernel.h"
#include "collide/soft/patches.kernel.h"
#include "collide/soft/soft_points.kernel.h"
