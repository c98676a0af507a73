// Which vertices of a hull may be the farthest along a direction, looked up by direction.
//
// Directions are cut into cells: the squares of a grid on the faces of a cube about the origin. Each cell has a list of
// all vertices that are the farthest along some direction of it, of a thousand vertices some eight. A support point
// then is the best of a short list, which depends on the direction alone.
#pragma once

#include <vector>

#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

struct HullDirectionArrays {
  int side = 0;
  std::vector<int> start, id;
  std::vector<Real> vertex;

  HullDirections view() const { return {side, start.data(), id.data(), vertex.data()}; }
};

// Of a hull with `vertex`; nothing where there are so few that looking at each of them is as fast.
HullDirectionArrays build_hull_directions(const std::vector<Vec3>& vertex);

}  // namespace carom::inline CAROM_PRECISION
