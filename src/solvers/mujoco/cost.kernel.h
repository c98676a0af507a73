// The convex problem of a step and its derivatives:
//
//   min over a of  1/2 (a - a0)^T M (a - a0) + s(J a - a_ref),   s(x) = sum of 1/2 D min(x, 0)^2 over all rows
//
// f = -D min(x, 0) is the force of a row; gradient M (a - a0) - J^T f; Hessian M + J^T D J over the rows that push.
#pragma once

#include "solvers/mujoco/limit_rows.kernel.h"
#include "solvers/mujoco/rows.h"

namespace carom::inline CAROM_PRECISION {

namespace rows {

template <class F>
CAROM_HD Vec3T<F> frictional_product(const FrictionalRows<F>& rows, int c, int blocks, const Vec3T<F>* v) {
  Vec3T<F> sum;
  each_bit(rows.blocks[c], [&](int b) CAROM_HD_LAMBDA { sum += rows.J[c * blocks + b] * v[b]; });
  return sum;
}
template <class F>
CAROM_HD F frictionless_product(const FrictionlessRows<F>& rows, int c, int blocks, const Vec3T<F>* v) {
  F sum{};
  each_bit(rows.blocks[c], [&](int b) CAROM_HD_LAMBDA { sum += dot(rows.J[c * blocks + b], v[b]); });
  return sum;
}

// The four edges of a pyramid.
template <class F>
struct Edges {
  F e[4];
  CAROM_HD Edges(Vec3T<F> x, F mu) : e{fma(mu, x.y, x.x), fma(-mu, x.y, x.x), fma(mu, x.z, x.x), fma(-mu, x.z, x.x)} {}
};

template <class F>
CAROM_HD F pushed(F x) {
  return min(x, F(0));
}

template <class F>
CAROM_HD F frictional_cost(F D, F mu, Vec3T<F> x) {
  const Edges<F> edge(x, mu);
  F sum{};
  for (const F& e : edge.e) sum = fma(pushed(e), pushed(e), sum);
  return sum * D * F(0.5);
}
template <class F>
CAROM_HD F row_cost(F D, F x) {
  return pushed(x) * pushed(x) * D * F(0.5);
}

}  // namespace rows

// J v of all rows: into y of each of them, or into x with a_ref taken off.
template <class F, class Team>
CAROM_HD_STAGE void multiply_rows(Team team, const RowView& view, const RowWork<F>& w, int blocks, const Vec3T<F>* v) {
  team.each(view.limits(), [&](int s) { w.limit.y[s] = rows::limit_product(view, w.limit, s, v); });
  team.each(w.frictional.count,
            [&](int c) { w.frictional.y[c] = rows::frictional_product(w.frictional, c, blocks, v); });
  team.each(w.frictionless.count,
            [&](int c) { w.frictionless.y[c] = rows::frictionless_product(w.frictionless, c, blocks, v); });
}
template <class F, class Team>
CAROM_HD_STAGE void start_residuals(Team team, const RowView& view, const RowWork<F>& w, int blocks,
                                    const Vec3T<F>* a) {
  multiply_rows(team, view, w, blocks, a);
  team.each(view.limits(), [&](int s) { w.limit.x[s] = w.limit.y[s] - w.limit.aref[s]; });
  team.each(w.frictional.count, [&](int c) { w.frictional.x[c] = w.frictional.y[c] - w.frictional.aref[c]; });
  team.each(w.frictionless.count, [&](int c) { w.frictionless.x[c] = w.frictionless.y[c] - w.frictionless.aref[c]; });
}

// The sum of f(slot) over the limits, by joints and tendons. A slot exists when any world of the archetype needs it: in
// a sum over slots the limits of other worlds would change the order of a world's own.
template <class Team, class Function>
CAROM_HD_STAGE auto sum_limits(Team team, const RowView& view, Function f) {
  return team.sum(static_cast<int>(view.place_start.size) - 1, [&](int place) {
    decltype(f(0)) sum{};
    for (int s = view.place_start[place]; s < view.place_start[place + 1]; ++s) sum = sum + f(s);
    return sum;
  });
}

// s(x)
template <class F, class Team>
CAROM_HD_STAGE F constraint_cost(Team team, const RowView& view, const RowWork<F>& w) {
  const F limits = sum_limits(team, view, [&](int s) { return rows::row_cost(w.limit.D[s], w.limit.x[s]); });
  const F frictional = team.sum(w.frictional.count, [&](int c) {
    return rows::frictional_cost(w.frictional.D[c], w.frictional.mu[c], w.frictional.x[c]);
  });
  const F frictionless =
      team.sum(w.frictionless.count, [&](int c) { return rows::row_cost(w.frictionless.D[c], w.frictionless.x[c]); });
  return limits + frictional + frictionless;
}

// Forces of the rows, J^T f and the gradient.
template <class F, class Team>
CAROM_HD_STAGE void update_forces(Team team, const RowView& view, const RowWork<F>& w, int blocks) {
  team.each(view.limits(), [&](int s) { w.limit.force[s] = -(w.limit.D[s] * rows::pushed(w.limit.x[s])); });
  team.each(w.frictional.count, [&](int c) {
    const rows::Edges<F> x(w.frictional.x[c], w.frictional.mu[c]);
    const F D = -w.frictional.D[c];
    const F f0 = D * rows::pushed(x.e[0]), f1 = D * rows::pushed(x.e[1]);
    const F f2 = D * rows::pushed(x.e[2]), f3 = D * rows::pushed(x.e[3]);
    w.frictional.force[c] = {(f0 + f1) + (f2 + f3), w.frictional.mu[c] * (f0 - f1), w.frictional.mu[c] * (f2 - f3)};
  });
  team.each(w.frictionless.count,
            [&](int c) { w.frictionless.force[c] = -(w.frictionless.D[c] * rows::pushed(w.frictionless.x[c])); });
  team.each(blocks, [&](int b) {
    Vec3T<F> sum;
    CAROM_ROLL
    for (int i = 3 * b; i < 3 * b + 3; ++i) {
      CAROM_ROLL
      for (int at = view.dof_limit_start[i]; at < view.dof_limit_start[i + 1]; ++at) {
        const auto [slot, e] = view.dof_limit[at];
        sum[i % 3] = fma(w.limit.coef[e] * w.limit.sign[slot], w.limit.force[slot], sum[i % 3]);
      }
    }
    CAROM_ROLL
    for (int c = 0; c < w.frictional.count; ++c)
      if (w.frictional.blocks[c] >> b & 1)
        sum += block::transposed_times(w.frictional.J[c * blocks + b], w.frictional.force[c]);
    CAROM_ROLL
    for (int c = 0; c < w.frictionless.count; ++c)
      if (w.frictionless.blocks[c] >> b & 1) sum = fma(w.frictionless.J[c * blocks + b], w.frictionless.force[c], sum);
    w.constraint_force[b] = sum;
    w.gradient[b] = w.M_acceleration[b] - w.smooth_force[b] - sum;
  });
}

template <class F, class Team>
CAROM_HD_STAGE F dot_blocks(Team team, int blocks, const Vec3T<F>* a, const Vec3T<F>* b) {
  return team.sum(blocks, [&](int k) { return dot(a[k], b[k]); });
}

}  // namespace carom::inline CAROM_PRECISION
