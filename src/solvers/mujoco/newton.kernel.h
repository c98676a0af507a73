// Newton's method on the problem of cost.kernel.h, with exact line search. Worlds in lanes stop one by one: a lane that
// is done keeps its numbers while the others go on.
#pragma once

#include "solvers/mujoco/hessian.kernel.h"
#include "solvers/mujoco/line_search.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct NewtonOptions {
  Real tolerance;     // on gradient and expected improvement, relative to the trace of M
  Real ls_tolerance;  // on the slope of a line search, relative to the tolerance
  int iterations, ls_iterations;
};

template <class F>
struct NewtonReport {
  F iterations;  // used
  F residual;    // of the gradient, scaled as the tolerance
  MaskOf<F> converged;
};

namespace newton {

// The start: accelerations of the last step, or those without constraints, whichever cost less.
template <class F, class Team>
CAROM_HD_STAGE void choose_start(Team team, const RowView& view, const TreeView& tree, const TreeWork<F>& t,
                                 RowWork<F>& w) {
  const int blocks = tree.blocks();
  start_residuals(team, view, w, w.smooth_acceleration);
  const F smooth_cost = constraint_cost(team, view, w);
  start_residuals(team, view, w, w.acceleration);
  multiply_blocks(team, tree.mass_pattern, t.M, w.acceleration, w.M_acceleration);
  const F quadratic = team.sum(blocks, [&](int b) {
    return dot(w.acceleration[b] - w.smooth_acceleration[b], w.M_acceleration[b] - w.smooth_force[b]);
  });
  const F warm_cost = fma(quadratic, F(0.5), constraint_cost(team, view, w));
  const auto warm = w.has_rows && warm_cost < smooth_cost;
  team.each(blocks, [&](int b) {
    w.acceleration[b] = select(warm, w.acceleration[b], w.smooth_acceleration[b]);
    w.M_acceleration[b] = select(warm, w.M_acceleration[b], w.smooth_force[b]);
  });
  if (!all(warm)) start_residuals(team, view, w, w.acceleration);
}

template <class F, class Team>
CAROM_HD_STAGE void factor_hessian(Team team, const RowWork<F>& w, Mat33T<F>* factor) {
  team.each(w.pattern.size, [&](int k) {
    factor[block_index(k, k)] = w.H[block_index(k, k)];
    const std::uint8_t* const columns = w.pattern.columns_of(k);
    CAROM_ROLL
    for (int i = 0; i < w.pattern.column_count[k]; ++i)
      factor[block_index(k, columns[i])] = w.H[block_index(k, columns[i])];
  });
  factor_blocks(team, w.pattern, factor);
}

// Moves along the search direction.
template <class F, class Team>
CAROM_HD_STAGE void advance(Team team, const RowView& view, RowWork<F>& w, F alpha, MaskOf<F> done) {
  team.each(view.blocks(), [&](int b) {
    w.acceleration[b] = select(done, w.acceleration[b], fma(w.search[b], alpha, w.acceleration[b]));
    w.M_acceleration[b] = select(done, w.M_acceleration[b], fma(w.M_search[b], alpha, w.M_acceleration[b]));
  });
  each_row(team, view, w, [&](auto& kind, int s) CAROM_HD_LAMBDA {
    kind.x[s] = select(done, kind.x[s], fma(kind.y[s], alpha, kind.x[s]));
  });
}

}  // namespace newton

// w.acceleration: in the last step's, out the solution; w.constraint_force: J^T f.
template <class F, class Team>
CAROM_HD_STAGE NewtonReport<F> solve_newton(Team team, const RowView& view, const TreeView& tree, const TreeWork<F>& t,
                                            RowWork<F>& w, const NewtonOptions& options) {
  const int blocks = tree.blocks();
  const F trace = team.sum(
      tree.dofs(), [&](int i) { return tree.dof_link[i] < 0 ? F(0) : t.M[block_index(i / 3, i / 3)][i % 3][i % 3]; });
  const F scale = F(1) / trace, tolerance(options.tolerance);
  // What rounding leaves of a slope: searching further would only measure noise.
  constexpr Real kNoise = sizeof(Real) == 4 ? Real(1e-6) : Real(1e-14);

  find_pattern(team, view, w);
  newton::choose_start(team, view, tree, t, w);
  NewtonReport<F> report{F(0), F(0), !w.has_rows};
  MaskOf<F> done = !w.has_rows;
  CAROM_ROLL
  for (int it = 0;; ++it) {
    update_forces(team, view, w);
    const F size = sqrt(dot_blocks(team, blocks, w.gradient, w.gradient)) * scale;
    report.residual = select(done, report.residual, size);
    done = done || !(size >= tolerance);
    if (all(done) || it == options.iterations) break;

    if (update_weights(team, view, w, it == 0)) {
      rebuild_hessian(team, view, w, t.M);
      newton::factor_hessian(team, w, t.factor);
    }
    team.each(blocks, [&](int b) { w.search[b] = -w.gradient[b]; });
    solve_blocks(team, w.pattern, t.factor, w.search);
    const F descent = -dot_blocks(team, blocks, w.gradient, w.search);  // twice what the step is expected to gain
    done = done || !(descent * F(0.5) * scale >= tolerance);
    if (all(done)) break;

    multiply_blocks(team, tree.mass_pattern, t.M, w.search, w.M_search);
    multiply_rows(team, view, w, w.search);
    const SlopeT<F> quadratic{
        team.sum(blocks, [&](int b) { return dot(w.search[b], w.M_acceleration[b] - w.smooth_force[b]); }),
        dot_blocks(team, blocks, w.search, w.M_search)};
    const F length = sqrt(dot_blocks(team, blocks, w.search, w.search));
    const F small_slope = max(tolerance * F(options.ls_tolerance) * length / scale, descent * F(kNoise));
    const F alpha = line_search(team, view, w, quadratic, small_slope, options.ls_iterations, done);
    newton::advance(team, view, w, alpha, done);
    report.iterations = select(done, report.iterations, report.iterations + F(1));
  }
  report.converged = done;
  return report;
}

}  // namespace carom::inline CAROM_PRECISION
