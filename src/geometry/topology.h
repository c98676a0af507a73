// Which triangles of a mesh share vertices and edges, by place: vertices with the same coordinates are one.
#pragma once

#include <optional>
#include <vector>

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

// For every vertex, the first vertex at the same place.
std::vector<int> weld_vertices(const std::vector<Vec3>& vertices);

struct MeshEdge {
  int low, high;       // welded vertices, low < high
  int triangle, side;  // side k runs from corner k to corner k + 1
  bool ascending;      // the triangle passes it from low to high
};

// The sides of all triangles, equal edges side by side. Sides that welding has shrunk to a point are left out.
std::vector<MeshEdge> sorted_edges(const Mesh& mesh, const std::vector<int>& weld);

// An edge that is not passed as often one way as the other, if there is one.
std::optional<MeshEdge> find_open_edge(const Mesh& mesh);

// Throws Error unless the mesh bounds a solid: closed, counter-clockwise seen from outside, with a volume.
// `purpose` ends the message: what the caller may do instead.
void require_solid(const Mesh& mesh, const char* purpose);

}  // namespace carom::inline CAROM_PRECISION
