// Triangle meshes made ready for kernels: scaled vertices, which sides are convex, and a tree of boxes.
//
// The tree is built from the top with the surface area heuristic over sixteen bins (I. Wald, "On fast construction of
// SAH-based bounding volume hierarchies", 2007), in O(n log n). Ties go to the lower number, so equal meshes have equal
// trees.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/mesh_walk.kernel.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kMeshTreeLeaf = 4;  // most triangles of a leaf

struct MeshArrays {
  std::vector<Vec3> vertex;
  std::vector<std::array<std::int32_t, 3>> triangle;
  std::vector<int> triangle_flags;
  std::vector<BvhNode> node;
  std::vector<int> bvh_triangle;  // without the triangles that have no area
  int degenerate_count = 0;       // triangles without area
  bool closed = false;            // no border, and counter-clockwise about a volume

  // Each vertex is multiplied by scale. A scale that mirrors (one or three negative factors) turns the triangles round,
  // so that they stay counter-clockwise seen from outside. Throws Error when a scaled vertex is not finite.
  MeshArrays(const Mesh& mesh, Vec3 scale);

  MeshView view() const;
};

}  // namespace carom::inline CAROM_PRECISION
