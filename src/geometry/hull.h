// The triangles of hulls, for those who keep the numbers of their points.
#pragma once

#include <array>
#include <vector>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

// Of points x, y, z: numbers of points, counter-clockwise seen from outside. `most` > 0 (at least 4): of so many
// corners, those that qhull finds first. Throws Error for points without a hull.
std::vector<std::array<int, 3>> hull_triangles(std::vector<double> points, int most = 0);

}  // namespace carom::inline CAROM_PRECISION
