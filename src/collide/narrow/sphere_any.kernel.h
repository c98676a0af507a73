// A sphere against a shape of any type: the shape's surface point nearest to the centre.
//
// Surfaces of triangles may be touched in several places at once, as in a valley: each local minimum of the distance
// from the centre is one contact. Over a face that is the foot of the perpendicular. On a side or in a corner it is a
// place from where no triangle around goes nearer to the centre, so that the sides within a flat surface, and those
// that the sphere rests beside, give nothing.
#pragma once

#include "collide/contact_point.h"
#include "collide/narrow/reduce.kernel.h"
#include "geometry/point/shape.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace spheres {

// Places of a surface with different normals, in the frame of the shape.
struct Touches {
  static constexpr Real kSameNormal = Real(0.999);  // within 2.6 degrees a sphere is touched in one place
  SurfacePoint at[kMaxManifold];
  int count = 0;

  // Of places with one normal, and where there is no room, the nearer one stays.
  CAROM_HD void add(const SurfacePoint& s) {
    int slot = count, farthest = 0;
    for (int i = 0; i < count; ++i) {
      if (dot(at[i].normal, s.normal) > kSameNormal) slot = i;
      if (at[i].distance > at[farthest].distance) farthest = i;
    }
    if (slot == kMaxManifold) slot = farthest;
    if (slot == count) at[count++] = s;
    else if (s.distance < at[slot].distance) at[slot] = s;
  }
};

// Whether side k of the triangle is known to be flat or a valley.
CAROM_HD bool side_is_flat(const MeshView& mesh, int triangle, int k) {
  return !(mesh.triangle_flags[triangle] >> k & 1);
}
CAROM_HD bool side_is_flat(const HeightfieldView&, int, int) { return false; }

// Looks at one triangle nearer to the centre p than reach.
template <class Surface>
CAROM_HD_STAGE void touch_triangle(const Surface& surface, int triangle, const TriangleCorners& t, Vec3 p, Real reach,
                                   Touches& touches) {
  const TrianglePoint at = nearest_of_triangle(t, p);
  if (!(at.distance_squared < reach * reach)) return;
  const Vec3 away = p - at.point, face_normal = unit_normal(t);
  const Real distance = sqrt(at.distance_squared);
  const int feature = 8 * triangle + at.part;
  if (at.part == kFacePart) {
    if (dot(away, face_normal) > 0) touches.add({at.point, face_normal, distance, feature});
    return;
  }
  const bool flat = at.part >= kSidePart && side_is_flat(surface, triangle, at.part - kSidePart);
  // From a flat side the face beyond goes nearer unless p stands upright over it: no need to look.
  if (flat && length_squared(cross(away, face_normal)) > Real(1e-6) * at.distance_squared) return;
  const SurfaceAround around = surface_around(surface, t, at.part, p);
  const bool behind = dot(away, around.pseudonormal) < 0 && !around.border;
  if (around.nearest.triangle != triangle || behind) return;
  // Where p stands upright over the face but for rounding, `away` leans by that rounding.
  const bool upright = is_on_surface(p, at.point, length_squared(cross(away, face_normal)));
  touches.add({at.point, flat || upright ? face_normal : normalize(away), distance, feature});
}

template <class Surface>
CAROM_HD void touch_triangles(const Surface& surface, Vec3 p, Real reach, Touches& touches) {
  const Vec3 around = {reach, reach, reach};
  triangles_in_box(surface, p - around, p + around, [&](int triangle, const TriangleCorners& t) CAROM_HD_LAMBDA {
    touch_triangle(surface, triangle, t, p, reach, touches);
  });
}

}  // namespace spheres

// A sphere (first) and shape b (second). Lists the points that are nearer than reach in `out`, one, or for meshes and
// heightfields up to kMaxManifold, in the order of their features, and returns their number. When the centre is in the
// solid, the one nearest way out counts.
CAROM_HD_LARGE int sphere_any(Vec3 center_W, Real radius, const ShapeView& b, const Transform& X_WB, Real reach,
                              ContactPoint* out) {
  const Vec3 p = rotate_inverse(X_WB.q, center_W - X_WB.p);
  const Real far = radius + reach;
  spheres::Touches touches;
  const SurfacePoint nearest = surface_point(b, p, far);
  if (!(nearest.distance < far)) return 0;
  const bool outside = nearest.distance > 0;
  if (outside && b.type == ShapeType::kMesh) spheres::touch_triangles(b.geometry->mesh, p, far, touches);
  if (outside && b.type == ShapeType::kHeightfield) spheres::touch_triangles(b.geometry->heightfield, p, far, touches);
  touches.add(nearest);

  for (int i = 0; i < touches.count; ++i) {
    const SurfacePoint& s = touches.at[i];
    const Vec3 normal = -rotate(X_WB.q, s.normal);
    const Real distance = s.distance - radius;
    out[i] = {fma(normal, Real(-0.5) * distance, transform_point(X_WB, s.point)), normal, distance, s.feature};
  }
  sort_by_feature(out, touches.count);
  return touches.count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
