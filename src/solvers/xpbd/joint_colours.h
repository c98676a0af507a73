// What holds the links of the worlds of one plan together as SolverXPBD solves it, in colours: what is of one colour
// shares no link.
#pragma once

#include "dynamics/loops.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

// What is solved alike, by colour.
struct ColouredList {
  Array<int> item;
  Array<int> start;  // of each colour in `item`
};

// Joints, by the link that each carries, free ones only where something resists them; and connects and welds, as ~loop.
// Throws Error for links without mass, with the solver's name and theirs.
ColouredList colour_joints(const char* solver, const Model& model, const WorldPlan& plan,
                           const std::vector<Loop>& loops);
// Couplings, by loop.
ColouredList colour_couplings(const WorldPlan& plan, const std::vector<Loop>& loops, Device device);

}  // namespace carom::inline CAROM_PRECISION
