// Triangle meshes. Which side of the surface a point is on comes from the pseudonormal of the nearest feature.
//
// A closed mesh is solid, to any depth. An open one is a sheet that is solid just behind: no deeper than reach, and not
// beyond its border, beside of which there is nothing.
#pragma once

#include "geometry/point/triangles.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD_LARGE SurfacePoint surface_point_of_mesh(const MeshView& mesh, Vec3 p, Real reach) {
  NearestTriangle nearest = nearest_triangle(mesh, p, reach);
  if (nearest.triangle < 0 && mesh.closed && distance_squared_to_box(p, mesh.node[0].lower, mesh.node[0].upper) <= 0) {
    nearest = nearest_triangle(mesh, p, kUnbounded);  // p may be deep inside
  }
  if (nearest.triangle < 0) return {p, {0, 0, 1}, reach, -1};

  const TriangleCorners t = triangle_corners(mesh, nearest.triangle);
  const int part = nearest.at.part;
  const Vec3 face_normal = unit_normal(t);
  if (part == kFacePart) {
    return surface_point_at(nearest, p, face_normal, dot(p - nearest.at.point, face_normal) < 0);
  }
  const SurfaceAround around = surface_around(mesh, t, part, p);
  const bool behind = dot(p - nearest.at.point, around.pseudonormal) < 0;
  const bool inside = behind && (mesh.closed || !around.border);
  // Over a flat side the direction to p is the face's normal, but for rounding.
  const bool flat = part >= kSidePart && !(mesh.triangle_flags[nearest.triangle] >> (part - kSidePart) & 1);
  NearestTriangle at = nearest;
  if (flat && !inside) at.at.part = kFacePart;
  SurfacePoint s = surface_point_at(at, p, flat ? face_normal : unit_or(around.pseudonormal, face_normal), inside);
  s.feature = 8 * nearest.triangle + part;
  return s;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
