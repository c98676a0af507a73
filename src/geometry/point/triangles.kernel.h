// What meshes and heightfields share: the surface about a corner or a side of a triangle. Triangles belong together
// where their corners have the same coordinates, so that meshes whose vertices are not welded need nothing more.
#pragma once

#include "geometry/heightfield_cells.kernel.h"
#include "geometry/mesh_walk.kernel.h"
#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

struct SurfaceAround {
  // The sum of the normals about the feature, each with its angle there: p - x points along its side of the surface
  // when x is the nearest point of p (J. A. Baerentzen, H. Aanaes, "Signed distance computation using the angle
  // weighted pseudonormal", 2005).
  Vec3 pseudonormal;
  // The triangle about the feature that is nearest to p, of equals the lowest number.
  NearestTriangle nearest;
  bool border;  // the surface ends here
};

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The triangles at the feature, one after the other.
struct AroundFeature {
  Vec3 p, from, to;  // from = to: a corner; else the side between them
  SurfaceAround sum = {{}, {{{}, std::numeric_limits<Real>::max(), kFacePart}, -1}, false};
  Vec3 rim{};        // sum of the far sides: nothing is left of it where they close around the feature
  Real rim_size{0};  // and of their lengths

  CAROM_HD void add(int triangle, const TriangleCorners& t) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = t.corner[k], b = t.corner[(k + 1) % 3], c = t.corner[(k + 2) % 3];
      const bool corner = from == to;
      const bool forward = a == from && b == to, backward = a == to && b == from;
      if (corner ? !(a == from) : !forward && !backward) continue;
      const Vec3 far_side = corner ? c - b : forward ? to - from : from - to;
      const Vec3 area = cross(b - a, c - a);
      const Real weight = corner ? atan2(length(area), dot(b - a, c - a)) : Real(1);
      sum.pseudonormal = fma(normalize(area), weight, sum.pseudonormal);
      rim += far_side;
      rim_size += length(far_side);
      const TrianglePoint at = nearest_of_triangle(t, p);
      if (is_nearer(p, at, triangle, sum.nearest.at, sum.nearest.triangle)) sum.nearest = {at, triangle};
      return;
    }
  }
};

// The surface about a corner or a side (`part`) of triangle t.
template <class Surface>
CAROM_HD_STAGE SurfaceAround surface_around(const Surface& surface, const TriangleCorners& t, int part, Vec3 p) {
  const int k = part < kSidePart ? part : part - kSidePart;
  AroundFeature around = {p, t.corner[k], t.corner[part < kSidePart ? k : (k + 1) % 3]};
  triangles_in_box(surface, around.from, around.from,
                   [&](int triangle, const TriangleCorners& other) CAROM_HD_LAMBDA { around.add(triangle, other); });
  around.sum.border = length(around.rim) > Real(1e-3) * around.rim_size;
  return around.sum;
}

// The answer for p, given the nearest triangle and on which side p is. Feature: 8 triangle + part.
CAROM_HD SurfacePoint surface_point_at(const NearestTriangle& nearest, Vec3 p, Vec3 feature_normal, bool inside) {
  const TrianglePoint& at = nearest.at;
  const Real distance = sqrt(at.distance_squared);
  const bool has_normal = at.part == kFacePart || is_on_surface(p, at.point, at.distance_squared);
  const Vec3 away = inside ? at.point - p : p - at.point;
  return {at.point, has_normal ? feature_normal : unit_or(away, feature_normal), inside ? -distance : distance,
          8 * nearest.triangle + at.part};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
