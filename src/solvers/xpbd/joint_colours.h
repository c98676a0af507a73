// The joints of the worlds of one plan that SolverXPBD solves, in colours: those of one colour share no link.
#pragma once

#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

struct JointColours {
  Array<int> link;   // that each joint carries; free joints only where something resists them
  Array<int> start;  // of each colour

  // Throws Error for links without mass, with the solver's name and theirs.
  JointColours(const char* solver, const Model& model, const WorldPlan& plan);
};

}  // namespace carom::inline CAROM_PRECISION
