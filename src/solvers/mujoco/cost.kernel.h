// The convex problem of a step and its derivatives:
//
//   min over a of  1/2 (a - a0)^T M (a - a0) + s(J a - a_ref),   s: sum of the costs of all rows
//
// f = -s'(x) are the forces of the rows; gradient M (a - a0) - J^T f; Hessian M + J^T s'' J.
#pragma once

#include "solvers/mujoco/rows/row_work.h"

namespace carom::inline CAROM_PRECISION {

// f(kind, slot) for every slot of every kind.
template <class F, class Team, class Function>
CAROM_HD void each_row(Team team, const RowView& view, RowWork<F>& w, Function f) {
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { team.each(kind.count(view), [&](int s) { f(kind, s); }); });
}
// The sum of f(kind, slot).
template <class V, class F, class Team, class Function>
CAROM_HD V sum_rows(Team team, const RowView& view, RowWork<F>& w, Function f) {
  V total{};
  w.kinds.each([&](auto& kind)
                   CAROM_HD_LAMBDA { total = total + kind.sum(team, view, [&](int s) { return f(kind, s); }); });
  return total;
}

// J v of all rows: into y of each of them, or into x with a_ref taken off.
template <class F, class Team>
CAROM_HD_STAGE void multiply_rows(Team team, const RowView& view, RowWork<F>& w, const Vec3T<F>* v) {
  each_row(team, view, w, [&](auto& kind, int s) CAROM_HD_LAMBDA { kind.y[s] = kind.product(view, s, v); });
}
template <class F, class Team>
CAROM_HD_STAGE void start_residuals(Team team, const RowView& view, RowWork<F>& w, const Vec3T<F>* a) {
  each_row(team, view, w,
           [&](auto& kind, int s) CAROM_HD_LAMBDA { kind.x[s] = kind.product(view, s, a) - kind.aref[s]; });
}

// s(x)
template <class F, class Team>
CAROM_HD_STAGE F constraint_cost(Team team, const RowView& view, RowWork<F>& w) {
  return sum_rows<F>(team, view, w, [](auto& kind, int s) CAROM_HD_LAMBDA { return kind.cost(s); });
}

// Forces of the rows, J^T f and the gradient.
template <class F, class Team>
CAROM_HD_STAGE void update_forces(Team team, const RowView& view, RowWork<F>& w) {
  each_row(team, view, w, [](auto& kind, int s) CAROM_HD_LAMBDA { kind.force[s] = kind.force_at(s); });
  team.each(view.blocks(), [&](int b) {
    Vec3T<F> sum;
    w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.add_force(view, b, sum); });
    w.constraint_force[b] = sum;
    w.gradient[b] = w.M_acceleration[b] - w.smooth_force[b] - sum;
  });
}

template <class F, class Team>
CAROM_HD_STAGE F dot_blocks(Team team, int blocks, const Vec3T<F>* a, const Vec3T<F>* b) {
  return team.sum(blocks, [&](int k) { return dot(a[k], b[k]); });
}

}  // namespace carom::inline CAROM_PRECISION
