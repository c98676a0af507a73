// TreeRows: the numbers of all parts of an archetype as the kernels of the penalty solvers read them
// (pack_tree.kernel.h), made anew after an edit of the model. Parts with the same numbers share one row, of which lanes
// have a copy that holds each number once per lane.
#pragma once

#include "backend/world_lanes.h"
#include "dynamics/pack_tree.kernel.h"
#include "dynamics/tree_plan.h"

namespace carom::inline CAROM_PRECISION {

// What a kernel reads of them.
struct TreeRowView {
  const Real* rows;
  std::int64_t stride;    // 0: one row for all
  const Real* lane_rows;  // of one row for all, each number once per lane; nullptr: load the rows
  TreeRowLayout layout;
};

class TreeRows {
 public:
  TreeRows(const Model& model, const TreePlan& tree, const PartArchetype& archetype);

  void pack(const Model& model, const Queue& queue, const TreePlan& tree);
  // For kernels that run `width` parts side by side.
  TreeRowView view(int width);

 private:
  TreeRowLayout layout_;
  Array<PartRows> parts_;
  Array<Real> rows_, lane_rows_;
  bool shared_ = false;
  int lane_width_ = 0;
};

// The row of a part, or of W side by side; room: for layout.total numbers, which lanes without lane_rows are loaded to.
// row: of each part.
template <class F>
CAROM_HD const F* tree_row(const TreeRowView& view, Span<const int> row, const WorldIds<F>& ids,
                           [[maybe_unused]] F* room) {
  if constexpr (PlainNumber<F>) {
    return view.rows + row[ids[0]] * view.stride;
  } else {
    if (view.lane_rows) return reinterpret_cast<const F*>(view.lane_rows);
    Offsets<F> at;
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) at.start[l] = row[ids[l]] * view.stride;
    load_block(view.rows, at, view.layout.total, room);
    return room;
  }
}

template <class F>
struct TreeNumbers {
  const HoldParams<F>* holds;
  const BodyInLink<F>* bodies;
};
// Those of links and degrees of freedom, and gravity, as the stages of a tree read them, and what else is in the row.
template <class F>
CAROM_HD TreeNumbers<F> read_tree_row(const TreeRowView& view, Span<const int> row_of_part, const WorldIds<F>& ids,
                                      F* room, TreeWork<F>& tree) {
  const F* const row = tree_row(view, row_of_part, ids, room);
  const TreeRowLayout& at = view.layout;
  tree.gravity = {row[at.gravity], row[at.gravity + 1], row[at.gravity + 2]};
  tree.link_params = reinterpret_cast<const LinkParams<F>*>(row + at.links);
  tree.dof_params = reinterpret_cast<const DofParams<F>*>(row + at.dofs);
  return {reinterpret_cast<const HoldParams<F>*>(row + at.holds),
          reinterpret_cast<const BodyInLink<F>*>(row + at.bodies)};
}

}  // namespace carom::inline CAROM_PRECISION
