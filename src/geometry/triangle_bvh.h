// A tree of boxes over the triangles of a mesh, for the nearest point of the surface. In double.
#pragma once

#include <vector>

#include "geometry/moments.h"

namespace carom::inline CAROM_PRECISION {

// A part of a triangle's border or its inside: corner k, side k (from corner k to corner k + 1), or the face.
enum class TriangleFeature : int { kCorner0, kCorner1, kCorner2, kSide0, kSide1, kSide2, kFace };

struct NearestPoint {
  Vec3d point;
  double distance_squared;
  int triangle;
  TriangleFeature feature;
};

// The point of triangle a, b, c that is nearest to p (C. Ericson, "Real-Time Collision Detection", 2005, sec. 5.1.5).
// The triangle must have an area.
NearestPoint nearest_on_triangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c);

class TriangleBvh {
 public:
  // Triangles without area are left out: their border belongs to neighbours too.
  explicit TriangleBvh(const Mesh& mesh);

  // Nearest point of the surface; `reach` is a distance that is known to hold one.
  NearestPoint nearest(Vec3d p, double reach) const;

 private:
  struct Triangle {
    Vec3d a, b, c;
    int number;  // in the mesh
  };
  struct Node {
    Vec3d lower, upper;
    int first, count;  // triangles of a leaf; count = 0 for an inner node
    int right;         // second child; the first one follows its parent
  };

  int build(int first, int last);

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
};

}  // namespace carom::inline CAROM_PRECISION
