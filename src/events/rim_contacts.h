// Points of a contact for integrators with a variable step: as smooth functions of the poses as can be had.
//
// A cylinder or a cone that lies flat on its base touches all along a rim, and the deepest point of a rim runs around
// it with the least tilt. So where all of a rim is in the other shape, points that are fixed to it take over, the more
// the flatter it lies: with r = (deepest - least deep) / deepest, points of the manifold count for s = r^2 (3 - 2 r)
// and the fixed ones for 1 - s.
#pragma once

#include <vector>

#include "collide/contact_point.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

struct WeightedPoint {
  ContactPoint at;
  Real weight;  // of its force
};

// Adds fixed points of the rims of shape a that lie flat in b, whose distance from points is a closed form, and takes
// their weight off the points that there are. flipped: normals lead from b to a.
void add_rim_points(const ShapeView& a, const Transform& X_WA, Real thickness_a, const ShapeView& b,
                    const Transform& X_WB, Real thickness_b, bool flipped, std::vector<WeightedPoint>& points);

}  // namespace carom::inline CAROM_PRECISION
