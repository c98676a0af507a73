// The shapes of a model as kernels see them: where they are placed, and where they have been.
#pragma once

#include "collide/geometry_table.h"
#include "collide/narrow_phase.kernel.h"
#include "collide/place_shapes.kernel.h"

namespace carom::inline CAROM_PRECISION {

ShapePlacing shape_placing(const Model& model, const Array<Transform>& body_q, const Array<Transform>& X_WS,
                           const Array<Box>& box);
PosedShapes posed_shapes(const Model& model, const GeometryTable& geometry, const Array<Transform>& X_WS);

}  // namespace carom::inline CAROM_PRECISION
