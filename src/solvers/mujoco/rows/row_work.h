// What the solve of a step works with, for one world or W of them: the rows by kind, vectors over the degrees of
// freedom, and the Hessian.
#pragma once

#include "solvers/mujoco/rows/kinds.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct RowWork {
  RowKinds<F> kinds;

  BlockPattern own_pattern;  // where contacts couple more than RowView::pattern
  BlockPattern pattern;      // of the Hessian of this step: one of the two
  std::uint64_t* stale;      // per block row: columns of H that must be built again

  Vec3T<F>*smooth_force, *smooth_acceleration, *acceleration, *M_acceleration, *gradient, *search, *M_search,
      *constraint_force;
  Mat33T<F>* H;
  MaskOf<F> has_rows;  // lanes with at least one row
};

// Without H, and without the rows of contacts, which most steps touch last.
template <class F>
CAROM_HD void take_row_work(Arena& arena, const RowView& view, RowWork<F>& w) {
  const int blocks = view.blocks();
  const auto take = [&] { return arena.take<Vec3T<F>>(blocks); };
  w.stale = arena.take<std::uint64_t>(blocks);
  w.kinds.limit.take(arena, view);
  w.smooth_force = take(), w.smooth_acceleration = take(), w.acceleration = take();
  w.M_acceleration = take(), w.gradient = take(), w.search = take();
  w.M_search = take(), w.constraint_force = take();
  w.own_pattern = take_pattern(arena, blocks);
}

}  // namespace carom::inline CAROM_PRECISION
