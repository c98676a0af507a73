// Signed distances to a closed mesh at the nodes of a grid. The sign comes from angle-weighted pseudonormals
// (J. A. Baerentzen, H. Aanaes, "Signed distance computation using the angle weighted pseudonormal", 2005): for a
// point whose nearest place is a corner or an edge, the plane of a single triangle there can tell the wrong side.
#include <algorithm>

#include "base/fail.h"
#include "geometry/topology.h"
#include "geometry/triangle_bvh.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr double kMaxNodes = double(1 << 28);

// Outward normals of faces, sides and corners; their lengths mean nothing.
class Pseudonormals {
 public:
  explicit Pseudonormals(const Mesh& mesh)
      : mesh_(mesh), weld_(weld_vertices(mesh.vertices)), corner_(mesh.vertices.size()), side_(mesh.indices.size()) {
    for (int t = 0; t < mesh.triangle_count(); ++t) {
      const Vec3d p[3] = {corner(t, 0), corner(t, 1), corner(t, 2)};
      face_.push_back(normalize(cross(p[1] - p[0], p[2] - p[0])));
      for (int k = 0; k < 3; ++k) {
        const Vec3d u = p[(k + 1) % 3] - p[k], v = p[(k + 2) % 3] - p[k];
        const double angle = atan2(length(cross(u, v)), dot(u, v));
        corner_[weld_[mesh.indices[3 * t + k]]] += face_[t] * angle;
      }
    }
    sum_over_edges();
  }

  Vec3d operator()(int triangle, TriangleFeature feature) const {
    const int f = int(feature);
    if (feature == TriangleFeature::kFace) return face_[triangle];
    return f < 3 ? corner_[weld_[mesh_.indices[3 * triangle + f]]] : side_[3 * triangle + f - 3];
  }

 private:
  Vec3d corner(int triangle, int k) const { return to_double(mesh_.vertices[mesh_.indices[3 * triangle + k]]); }

  void sum_over_edges() {
    const std::vector<MeshEdge> edges = sorted_edges(mesh_, weld_);
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
      Vec3d sum;
      for (; last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high;
           ++last)
        sum += face_[edges[last].triangle];
      for (std::size_t i = first; i < last; ++i) side_[3 * edges[i].triangle + edges[i].side] = sum;
    }
  }

  const Mesh& mesh_;
  std::vector<int> weld_;
  std::vector<Vec3d> face_, corner_, side_;
};

}  // namespace

SDF sdf_from_mesh(const Mesh& mesh, Real spacing, Real padding) {
  if (!(spacing > 0) || !is_finite(spacing)) fail("sdf spacing must be positive and finite, is ", spacing);
  if (!(padding >= 0) || !is_finite(padding)) fail("sdf padding must be finite and not negative, is ", padding);
  require_solid(mesh, "give the SDF's values yourself");
  Vec3 lower, upper;
  shape_local_bounds(ShapeType::kMesh, {1, 1, 1}, &mesh, nullptr, nullptr, lower, upper);
  const Vec3 origin = lower - Vec3{padding, padding, padding};
  int size[3];
  double count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double nodes = __builtin_ceil((double(upper[axis]) + padding - origin[axis]) / spacing) + 1;
    count *= nodes;
    if (!(count <= kMaxNodes)) fail("sdf grid would have more than ", kMaxNodes, " nodes: make the spacing larger");
    size[axis] = std::max(int(nodes), 2);
  }

  const TriangleBvh bvh(mesh);
  const Pseudonormals normals(mesh);
  const double grid_diagonal = spacing * (double(size[0]) + size[1] + size[2]);
  std::vector<Real> values;
  values.reserve(std::size_t(count));
  for (int k = 0; k < size[2]; ++k) {
    for (int j = 0; j < size[1]; ++j) {
      double reach = grid_diagonal;  // then the last distance and one step more, with room for rounding
      for (int i = 0; i < size[0]; ++i) {
        const Vec3d p = to_double(origin) + Vec3d{double(i), double(j), double(k)} * double(spacing);
        const NearestPoint near = bvh.nearest(p, reach);
        const double distance = sqrt(near.distance_squared);
        const bool inside = dot(p - near.point, normals(near.triangle, near.feature)) < 0;
        values.push_back(Real(inside ? -distance : distance));
        reach = (distance + spacing) * 1.001;
      }
    }
  }
  return SDF(std::move(values), size[0], size[1], size[2], origin, spacing);
}

}  // namespace carom::inline CAROM_PRECISION
