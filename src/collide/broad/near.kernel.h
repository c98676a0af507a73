// Whether two posed shapes are near enough to look at them: their boxes overlap, and a box reaches the solid side of an
// infinite plane. The same question in every mode of the broad phase, so that all of them find the same pairs.
#pragma once

#include "carom/array.h"
#include "collide/broad/shape_box.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct NearTest {
  Span<const int> shape_type;
  Span<const Vec3> shape_scale;
  Span<const Real> shape_thickness, shape_contact_margin;
  const Transform* X_WS;
  const Box* box;

  CAROM_HD bool operator()(int a, int b) const {
    return overlap(box[a], box[b]) && !is_above_plane(a, b) && !is_above_plane(b, a);
  }

  // Whether shape b is on the free side of shape a, an infinite plane.
  CAROM_HD bool is_above_plane(int a, int b) const {
    if (!is_half_space(static_cast<ShapeType>(shape_type[a]), shape_scale[a])) return false;
    const Vec3 n = axis_z(X_WS[a].q);
    const Vec3 center = (box[b].lower + box[b].upper) * Real(0.5), half = (box[b].upper - box[b].lower) * Real(0.5);
    const Real lowest = dot(center - X_WS[a].p, n) - dot(half, abs(n));
    return lowest > shape_thickness[a] + shape_contact_margin[a];
  }
};

}  // namespace carom::inline CAROM_PRECISION
