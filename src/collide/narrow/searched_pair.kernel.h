// Contacts of two shapes of which nothing but the signed distance is known: signed distance fields and others.
//
// A contact is a place where the sum of both distances is least: there the gradients, which are the normals, point in
// opposite directions. It is looked for from the nodes of a grid over the box that both shapes share, downhill with the
// step lengths of J. Barzilai and J. M. Borwein, "Two-point step size gradient methods", 1988, and always midway
// between the two surfaces. Where one shape is in the other there may be no such place: then the place that is deepest
// in both of all that were looked at is the contact, along the nearer surface's normal.
#pragma once

#include "collide/narrow/surface_manifold.kernel.h"
#include "geometry/point/shape.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct SearchedPair {
  const ShapeView& a;
  const Transform& X_WA;
  const ShapeView& b;
  const Transform& X_WB;
  Real reach;         // [m]
  Vec3 lower, upper;  // the box that both shapes share, in the world [m]

  struct Place {
    Vec3 p;                   // midway, world [m]
    Vec3 normal_a, normal_b;  // outwards
    Real distance;            // of the surfaces: the sum of the two
    Real shared;              // how far outside of one of the shapes p is at least; negative where it is in both
    bool a_is_nearer;         // to p, of the two surfaces
  };

  // What is seen from p, and the middle between the surfaces nearest to it, unless it is outside of the box: deep in a
  // large shape it may be far from a small one.
  CAROM_HD Place look(Vec3 p) const {
    const SurfacePoint at_a = surface_point(a, to_shape(X_WA, p), kUnbounded);
    const SurfacePoint at_b = surface_point(b, to_shape(X_WB, p), kUnbounded);
    const Vec3 normal_a = rotate(X_WA.q, at_a.normal), normal_b = rotate(X_WB.q, at_b.normal);
    const Vec3 off = (normal_a * at_a.distance + normal_b * at_b.distance) * Real(0.5);
    const Vec3 middle = p - off;
    const bool a_is_nearer = at_a.distance > at_b.distance;
    return {is_in_box(middle) ? middle : p,    normal_a,   normal_b, at_a.distance + at_b.distance,
            max(at_a.distance, at_b.distance), a_is_nearer};
  }
  CAROM_HD bool is_in_box(Vec3 p) const {
    return p.x >= lower.x && p.y >= lower.y && p.z >= lower.z && p.x <= upper.x && p.y <= upper.y && p.z <= upper.z;
  }
  CAROM_HD static Vec3 to_shape(const Transform& X, Vec3 p) { return rotate(conjugate(X.q), p - X.p); }

  // Node k of a grid over the box, with `count` nodes along each axis.
  CAROM_HD Vec3 node(int k, int count) const {
    const int along[3] = {k % count, k / count % count, k / (count * count)};
    Vec3 p;
    for (int i = 0; i < 3; ++i) p[i] = fma(upper[i] - lower[i], Real(along[i]) / Real(count - 1), lower[i]);
    return p;
  }
  // The node that is deepest in both shapes, or nearest to being so.
  CAROM_HD_LARGE Vec3 inmost_node(int count) const {
    Vec3 best = lower;
    Real least = kUnbounded;
    for (int k = 0; k < count * count * count; ++k) {
      const Vec3 p = node(k, count);
      const Real at_a = surface_point(a, to_shape(X_WA, p), kUnbounded).distance;
      if (!(at_a < least)) continue;
      const Real shared = max(at_a, surface_point(b, to_shape(X_WB, p), kUnbounded).distance);
      if (shared < least) least = shared, best = p;
    }
    return best;
  }

  enum class Found { kNothing, kEdges, kFaces };

  // Goes downhill from one start. Where both surfaces are smooth it ends with normals that face each other; where not,
  // at an edge or a corner. `inmost` becomes the place deepest in both shapes, if one here is deeper.
  CAROM_HD Found follow(Vec3 start, Real size, Place& inmost, ContactPoint& out) const {
    constexpr int kSteps = 40;
    constexpr Real kFacing = Real(0.98), kNearlyFacing = Real(0.5), kFlat = Real(1e-4);
    const Place first = look(start);
    if (first.shared < inmost.shared) inmost = first;
    Place place = look(first.p);
    Real step = Real(0.1) * size;
    for (int i = 0; i < kSteps; ++i) {
      const Vec3 gradient = place.normal_a + place.normal_b;
      if (length_squared(gradient) < square(kFlat)) break;
      const Place next = look(place.p - gradient * min(step, Real(0.2) * size / length(gradient)));
      if (next.shared < inmost.shared) inmost = next;
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

// Features: number of the start. Edges count only where no faces touch, or where they overlap and no faces do: distance
// fields have their roundest normals there.
CAROM_HD_LARGE int searched_pair(const SearchedPair& pair, int room, ContactPoint* out) {
  constexpr int kStarts = 4;  // along each axis
  const Real size = length(pair.upper - pair.lower);
  SurfaceManifold faces(Real(0.05) * size), edges(Real(0.05) * size);
  SearchedPair::Place inmost{};
  Real faces_least = 0, edges_least = 0;  // distances
  const auto search_from = [&](Vec3 start, int number) CAROM_HD_LAMBDA {
    ContactPoint point;
    const SearchedPair::Found found = pair.follow(start, size, inmost, point);
    if (found == SearchedPair::Found::kNothing) return;
    const bool by_faces = found == SearchedPair::Found::kFaces;
    Real& least = by_faces ? faces_least : edges_least;
    point.feature = number;
    least = min(least, point.distance);
    (by_faces ? faces : edges).add(point);
  };
  constexpr int kAll = kStarts * kStarts * kStarts;
  for (int k = 0; k < kAll; ++k) search_from(pair.node(k, kStarts), k);
  // Before it is said that they do not overlap, a closer look: what they share may be thin.
  if (faces_least == 0 && edges_least == 0 && inmost.shared >= 0) search_from(pair.inmost_node(3 * kStarts), kAll + 1);
  if (faces_least < 0 || (edges_least == 0 && inmost.shared >= 0 && faces.count > 0)) return faces.write(room, out);
  if (edges_least == 0 && inmost.shared < 0) {
    const Vec3 normal = inmost.a_is_nearer ? inmost.normal_a : -inmost.normal_b;
    edges.add({inmost.p, normal, inmost.distance, kAll});
  }
  return edges.write(room, out);
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
