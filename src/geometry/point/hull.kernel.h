// Convex hulls. Inside, the plane of the nearest face. Outside, the face whose prism holds the point, if there is one,
// otherwise the nearest edge, of which a corner is an end. Linear in the number of faces and edges.
#pragma once

#include "geometry/point/surface_point.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Whether p lies in the prism that stands on a face.
CAROM_HD bool is_over_face(const HullView& hull, const HullFace& face, Vec3 p) {
  for (int k = 0; k < face.count; ++k) {
    const Vec3 a = hull.vertex[hull.face_vertex[face.first + k]];
    const Vec3 b = hull.vertex[hull.face_vertex[face.first + (k + 1 == face.count ? 0 : k + 1)]];
    if (dot(cross(b - a, p - a), face.normal) < 0) return false;
  }
  return true;
}

// Feature: faces, then edges, then vertices, each with their numbers.
CAROM_HD_LARGE SurfacePoint surface_point_of_hull_border(const HullView& hull, Vec3 p) {
  Vec3 best;
  Real best_squared = -1;
  int feature = 0;
  for (int i = 0; i < hull.edge_count; ++i) {
    const HullEdge& edge = hull.edge[i];
    const Vec3 tail = hull.vertex[edge.tail], along = hull.vertex[edge.head] - tail;
    const Real t = dot(p - tail, along), whole = length_squared(along);
    const Vec3 on = t <= 0 ? tail : t >= whole ? hull.vertex[edge.head] : fma(along, t / whole, tail);
    const Real squared = length_squared(p - on);
    if (best_squared >= 0 && squared >= best_squared) continue;
    best = on;
    best_squared = squared;
    const int vertex = hull.face_count + hull.edge_count + (t <= 0 ? edge.tail : edge.head);
    feature = t <= 0 || t >= whole ? vertex : hull.face_count + i;
  }
  return {best, unit_or(p - best, {0, 0, 1}), sqrt(best_squared), feature};
}

CAROM_HD_LARGE SurfacePoint surface_point_of_hull(const HullView& hull, Vec3 p, Real reach) {
  SurfacePoint best = {p, {0, 0, 1}, 0, -1};
  for (int f = 0; f < hull.face_count; ++f) {
    const HullFace& face = hull.face[f];
    const Real height = dot(face.normal, p) - face.offset;
    if (best.feature >= 0 && height <= best.distance) continue;
    best = {fma(face.normal, -height, p), face.normal, height, f};
  }
  // In front of the face, the farthest plane is a lower bound.
  if (best.distance <= 0 || best.distance >= reach) return best;
  for (int f = 0; f < hull.face_count; ++f) {
    const HullFace& face = hull.face[f];
    const Real height = dot(face.normal, p) - face.offset;
    if (height > 0 && is_over_face(hull, face, p)) return {fma(face.normal, -height, p), face.normal, height, f};
  }
  const SurfacePoint border = surface_point_of_hull_border(hull, p);
  const bool on_border = is_on_surface(p, border.point, square(border.distance));
  return on_border ? best : border;  // the plane of a face has a normal where the border has none
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
