// Every shape where it stands in the world, and its box, grown by the shape's thickness and margin: boxes of shapes
// that are near enough for a contact overlap.
#pragma once

#include "carom/array.h"
#include "collide/broad/shape_box.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct PlaceShapes {
  Span<const int> shape_body, shape_type;
  Span<const Transform> shape_transform, body_q;
  Span<const Vec3> shape_scale, aabb_lower, aabb_upper;  // bounds in the shape's frame
  Span<const Real> shape_thickness, shape_contact_margin;
  Transform* X_WS;
  Box* box;

  CAROM_HD void operator()(int s) const {
    const int body = shape_body[s];
    const Transform X = body < 0 ? shape_transform[s] : body_q[body] * shape_transform[s];
    X_WS[s] = X;
    const ShapeType type = static_cast<ShapeType>(shape_type[s]);
    box[s] = grown(shape_world_box(type, shape_scale[s], aabb_lower[s], aabb_upper[s], X),
                   shape_thickness[s] + shape_contact_margin[s]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
