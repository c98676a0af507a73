// Loops (loops.kernel.h) between links that move on their own.
#pragma once

#include "dynamics/maximal.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD TieGap<F> tie_gap_of(const MaximalWorlds& worlds, int loop, const MaximalWork<F>& w) {
  const Loop& tie = worlds.loops.loop[loop];
  return tie_gap(w.loops[loop], [&](int side) CAROM_HD_LAMBDA {
    const TransformT<F> X_LB = tie.body[side] < 0 ? TransformT<F>{} : w.bodies[tie.body[side]].X_LB;
    return tie.link[side] < 0 ? X_LB : w.link[tie.link[side]].X_WL * X_LB;
  });
}

// The row of a coupling: its rate is the sum of J V over links, each of which is there once.
template <class F>
struct CouplingRow {
  static constexpr int kLinks = 4;

  int link[kLinks];  // -1 = none
  SpatialVectorT<F> J[kLinks];
  F error;
};

namespace coupling {

// The rate of a coordinate, times `share`, by the links that its joint moves against each other.
template <class F>
CAROM_HD void add_side(const MaximalWorlds& worlds, int l, int dof, F share, const MaximalWork<F>& w, int (&link)[2],
                       SpatialVectorT<F> (&J)[2]) {
  const TreeLink& of = worlds.tree.link[l];
  const JointFrame<F> frame = worlds.frame_of(l, w);
  JointPose<F> pose;
  worlds.find_pose(l, frame, w, pose);
  const int axis = dof - of.dof;
  const bool slides = axis < of.linear;
  const FreeAxes<F> axes(slides ? of.linear : of.angular, pose.axes + (slides ? 0 : of.linear));
  const Vec3T<F> d = axes.dual[slides ? axis : axis - of.linear] * share;
  link[0] = l, link[1] = of.parent;
  J[0] = slides ? SpatialVectorT<F>{d, cross(frame.r_child, d)} : SpatialVectorT<F>{{}, d};
  J[1] = slides ? SpatialVectorT<F>{-d, cross(frame.r_parent, -d)} : SpatialVectorT<F>{{}, -d};
}

}  // namespace coupling

// Coordinates are those of the links as they are.
template <class F>
CAROM_HD CouplingRow<F> coupling_row(const MaximalWorlds& worlds, int loop, const MaximalWork<F>& w) {
  const Loop& of = worlds.loops.loop[loop];
  const bool has_driver = of.link[1] >= 0;
  const CouplingGap<F> gap =
      coupling_gap(w.loops[loop], w.tree.q[of.coordinate[0]], has_driver ? w.tree.q[of.coordinate[1]] : F(0));
  CouplingRow<F> row;
  row.error = gap.error;
  for (int side = 0; side < 2; ++side) {
    int link[2]{-1, -1};
    SpatialVectorT<F> J[2]{};
    if (side == 0 || has_driver)
      coupling::add_side(worlds, of.link[side], of.dof[side], side == 0 ? F(1) : -gap.slope, w, link, J);
    for (int k = 0; k < 2; ++k) row.link[2 * side + k] = link[k], row.J[2 * side + k] = J[k];
  }
  for (int b = 1; b < CouplingRow<F>::kLinks; ++b)
    for (int a = 0; a < b; ++a) {
      if (row.link[b] < 0 || row.link[a] != row.link[b]) continue;
      row.J[a] = row.J[a] + row.J[b];
      row.link[b] = -1;
    }
  return row;
}

}  // namespace carom::inline CAROM_PRECISION
