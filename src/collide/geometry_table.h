// The geometry of a model's shapes as kernels see it, on the model's device: one row for every mesh, hull or field in
// every scale that is used.
#pragma once

#include <memory>
#include <vector>

#include "carom/model.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

class GeometryTable {
 public:
  // Of the shapes that collide with shapes or particles, or of all of them.
  explicit GeometryTable(const Model& model, bool all_shapes = false);
  const GeometryView* table() const { return table_.data(); }
  Span<const int> shape_geometry() const { return shape_geometry_.const_view(); }  // row of each shape, -1 = none

 private:
  Array<GeometryView> table_;
  Array<int> shape_geometry_;
  std::vector<std::shared_ptr<void>> memory_;  // what the views point to
};

}  // namespace carom::inline CAROM_PRECISION
