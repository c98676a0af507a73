// The convex problem of a step and its derivatives:
//
//   min over a of  1/2 (a - a0)^T M (a - a0) + s(J a - a_ref),   s: sum of the costs of all rows
//
// f = -s'(x) are the forces of the rows; gradient M (a - a0) - J^T f; Hessian M + J^T s'' J.
//
// A Problem is what is solved at once, a part of a world (part_problem.kernel.h) or an island of parts
// (island_problem.kernel.h). It gives its vectors, its kinds of rows, products with M, J^T f, and steps of Newton's.
#pragma once

#include "solvers/mujoco/rows/row_work.h"

namespace carom::inline CAROM_PRECISION {

template <class Problem>
using NumberOf = typename Problem::Number;

// f(kind, slot, view) for every slot of every kind that acts in some lane.
template <class Team, class Problem, class Function>
CAROM_HD void each_row(Team team, const Problem& problem, Function f) {
  problem.each_kind([&](auto& kind, const RowView& view) CAROM_HD_LAMBDA {
    team.each(kind.count(view), [&](int s) {
      if (kind.acts(s)) f(kind, s, view);
    });
  });
}
// The sum of f(kind, slot).
template <class V, class Team, class Problem, class Function>
CAROM_HD V sum_rows(Team team, const Problem& problem, Function f) {
  V total{};
  problem.each_kind([&](auto& kind, const RowView& view)
                        CAROM_HD_LAMBDA { total = total + kind.sum(team, view, [&](int s) { return f(kind, s); }); });
  return total;
}

// J v of all rows: into y of each of them, or into x with a_ref taken off.
template <class Team, class Problem>
CAROM_HD_STAGE void multiply_rows(Team team, const Problem& problem, const Vec3T<NumberOf<Problem>>* v) {
  each_row(team, problem,
           [&](auto& kind, int s, const RowView& view) CAROM_HD_LAMBDA { kind.y[s] = kind.product(view, s, v); });
}
template <class Team, class Problem>
CAROM_HD_STAGE void start_residuals(Team team, const Problem& problem, const Vec3T<NumberOf<Problem>>* a) {
  each_row(team, problem, [&](auto& kind, int s, const RowView& view) CAROM_HD_LAMBDA {
    kind.x[s] = kind.product(view, s, a) - kind.aref[s];
  });
}

// s(x)
template <class Team, class Problem>
CAROM_HD NumberOf<Problem> constraint_cost(Team team, const Problem& problem) {
  return sum_rows<NumberOf<Problem>>(team, problem, [](auto& kind, int s) CAROM_HD_LAMBDA { return kind.cost(s); });
}

// Forces of the rows, J^T f and the gradient.
template <class Team, class Problem>
CAROM_HD_STAGE void update_forces(Team team, const Problem& problem) {
  each_row(team, problem, [](auto& kind, int s, const RowView&) CAROM_HD_LAMBDA { kind.force[s] = kind.force_at(s); });
  problem.gather_forces(team);
  SolveVectors<NumberOf<Problem>>& v = problem.vectors();
  team.each(problem.blocks(),
            [&](int b) { v.gradient[b] = v.M_acceleration[b] - v.smooth_force[b] - v.constraint_force[b]; });
}

// Weights of the rows, and which of them changed. Returns whether any did.
template <class Team, class Problem>
CAROM_HD_STAGE bool find_changes(Team team, const Problem& problem, bool first) {
  bool changed = first;
  each_row(team, problem, [&](auto& kind, int s, const RowView&) CAROM_HD_LAMBDA {
    const auto weight = kind.weight_at(s);
    const bool differs = first || kind.differ(weight, kind.weight[s]);
    changed = changed || differs;
    kind.changed[s] = static_cast<std::uint8_t>(differs);
    kind.weight[s] = weight;
  });
  return team.any(changed);
}

template <class F, class Team>
CAROM_HD_STAGE F dot_blocks(Team team, int blocks, const Vec3T<F>* a, const Vec3T<F>* b) {
  return team.sum(blocks, [&](int k) { return dot(a[k], b[k]); });
}

}  // namespace carom::inline CAROM_PRECISION
