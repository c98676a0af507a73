// What the solve of a step works with, for one part or W of them: the rows by kind, vectors over the degrees of
// freedom, and the Hessian.
#pragma once

#include "solvers/mujoco/rows/kinds.h"

namespace carom::inline CAROM_PRECISION {

// Over the degrees of freedom of what is solved at once.
template <class F>
struct SolveVectors {
  Vec3T<F>*smooth_force, *smooth_acceleration, *acceleration, *M_acceleration, *gradient, *search, *M_search,
      *constraint_force;
  MaskOf<F> has_rows;  // lanes with at least one row
};

template <class F>
struct RowWork : SolveVectors<F> {
  RowKinds<F> kinds;

  BlockPattern own_pattern;  // where contacts couple more than RowView::pattern
  BlockPattern pattern;      // of the Hessian of this step: one of the two
  BitSets stale;             // per block row: columns of H that must be built again; up to the word of the diagonal
  Mat33T<F>* H;
};

// What Newton's method works with beside its result.
template <class F>
CAROM_HD void take_search(Arena& arena, int blocks, SolveVectors<F>& v) {
  const auto take = [&] { return arena.take<Vec3T<F>>(blocks); };
  v.M_acceleration = take(), v.gradient = take(), v.search = take(), v.M_search = take();
}
template <class F>
CAROM_HD void take_vectors(Arena& arena, int blocks, SolveVectors<F>& v) {
  const auto take = [&] { return arena.take<Vec3T<F>>(blocks); };
  v.smooth_force = take(), v.smooth_acceleration = take(), v.acceleration = take(), v.constraint_force = take();
  take_search(arena, blocks, v);
}

// Without the result, and without the rows of contacts, which most steps touch last.
template <class F>
CAROM_HD void take_row_work(Arena& arena, const RowView& view, RowWork<F>& w) {
  const int blocks = view.blocks();
  w.H = arena.take<Mat33T<F>>(block_total(blocks));
  w.stale = take_bit_sets(arena, blocks, blocks);
  w.kinds.joint.take(arena, view);
  take_search(arena, blocks, w);
  w.own_pattern = take_pattern(arena, blocks);
}

}  // namespace carom::inline CAROM_PRECISION
