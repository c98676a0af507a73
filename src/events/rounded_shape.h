// A shape whose edges and corners are rounded by a ball: what is left of it where the ball's centre may be, grown by
// the ball. Its faces stay where they are.
#pragma once

#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

struct RoundedShape {
  ShapeView shape;  // what is left
  Vec3 centre;      // of that in the frame of the shape [m]
  Real radius;      // of the ball [m]
};

// Of boxes, cylinders and cones; others have no edges, or are left as they are. The radius is a tenth of the smallest
// dimension at most.
RoundedShape rounded(const ShapeView& shape, Real radius);

}  // namespace carom::inline CAROM_PRECISION
