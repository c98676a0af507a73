#include "collide/shape_views.h"

namespace carom::inline CAROM_PRECISION {

ShapePlacing shape_placing(const Model& model, const Array<Transform>& body_q, const Array<Transform>& X_WS,
                           const Array<Box>& box) {
  return {model.shape_body.const_view(),
          model.shape_type.const_view(),
          model.shape_transform.const_view(),
          body_q.const_view(),
          model.shape_scale.const_view(),
          model.shape_collision_aabb_lower.const_view(),
          model.shape_collision_aabb_upper.const_view(),
          model.shape_thickness.const_view(),
          model.shape_contact_margin.const_view(),
          X_WS.data(),
          box.data()};
}

PosedShapes posed_shapes(const Model& model, const GeometryTable& geometry, const Array<Transform>& X_WS) {
  return {model.shape_type.const_view(),
          geometry.shape_geometry(),
          model.shape_scale.const_view(),
          model.shape_thickness.const_view(),
          model.shape_contact_margin.const_view(),
          model.shape_collision_aabb_lower.const_view(),
          model.shape_collision_aabb_upper.const_view(),
          geometry.table(),
          X_WS.data()};
}

}  // namespace carom::inline CAROM_PRECISION
