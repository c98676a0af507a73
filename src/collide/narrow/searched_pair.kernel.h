// Contacts of two shapes of which nothing but the signed distance is known: signed distance fields, and meshes and
// heightfields against each other.
//
// A contact is a place where the sum of both distances is least: there the gradients, which are the normals, point in
// opposite directions. It is looked for from the nodes of a grid over the box that both shapes share, downhill with the
// step lengths of J. Barzilai and J. M. Borwein, "Two-point step size gradient methods", 1988, and always midway
// between the two surfaces.
#pragma once

#include "collide/narrow/surface_manifold.kernel.h"
#include "geometry/point/shape.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct SearchedPair {
  const ShapeView& a;
  const Transform& X_WA;
  const ShapeView& b;
  const Transform& X_WB;
  Real reach;  // [m]

  struct Place {
    Vec3 p;                   // midway, world [m]
    Vec3 normal_a, normal_b;  // outwards
    Real distance;            // of the surfaces: the sum of the two
  };

  // What is seen from p, or rather from the middle between the surfaces nearest to it.
  CAROM_HD Place look(Vec3 p) const {
    const SurfacePoint at_a = surface_point(a, to_shape(X_WA, p), kUnbounded);
    const SurfacePoint at_b = surface_point(b, to_shape(X_WB, p), kUnbounded);
    const Vec3 normal_a = rotate(X_WA.q, at_a.normal), normal_b = rotate(X_WB.q, at_b.normal);
    const Vec3 off = (normal_a * at_a.distance + normal_b * at_b.distance) * Real(0.5);
    return {p - off, normal_a, normal_b, at_a.distance + at_b.distance};
  }
  CAROM_HD static Vec3 to_shape(const Transform& X, Vec3 p) { return rotate(conjugate(X.q), p - X.p); }

  enum class Found { kNothing, kEdges, kFaces };

  // Goes downhill from one start. Where both surfaces are smooth it ends with normals that face each other; where not,
  // at an edge or a corner.
  CAROM_HD Found follow(Vec3 start, Real size, ContactPoint& out) const {
    constexpr int kSteps = 40;
    constexpr Real kFacing = Real(0.98), kNearlyFacing = Real(0.5), kFlat = Real(1e-4);
    Place place = look(look(start).p);
    Real step = Real(0.1) * size;
    for (int i = 0; i < kSteps; ++i) {
      const Vec3 gradient = place.normal_a + place.normal_b;
      if (length_squared(gradient) < square(kFlat)) break;
      const Place next = look(place.p - gradient * min(step, Real(0.2) * size / length(gradient)));
      if (!(next.distance < place.distance)) {
        step *= Real(0.3);
        continue;
      }
      const Vec3 moved = next.p - place.p, turned = next.normal_a + next.normal_b - gradient;
      const Real bend = dot(moved, turned);
      step = bend > 0 ? length_squared(moved) / bend : step * 2;
      place = next;
    }
    const Real facing = -dot(place.normal_a, place.normal_b);
    if (facing < kNearlyFacing || !(place.distance < reach)) return Found::kNothing;
    out = {place.p, normalize(place.normal_a - place.normal_b), place.distance, 0};
    return facing > kFacing ? Found::kFaces : Found::kEdges;
  }
};

// lower, upper: the box that both shapes share, in the world. Features: number of the start. Edges count only where no
// faces touch: distance fields have their roundest normals there.
CAROM_HD_LARGE int searched_pair(const SearchedPair& pair, Vec3 lower, Vec3 upper, int room, ContactPoint* out) {
  constexpr int kStarts = 4;  // along each axis
  const Real size = length(upper - lower);
  SurfaceManifold faces(Real(0.05) * size), edges(Real(0.05) * size);
  for (int k = 0; k < kStarts * kStarts * kStarts; ++k) {
    const int node[3] = {k % kStarts, k / kStarts % kStarts, k / (kStarts * kStarts)};
    Vec3 start;
    for (int i = 0; i < 3; ++i) start[i] = fma(upper[i] - lower[i], Real(node[i]) / (kStarts - 1), lower[i]);
    ContactPoint point;
    const SearchedPair::Found found = pair.follow(start, size, point);
    point.feature = k;
    if (found == SearchedPair::Found::kFaces) faces.add(point);
    if (found == SearchedPair::Found::kEdges) edges.add(point);
  }
  return faces.count > 0 ? faces.write(room, out) : edges.write(room, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
