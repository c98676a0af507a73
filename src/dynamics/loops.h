// The equality constraints of the worlds of one plan, as the penalty solvers and SolverXPBD close loops by them
// (loops.kernel.h).
#pragma once

#include <vector>

#include "carom/solver_forces.h"
#include "dynamics/loops.kernel.h"
#include "dynamics/step_readings.kernel.h"
#include "dynamics/tree_plan.h"

namespace carom::inline CAROM_PRECISION {

struct WorldPlan;
class WorldPlans;

// A constraint with its number in the part; those that nothing moves, and those between tendons, are left out. Throws
// Error for bodies and joints of another world.
struct FoundLoop {
  Loop loop;
  int equality;
};
std::vector<FoundLoop> find_loops(const HostModel& host, const PartRows& part, const TreePlan& tree);

struct Loops {
  std::vector<Loop> list;
  Array<Loop> loops;
  Array<Real> rows;           // parameters of each world
  Array<int> dof_start, dof;  // see LoopView
  Array<int> equality;        // number in the part of each

  Loops(const Model& model, const WorldPlan& plan);
  LoopView view() const { return {loops.const_view(), rows.data(), dof_start.const_view(), dof.const_view()}; }
};

// Where a step writes what sensors ask for.
StepReadings step_readings(const SolverForces& forces, const Loops& loops, const WorldPlans& worlds);

}  // namespace carom::inline CAROM_PRECISION
