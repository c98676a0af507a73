// Whether a mesh is a hull as convex_hull() makes them, so that it need not be made again.
#pragma once

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

// Closed, convex but for rounding, every vertex in use, and its triangles in the order of convex_hull().
bool is_finished_hull(const Mesh& mesh);

}  // namespace carom::inline CAROM_PRECISION
