// Faces, edges and neighbours of a convex hull, for the kernels that collide it: the arrays behind a HullView.
#pragma once

#include <vector>

#include "geometry/hull_directions.h"

namespace carom::inline CAROM_PRECISION {

struct HullArrays {
  std::vector<Vec3> vertex;
  std::vector<HullFace> face;
  std::vector<int> face_vertex;
  std::vector<HullEdge> edge;
  std::vector<HullEdgeParts> edge_parts;
  std::vector<HullEdgeSet> face_edges;
  std::vector<int> neighbor_start, neighbor;
  Vec3 center;
  Real inner_radius, outer_radius, face_rise, half_cosine;
  std::vector<Real> vertex_rows, face_rows;
  HullDirectionArrays directions;

  HullView view() const;
};

// As flat as four corners of a plane are when their coordinates were rounded to float, as they are in many mesh files;
// in float builds, when they were moved about besides.
inline constexpr double kFlatFace = sizeof(Real) == 8 ? 2e-7 : 1e-5;

// `hull` is what convex_hull() gives; its vertices are multiplied by `scale`, whose factors may be negative but not 0.
// Triangles that lie in one plane, to kFlatFace of the hull's size, become one face, whose plane no vertex is above.
HullArrays build_hull_arrays(const Mesh& hull, Vec3 scale);

}  // namespace carom::inline CAROM_PRECISION
