// The one list of carom's solvers, and how they are found by name. A new solver is its folder in src/solvers, its
// header, and a line in this list.
#pragma once

#include <string>
#include <vector>

#include "carom/solver.h"
#include "carom/solver_featherstone.h"
#include "carom/solver_mujoco.h"
#include "carom/solver_semi_implicit.h"
#include "carom/solver_xpbd.h"

namespace carom::inline CAROM_PRECISION {

template <SolverLike... S>
struct SolverList {};
using Solvers = SolverList<SolverMuJoCo, SolverSemiImplicit, SolverFeatherstone, SolverXPBD>;

inline constexpr const char* kDefaultSolver = SolverMuJoCo::kName;

// What it can do; see solver_features.h. Throws Error for a name that is not in the list.
SolverAbilities solver_abilities(const std::string& name);
// The names of those that support a feature.
std::vector<std::string> solvers_with(Feature feature);

struct SolverOption {
  std::string name;
  double value;
};

// As they stand in the list.
std::vector<std::string> solver_names();
// The options of a solver, with their defaults. Throws Error for a name that is not in the list, as below.
std::vector<SolverOption> solver_options(const std::string& name);
// Options that are not given have their defaults.
Solver make_solver(const std::string& name, const Model& model, const std::vector<SolverOption>& options = {},
                   const Queue* queue = nullptr);

}  // namespace carom::inline CAROM_PRECISION
