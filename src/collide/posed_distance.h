// Single shapes of a model on the CPU, as the narrow phase sees them, the distance of two of them, and where they
// touch.
#pragma once

#include "carom/query.h"
#include "collide/contact_point.h"
#include "collide/geometry_table.h"

namespace carom::inline CAROM_PRECISION {

inline ShapeView shape_view(const Model& model, const GeometryTable& geometry, int shape) {
  const int row = geometry.shape_geometry()[shape];
  return {static_cast<ShapeType>(model.shape_type[shape]), model.shape_scale[shape],
          row < 0 ? nullptr : geometry.table() + row};
}

inline Transform shape_pose(const Model& model, const State& state, int shape) {
  const int body = model.shape_body[shape];
  return body < 0 ? model.shape_transform[shape] : state.body_q[body] * model.shape_transform[shape];
}

// Of shapes that have a distance (have_distance()); thickness: of each [m].
ShapeDistance posed_distance(const ShapeView& a, const Transform& X_WA, Real thickness_a, const ShapeView& b,
                             const Transform& X_WB, Real thickness_b);
// Where two such shapes overlap; returns how many points there are.
int posed_contacts(const ShapeView& a, const Transform& X_WA, Real thickness_a, const ShapeView& b,
                   const Transform& X_WB, Real thickness_b, ContactPoint (&points)[kMaxPoints]);

}  // namespace carom::inline CAROM_PRECISION
