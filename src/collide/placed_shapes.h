// PlacedShapes: shapes that a call of the pipeline places, and in which order.
#pragma once

#include "collide/place_shapes.kernel.h"
#include "collide/segment_runs.h"

namespace carom::inline CAROM_PRECISION {

class PlacedShapes {
 public:
  // shapes: ascending. Segments with marked_elsewhere have a run without shapes first, which others mark.
  PlacedShapes(const Model& model, std::vector<int> shapes, const std::vector<bool>& marked_elsewhere);

  int count() const { return static_cast<int>(shape_.size()); }
  PlacingList view() const { return {shape_.data(), body_.data(), like_.data(), type_run_.data()}; }
  SegmentRuns& runs() { return runs_; }  // of the same shapes, by segment

 private:
  Array<int> shape_, body_, like_, type_run_;
  SegmentRuns runs_;
};

}  // namespace carom::inline CAROM_PRECISION
