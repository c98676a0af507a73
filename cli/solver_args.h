// --solver and --option of the commands that step: which solver, and what differs from its defaults.
#pragma once

#include <CLI/CLI.hpp>

#include "carom/solvers.h"
#include "cli/commands.h"

namespace carom::cli {

void add_solver_args(CLI::App& command, SolverArgs& args);

// Throws Error for an option that the solver does not have, or that is no number.
Solver make_solver(const SolverArgs& args, const Model& model, const Queue* queue = nullptr);

}  // namespace carom::cli
