// Impulses of collisions and what they do to bodies: functions of plain numbers, header-only, for CPU and CUDA; they
// need no model. See docs/impulses.md.
#pragma once

#include "carom/impulse/collision.h"
#include "carom/impulse/inertia.h"
#include "carom/impulse/pair.h"
#include "carom/impulse/profile.h"
#include "carom/impulse/quantity.h"
#include "carom/impulse/response.h"
