// The input of the functions of carom/dynamics.h, collected.
#pragma once

#include "carom/state.h"
#include "dynamics/tree_input.kernel.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

// Of the worlds of this plan. lanes: how many of them a kernel runs side by side.
TreeInput tree_input(const WorldPlans& worlds, WorldPlan& plan, int lanes, const State& state);

}  // namespace carom::inline CAROM_PRECISION
