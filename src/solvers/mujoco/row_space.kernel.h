// The problem of cost.kernel.h in the space of its rows. With a = a0 + M^-1 J^T lambda and A = J M^-1 J^T,
//
//   x = x0 + A lambda,  x0 = J a0 - a_ref;   cost 1/2 lambda^T A lambda + s(x);   gradient J^T (lambda - f(x))
//
// and Newton's step for the rows that push, with the weights C = G^T G, leads to
//
//   lambda+ = -G^T S^-1 G x0,   S = 1 + G A G^T
//
// wherever it started. Rows of dry friction that slip push with forces o whatever x is; lambda+ is then o and what
// follows from x0 + A o. It costs what the rows of a world cost instead of its degrees of freedom, and S is well
// conditioned: D is about the inverse of A's diagonal.
//
// Rows stand in blocks of three: first the contacts with friction, then those that resist turning, two blocks each,
// then rows with one direction (singles.kernel.h). M = L^T L is factored for the smooth accelerations already; Z = L^-T
// J^T is zero outside the chains from the touched links to their roots, and A = Z^T Z.
#pragma once

#include "solvers/mujoco/newton.kernel.h"
#include "solvers/mujoco/row_space_matrix.kernel.h"
#include "solvers/mujoco/small_row_space.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace row_space {

// x0, and x of the accelerations of the last step.
template <class F, class Team>
CAROM_HD_FREE void start_residuals(Team team, const RowSpaceProblem<F>& problem, const Vec3T<F>* smooth,
                                   const Vec3T<F>* last) {
  team.each(problem.s.blocks, [&](int i) {
    const auto J = problem.jacobian(i);
    Vec3T<F> x_smooth, x_last;
    each_bit(problem.reach(i), [&](int b) CAROM_HD_LAMBDA {
      x_smooth += J[b] * smooth[b];
      x_last += J[b] * last[b];
    });
    const Vec3T<F> reference = problem.reference(i);
    problem.s.x0[i] = x_smooth - reference;
    problem.s.x[i] = x_last - reference;
  });
}

// Sets the weights of a slot; whether they changed.
template <class Space, class Root>
CAROM_HD auto set_root(Space& s, int i, const Root& G) {
  const auto changed = G.differs_from(s.G[i]);
  s.G[i] = G;
  return changed;
}
template <class F>
CAROM_HD MaskOf<F> set_root(RowSpace<F>& s, int i, const PairedRoot<F>& G) {
  return set_root(s, i, with_cross(G));
}
template <class F>
CAROM_HD MaskOf<F> set_root(RowSpace<F>& s, int i, const TurningRoot<F>& G) {
  const Vec3T<F> before = s.tie[i + 1];
  s.tie[i + 1] = G.tie;
  const MaskOf<F> tie_changed = before.x != G.tie.x || before.y != G.tie.y || before.z != G.tie.z;
  const MaskOf<F> turn_changed = set_root(s, i + 1, G.turn);
  return set_root(s, i, G.slide) || turn_changed || tie_changed;
}

// The same, and the forces that follow no x.
template <class Space, class Kind>
CAROM_HD auto set_weights(Space& s, const Kind& kind, int slot, int i) {
  auto changed = set_root(s, i, kind.root_at(slot));
  if constexpr (Space::kHasOffsets && requires { kind.offset_at(slot); }) {
    if (s.offset) {
      const auto before = s.offset[i], now = kind.offset_at(slot);
      s.offset[i] = now;
      changed = changed || before.x != now.x || before.y != now.y || before.z != now.z;
    }
  }
  return changed;
}

// The start: Newton's step for the rows that the accelerations of the last step push, or no forces at all, whichever
// costs less. Returns where it is the first.
template <class Problem, class Team>
CAROM_HD MaskOf<NumberOf<Problem>> choose_start(Team team, const Problem& problem) {
  using F = NumberOf<Problem>;
  auto& s = problem.s;
  if constexpr (std::decay_t<decltype(s)>::kHasOffsets)
    if (s.offset) s.each(team, [&](int i) CAROM_HD_LAMBDA { s.offset[i] = {}; });
  problem.each_slot(team, [&](auto& kind, int slot, int i) CAROM_HD_LAMBDA { set_weights(s, kind, slot, i); });
  s.each(team, [&](int i) CAROM_HD_LAMBDA { s.x[i] = s.x0[i]; });
  const F cost_without = constraint_cost(team, problem);
  find_target(team, s);
  s.each(team, [&](int i) CAROM_HD_LAMBDA {
    s.y[i] = times_A(s, i, s.target);
    s.x[i] = s.x0[i] + s.y[i];
  });
  const F energy = problem.sum_blocks(team, [&](int i) CAROM_HD_LAMBDA { return dot(s.target[i], s.y[i]); });
  const F cost = fma(energy, F(0.5), constraint_cost(team, problem));
  const auto warm = s.lanes && cost < cost_without;
  s.each(team, [&](int i) CAROM_HD_LAMBDA {
    s.lambda[i] = select(warm, s.target[i], Vec3T<F>{});
    s.x[i] = select(warm, s.x[i], s.x0[i]);
  });
  return warm;
}

// f - lambda of a slot.
template <class Space, class F>
CAROM_HD void set_rest(Space& s, int i, Vec3T<F> f) {
  s.rest[i] = f - s.lambda[i];
}
template <class Space, class F>
CAROM_HD void set_rest(Space& s, int i, const SpatialVectorT<F>& f) {
  set_rest(s, i, f.linear);
  set_rest(s, i + 1, f.angular);
}

// What the law asks for at x beyond the forces.
template <class Problem, class Team>
CAROM_HD void update_rest(Team team, const Problem& problem) {
  problem.each_slot(team,
                    [&](auto& kind, int slot, int i) CAROM_HD_LAMBDA { set_rest(problem.s, i, kind.force_at(slot)); });
}

// The weights at x; where some changed.
template <class Problem, class Team>
CAROM_HD MaskOf<NumberOf<Problem>> update_weights(Team team, const Problem& problem) {
  using F = NumberOf<Problem>;
  auto& s = problem.s;
  MaskOf<F> changed{};
  problem.each_slot(
      team, [&](auto& kind, int slot, int i) CAROM_HD_LAMBDA { changed = set_weights(s, kind, slot, i) || changed; });
  if constexpr (PlainNumber<F>) return s.workers(team).any(changed);
  else return changed;
}

// B^T v of kVectors vectors, for a matrix of as many columns as there are blocks of degrees of freedom; reach(i): where
// its row block i is not zero. A thread alone goes through what is there, a thread of a team takes a column: sums of
// the same order.
template <int kVectors, class F, class Team, class Reach, class Row>
CAROM_HD_FREE void transposed_times(Team team, const RowSpaceProblem<F>& problem, Reach reach, Row row,
                                    const Vec3T<F>* const (&v)[kVectors], Vec3T<F>* const (&result)[kVectors]) {
  const int rows = problem.s.blocks, columns = problem.view.blocks();
  if constexpr (Team::size() == 1) {
    for (int b = 0; b < columns; ++b)
      for (Vec3T<F>* of_vector : result) of_vector[b] = {};
    CAROM_ROLL
    for (int i = 0; i < rows; ++i) {
      const auto B = row(i);
      each_bit(reach(i), [&](int b) CAROM_HD_LAMBDA {
        CAROM_UNROLL
        for (int k = 0; k < kVectors; ++k) result[k][b] += block::transposed_times(B[b], v[k][i]);
      });
    }
  } else {
    team.each(columns, [&](int b) {
      Vec3T<F> sum[kVectors];
      CAROM_ROLL
      for (int i = 0; i < rows; ++i) {
        if (!(reach(i) >> b & 1)) continue;
        CAROM_UNROLL
        for (int k = 0; k < kVectors; ++k) sum[k] += block::transposed_times(row(i)[b], v[k][i]);
      }
      for (int k = 0; k < kVectors; ++k) result[k][b] = sum[k];
    });
  }
}

// Products of y = A step: with what is left of the gradient, with lambda and with the step.
template <class F>
struct StepProducts {
  F descent{}, slope{}, curvature{};
  friend CAROM_HD StepProducts operator+(StepProducts a, StepProducts b) {
    return {a.descent + b.descent, a.slope + b.slope, a.curvature + b.curvature};
  }
};
template <class Problem, class Team>
CAROM_HD StepProducts<NumberOf<Problem>> find_step(Team team, const Problem& problem) {
  using F = NumberOf<Problem>;
  auto& s = problem.s;
  s.each(team, [&](int i) CAROM_HD_LAMBDA { s.step[i] = s.target[i] - s.lambda[i]; });
  s.each(team, [&](int i) CAROM_HD_LAMBDA { s.y[i] = times_A(s, i, s.step); });
  return problem.sum_blocks(team, [&](int i) CAROM_HD_LAMBDA {
    const Vec3T<F> y = s.y[i];
    return StepProducts<F>{dot(s.rest[i], y), dot(s.lambda[i], y), dot(s.step[i], y)};
  });
}

template <class Space, class Team, class F>
CAROM_HD void take_step(Team team, Space& s, MaskOf<F> lanes, F alpha) {
  s.each(team, [&](int i) CAROM_HD_LAMBDA {
    s.lambda[i] = select(lanes, fma(s.step[i], alpha, s.lambda[i]), s.lambda[i]);
    s.x[i] = select(lanes, fma(s.y[i], alpha, s.x[i]), s.x[i]);
  });
}

// What others read of the solution: accelerations, forces of the rows and of the degrees of freedom. Returns
// |J^T (f - lambda)|.
template <class F, class Team>
CAROM_HD_FREE F finish(Team team, const RowSpaceProblem<F>& problem, const BlockPattern& pattern, const Mat33T<F>* L,
                       RowWork<F>& w) {
  const RowSpace<F>& s = problem.s;
  const int blocks = problem.view.blocks();
  transposed_times<2>(
      team, problem, [&](int i) CAROM_HD_LAMBDA { return problem.reach(i); },
      [&](int i) CAROM_HD_LAMBDA { return problem.jacobian(i); }, {s.lambda, s.rest}, {w.search, w.gradient});
  const F gradient = sqrt(team.sum(blocks, [&](int b) { return dot(w.gradient[b], w.gradient[b]); }));
  team.each(blocks, [&](int b) { w.constraint_force[b] = select(s.lanes, w.search[b], w.constraint_force[b]); });
  transposed_times<1>(
      team, problem, [&](int i) CAROM_HD_LAMBDA { return s.support[i]; },
      [&](int i) CAROM_HD_LAMBDA { return problem.half(i); }, {s.lambda}, {w.search});
  solve_lower_blocks(team, pattern, L, w.search);
  team.each(blocks, [&](int b) {
    w.acceleration[b] = select(s.lanes, w.smooth_acceleration[b] + w.search[b], w.acceleration[b]);
  });
  const auto give_back = [&](auto& kind, int slots, const auto* x, const auto* force) CAROM_HD_LAMBDA {
    team.each(slots, [&](int c) {
      kind.x[c] = select(s.lanes, x[c], kind.x[c]);
      kind.force[c] = select(s.lanes, kind.inside(c, force[c]), kind.force[c]);
    });
  };
  give_back(w.kinds.contacts.sliding, s.sliding.list.count, s.x, s.lambda);
  give_back(w.kinds.contacts.turning, s.turning.list.count, s.turning.x, as_pairs(s.lambda + s.first_turning));
  s.singles.give_back(team, s.lanes, s.lambda + s.first_single, w.kinds.contacts.frictionless, w.kinds.joint);
  return gradient;
}

// Newton's method on what is known of a problem by now: A, x0 and x of the accelerations of the last step. Leaves
// lambda, x and what the law asks for there beyond lambda; the residual is not known yet.
template <class Problem, class Team>
CAROM_HD NewtonReport<NumberOf<Problem>> iterate(Team team, const Problem& problem, NumberOf<Problem> scale,
                                                 const NewtonOptions& options) {
  using F = NumberOf<Problem>;
  auto& s = problem.s;
  const F tolerance(options.tolerance);
  const MaskOf<F> warm = choose_start(team, problem);
  NewtonReport<F> report{select(warm, F(1), F(0)), F(0), F(0) <= F(0)};
  MaskOf<F> done = !s.lanes, at_target = warm, stopped = done;
  CAROM_ROLL
  while (true) {
    const MaskOf<F> changed = update_weights(team, problem);
    // The target of weights that it did not change is the minimum.
    done = done || (at_target && !changed);
    stopped = stopped || done || !(report.iterations < F(Real(options.iterations)));
    if (all(stopped)) break;

    update_rest(team, problem);
    if (any(changed && !stopped)) find_target(team, s);
    const StepProducts<F> step = find_step(team, problem);
    report.converged = report.converged && (stopped || step.descent == step.descent);
    // A step that gains next to nothing is known already, and forces feel it more than the cost does.
    take_step(team, s, !stopped && step.descent * F(0.5) * scale < tolerance, F(1));
    done = done || (!stopped && !(step.descent * F(0.5) * scale >= tolerance));
    stopped = stopped || done;
    if (all(stopped)) break;

    const F length = sqrt(max(step.curvature, F(0)) * scale);  // of the accelerations' step, at least
    const F small_slope = small_slope_of(options, length, scale, step.descent);
    const F alpha =
        line_search(team, problem, SlopeT<F>{step.slope, step.curvature}, small_slope, options.ls_iterations, stopped);
    take_step(team, s, !stopped, alpha);
    at_target = alpha == F(1);
    report.iterations = select(stopped, report.iterations, report.iterations + F(1));
  }
  update_rest(team, problem);
  report.converged = report.converged && done;
  return report;
}

// The same for kBlocks blocks of rows.
template <int kBlocks, class F, class Team>
CAROM_HD NewtonReport<F> iterate_small(Team team, const RowSpaceProblem<F>& problem, F scale,
                                       const NewtonOptions& options) {
  SmallRowSpace<F, kBlocks> s;
  s.load(problem.s);
  const auto report = iterate(team, SmallProblem<F, kBlocks>{problem, s}, scale, options);
  team.sync();  // all have read what is written now
  team.each(1, [&](int) CAROM_HD_LAMBDA { s.store(problem.s); });
  return report;
}
// For any number of them. By value: what others hold of the row space stays in registers.
template <class F, class Team>
CAROM_HD_STAGE NewtonReport<F> iterate_many(Team team, const RowView& view, RowSpace<F> s, F scale,
                                            const NewtonOptions& options) {
  return iterate(team, RowSpaceProblem<F>{view, s}, scale, options);
}

// As one of them; kBlocks: there are no fewer.
template <int kBlocks = 1, class F, class Team>
CAROM_HD NewtonReport<F> iterate_best(Team team, const RowSpaceProblem<F>& problem, F scale,
                                      const NewtonOptions& options) {
  if constexpr (kBlocks <= kMostSmallOf<Team>) {
    if (problem.s.blocks != kBlocks) return iterate_best<kBlocks + 1>(team, problem, scale, options);
    if (!problem.s.has_ties() && !problem.view.two_sided && !problem.s.sliding.in_cone)
      return iterate_small<kBlocks>(team, problem, scale, options);
  }
  return iterate_many(team, problem.view, problem.s, scale, options);
}

}  // namespace row_space

// As solve_newton(), for the worlds that list_rows() found. L: the factor of M; last: accelerations of the last step.
template <class F, class Team>
CAROM_HD NewtonReport<F> solve_in_row_space(Team team, const RowView& view, const BlockPattern& pattern,
                                            const Mat33T<F>* L, F trace, const Vec3T<F>* last, RowWork<F>& w,
                                            RowSpace<F>& s, const NewtonOptions& options) {
  const RowSpaceProblem<F> problem{view, s};
  const F scale = F(1) / trace;
  s.singles.fill(team, view, w.kinds.contacts.frictionless, w.kinds.joint);
  row_space::fill_halves(team, problem, pattern, L);
  row_space::find_coupling(team, s);
  row_space::fill_A(team, problem);
  row_space::start_residuals(team, problem, w.smooth_acceleration, last);
  NewtonReport<F> report = row_space::iterate_best(team, problem, scale, options);
  report.residual = row_space::finish(team, problem, pattern, L, w) * scale;
  report.converged = report.converged && report.residual == report.residual;
  return report;
}

}  // namespace carom::inline CAROM_PRECISION
