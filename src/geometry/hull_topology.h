// Faces, edges and neighbours of a convex hull, for the kernels that collide it: the arrays behind a HullView.
#pragma once

#include <vector>

#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

struct HullArrays {
  std::vector<Vec3> vertex;
  std::vector<HullFace> face;
  std::vector<int> face_vertex;
  std::vector<HullEdge> edge;
  std::vector<HullEdgeParts> edge_parts;
  std::vector<int> neighbor_start, neighbor;
  Vec3 center;
  Real inner_radius, outer_radius;
  std::vector<Real> vertex_rows, face_rows, edge_rows;

  HullView view() const;
};

// `hull` is what convex_hull() gives; its vertices are multiplied by `scale`, whose factors may be negative but not 0.
// Triangles that lie in one plane, to a millionth of the hull's size (a hundred-thousandth in float), become one face.
HullArrays build_hull_arrays(const Mesh& hull, Vec3 scale);

}  // namespace carom::inline CAROM_PRECISION
