// What an explicit Runge-Kutta pair adds up, for many worlds side by side, each with a step h of its own:
//
//   AddStages   y = y_0 + h sum w_s k_s
//   StepErrors  max |h sum e_s k_s| / allowed,  allowed = tolerance max(1/10, |y_0|, |y|)
//
// over the coordinates and then the velocities of a world. An item is a world. For the CPU alone.
#pragma once

#include "backend/world_lanes.h"
#include "carom/math.h"
#include "events/rows.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kMostStages = 7;

struct StepRows {
  Rows coords, dofs;
  Real step;  // [s]
};

// Numbers of one kind: where the step began, their rates, and what they become.
struct StepColumn {
  const Real* from;
  const Real* rate[kMostStages];
  Real* to;
};

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

template <class F>
CAROM_HD F numbers_at(const Real* from, int i) {
  if constexpr (PlainNumber<F>) return from[i];
  else return F::load(from + i);
}

// f(F of a kind, i) for all rows, as many at once as there are lanes.
template <class Function>
CAROM_HD void each_row(Rows rows, Function f) {
  constexpr int W = kTierWidth<Real>;
  int i = rows.begin;
  for (; i + W <= rows.end; i += W) f(Lanes<Real, W>{}, i);
  for (; i < rows.end; ++i) f(Real{}, i);
}

template <class F>
CAROM_HD F weighted_rates(const StepColumn& column, const Real (&weight)[kMostStages], int stages, int i) {
  F sum(Real(0));
  for (int s = 0; s < stages; ++s) sum += F(weight[s]) * numbers_at<F>(column.rate[s], i);
  return sum;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

namespace carom::inline CAROM_PRECISION {

struct AddStages {
  const StepRows* worlds;
  StepColumn coords, dofs;
  Real weight[kMostStages];
  int stages;

  CAROM_HD void operator()(int i) const {
    add(coords, worlds[i].coords, worlds[i].step);
    add(dofs, worlds[i].dofs, worlds[i].step);
  }

 private:
  CAROM_HD void add(const StepColumn& column, Rows rows, Real step) const {
    each_row(rows, [&](auto kind, int i) CAROM_HD_LAMBDA {
      using F = decltype(kind);
      const F y = numbers_at<F>(column.from, i) + F(step) * weighted_rates<F>(column, weight, stages, i);
      if constexpr (PlainNumber<F>) column.to[i] = y;
      else y.store(column.to + i);
    });
  }
};

struct StepErrors {
  const StepRows* worlds;
  StepColumn coords, dofs;
  Real weight[kMostStages];
  int stages;
  Real tolerance;
  Real* error;  // of each world

  CAROM_HD void operator()(int i) const {
    error[i] = worst(dofs, worlds[i].dofs, worlds[i].step, worst(coords, worlds[i].coords, worlds[i].step, 0));
  }

 private:
  // The larger one; what is not a number stays.
  template <class F>
  static CAROM_HD F worse(F part, F worst) {
    return select(part <= worst, worst, part);
  }
  CAROM_HD Real worst(const StepColumn& column, Rows rows, Real step, Real before) const {
    Real result = before;
    Lanes<Real, kTierWidth<Real>> of_lanes(Real(0));
    each_row(rows, [&](auto kind, int i) CAROM_HD_LAMBDA {
      using F = decltype(kind);
      const F size = max(abs(numbers_at<F>(column.from, i)), abs(numbers_at<F>(column.to, i)));
      const F allowed = F(tolerance) * max(F(Real(0.1)), size);
      const F part = abs(F(step) * weighted_rates<F>(column, weight, stages, i)) / allowed;
      if constexpr (PlainNumber<F>) result = worse(part, result);
      else of_lanes = worse(part, of_lanes);
    });
    for (int l = 0; l < kTierWidth<Real>; ++l) result = worse(of_lanes[l], result);
    return result;
  }
};

}  // namespace carom::inline CAROM_PRECISION
