// Newton's method on the problem of cost.kernel.h, with line search. Where costs are curved (cones of friction) a
// step that gains next to nothing is taken all the same, as the last one: forces feel it more than the cost does.
// Worlds in lanes stop one by one: a lane that is done keeps its numbers while the others go on.
#pragma once

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

// What rounding leaves of a number, as a share of it.
inline constexpr Real kNoise = sizeof(Real) == 4 ? Real(1e-6) : Real(1e-14);

// The share of its first slope at which a line search ends: what is left is less than the next step of Newton's changes
// anyway, and a full step that nearly is the best one stays a full step. In double precision, where the last digits are
// asked for, it goes on until rounding is all that is left: the method ends where it gains no more, and a step that was
// not searched to its end gains nothing too early.
inline constexpr Real kEnoughOfSlope = sizeof(Real) == 4 ? Real(0.1) : kNoise;

// The slope at which a line search along `length` ends. descent: minus the slope that it begins with.
template <class F>
CAROM_HD F small_slope_of(const NewtonOptions& options, F length, F scale, F descent) {
  return max(F(options.tolerance) * F(options.ls_tolerance) * length / scale, descent * F(kEnoughOfSlope));
}

namespace newton {

// 1/2 (a - a0)^T M (a - a0) + s(x) at the accelerations.
template <class Team, class Problem>
CAROM_HD_STAGE NumberOf<Problem> cost(Team team, const Problem& problem) {
  using F = NumberOf<Problem>;
  const SolveVectors<F>& v = problem.vectors();
  const F quadratic = team.sum(problem.blocks(), [&](int b) {
    return dot(v.acceleration[b] - v.smooth_acceleration[b], v.M_acceleration[b] - v.smooth_force[b]);
  });
  return fma(quadratic, F(0.5), constraint_cost(team, problem));
}

// The start: accelerations of the last step, or those without constraints, whichever cost less.
template <class Team, class Problem>
CAROM_HD_STAGE void choose_start(Team team, const Problem& problem, MaskOf<NumberOf<Problem>> lanes) {
  using F = NumberOf<Problem>;
  SolveVectors<F>& v = problem.vectors();
  start_residuals(team, problem, v.smooth_acceleration);
  const F smooth_cost = constraint_cost(team, problem);
  start_residuals(team, problem, v.acceleration);
  problem.multiply_mass(team, v.acceleration, v.M_acceleration);
  const auto warm = lanes && cost(team, problem) < smooth_cost;
  team.each(problem.blocks(), [&](int b) {
    v.acceleration[b] = select(warm, v.acceleration[b], v.smooth_acceleration[b]);
    v.M_acceleration[b] = select(warm, v.M_acceleration[b], v.smooth_force[b]);
  });
  if (!all(warm)) start_residuals(team, problem, v.acceleration);
}

// Moves along the search direction.
template <class Team, class Problem, class F>
CAROM_HD_STAGE void advance(Team team, const Problem& problem, F alpha, MaskOf<F> done) {
  SolveVectors<F>& v = problem.vectors();
  team.each(problem.blocks(), [&](int b) {
    v.acceleration[b] = select(done, v.acceleration[b], fma(v.search[b], alpha, v.acceleration[b]));
    v.M_acceleration[b] = select(done, v.M_acceleration[b], fma(v.M_search[b], alpha, v.M_acceleration[b]));
  });
  each_row(team, problem, [&](auto& kind, int s, const RowView&) CAROM_HD_LAMBDA {
    kind.x[s] = select(done, kind.x[s], fma(kind.y[s], alpha, kind.x[s]));
  });
}

}  // namespace newton

// acceleration: in the last step's, out the solution; constraint_force: J^T f. Lanes that are not named keep nothing of
// either.
template <class Team, class Problem>
CAROM_HD_STAGE NewtonReport<NumberOf<Problem>> solve_newton(Team team, const Problem& problem,
                                                            const NewtonOptions& options,
                                                            MaskOf<NumberOf<Problem>> lanes) {
  using F = NumberOf<Problem>;
  SolveVectors<F>& v = problem.vectors();
  const int blocks = problem.blocks();
  const F scale = F(1) / problem.trace(team), tolerance(options.tolerance);

  problem.prepare(team);
  newton::choose_start(team, problem, lanes);
  NewtonReport<F> report{F(0), F(0), F(0) <= F(0)};
  MaskOf<F> done = !lanes;
  CAROM_ROLL
  for (int it = 0;; ++it) {
    update_forces(team, problem);
    const F size = sqrt(dot_blocks(team, blocks, v.gradient, v.gradient)) * scale;
    report.residual = select(done, report.residual, size);
    done = done || !(size >= tolerance);
    if (all(done) || it == options.iterations) break;

    problem.update_hessian(team, it == 0);
    team.each(blocks, [&](int b) { v.search[b] = -v.gradient[b]; });
    problem.solve(team, v.search);
    const F descent = -dot_blocks(team, blocks, v.gradient, v.search);  // twice what the step is expected to gain
    // No step where H is not positive definite to rounding: this is not the minimum then.
    report.converged = report.converged && (done || descent == descent);
    const MaskOf<F> near = !done && !(descent * F(0.5) * scale >= tolerance);
    const MaskOf<F> takes_last = near && descent == descent && problem.is_curved(lanes);
    done = done || (near && !takes_last);
    if (all(done)) break;

    problem.multiply_mass(team, v.search, v.M_search);
    multiply_rows(team, problem, v.search);
    const SlopeT<F> quadratic{
        team.sum(blocks, [&](int b) { return dot(v.search[b], v.M_acceleration[b] - v.smooth_force[b]); }),
        dot_blocks(team, blocks, v.search, v.M_search)};
    const F length = sqrt(dot_blocks(team, blocks, v.search, v.search));
    const F small_slope = small_slope_of(options, length, scale, descent);
    F alpha = line_search(team, problem, quadratic, small_slope, options.ls_iterations, done || takes_last);
    alpha = select(takes_last, F(1), alpha);
    newton::advance(team, problem, alpha, done);
    report.iterations = select(done, report.iterations, report.iterations + F(1));
    done = done || takes_last;

    // No way down along Newton's step: rounding made this direction from a gradient that is nearly zero, and every
    // further step would be the same. It is the minimum as far as numbers can tell when the cost cannot show the gain.
    const auto stuck = !done && alpha < F(kNoise);
    if (any(stuck)) {
      const F here = newton::cost(team, problem);
      done = done || (stuck && here - descent * F(0.5) == here);
    }
  }
  report.converged = report.converged && done;
  return report;
}

}  // namespace carom::inline CAROM_PRECISION
