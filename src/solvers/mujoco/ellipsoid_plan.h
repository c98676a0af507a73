// EllipsoidPlan: the shapes of one archetype of parts that a fluid pushes as ellipsoids (ellipsoid.kernel.h).
#pragma once

#include <string_view>
#include <vector>

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/ellipsoid_params.kernel.h"

namespace carom::inline CAROM_PRECISION {

class EllipsoidPlan {
 public:
  // bodies: Parts::bodies. A part with fewer shapes at a body than another one has places that nothing pushes.
  EllipsoidPlan(const HostModel& host, const PartArchetype& archetype, const TreePlan& tree, const Array<int>& bodies);

  int count() const { return static_cast<int>(body_.size()); }
  // On the model's device: body of the part and link of each; and where those of each part come from.
  Span<const int> bodies() const { return body_.const_view(); }
  Span<const int> links() const { return link_.const_view(); }
  const EllipsoidSource* sources() const { return source_.data(); }

 private:
  Array<int> body_, link_;
  Array<EllipsoidSource> source_;
};

// Whether ellipsoids are made from a column of shapes that edits may change.
bool is_of_ellipsoids(std::string_view column);

}  // namespace carom::inline CAROM_PRECISION
