// What a step in maximal coordinates reads and writes (maximal.kernel.h), collected on the host.
#pragma once

#include "dynamics/loops.h"
#include "dynamics/maximal.kernel.h"
#include "dynamics/motors.h"

namespace carom::inline CAROM_PRECISION {

// Of the worlds of plan p. lanes: how many of them a kernel runs side by side.
MaximalWorlds maximal_worlds(WorldPlans& worlds, std::size_t p, const Motors& motors, const Loops& loops,
                             const SolverForces& forces, int lanes, const State& in, const State& out,
                             const Control& control, const Real* body_push);

}  // namespace carom::inline CAROM_PRECISION
