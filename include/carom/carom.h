// All of carom.
#pragma once

#include "carom/array.h"
#include "carom/builder.h"
#include "carom/columns.h"
#include "carom/config.h"
#include "carom/contacts.h"
#include "carom/error.h"
#include "carom/geometry.h"
#include "carom/kinematics.h"
#include "carom/math.h"
#include "carom/model.h"
#include "carom/queue.h"
#include "carom/simulation.h"
#include "carom/solver_mujoco.h"
#include "carom/state.h"
#include "carom/version.h"
