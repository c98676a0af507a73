// What the functions for pairs of shapes share.
#pragma once

#include "backend/world_lanes.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// One point where two shapes are close.
template <class F>
struct HitT {
  Vec3T<F> point;   // midway between the surfaces [m]
  Vec3T<F> normal;  // from the pair's first shape to its second
  F distance;       // between the surfaces, negative when they overlap [m]
};

// Two spheres, the second one at d from the first: what was not added to a place in the world has not its rounding.
// aside() is the normal of coincident centres. They are rare, and only they pay for it.
template <class F, class Aside>
CAROM_HD HitT<F> hit_of_spheres(Vec3T<F> center0, F radius0, Vec3T<F> d, F radius1, Aside aside) {
  const F distance = length(d);
  const auto apart = distance > F(0);
  const F inv = F(1) / select(apart, distance, F(1));
  Vec3T<F> normal = d * inv;
  if (any(!apart)) normal = select(apart, normal, aside());
  const F gap = distance - radius0 - radius1;
  return {fma(normal, radius0 + gap * F(0.5), center0), normal, gap};
}

// A plane through p with unit normal n, and a sphere.
template <class F>
CAROM_HD HitT<F> hit_of_plane_and_sphere(Vec3T<F> p, Vec3T<F> n, Vec3T<F> center, F radius) {
  const F gap = dot(center - p, n) - radius;
  return {fma(n, -(radius + gap * F(0.5)), center), n, gap};
}

// A direction across two unit axes.
template <class F>
CAROM_HD Vec3T<F> across_axes(Vec3T<F> a, Vec3T<F> b) {
  const Vec3T<F> across = cross(a, b);
  return select(length_squared(across) > F(0), normalize(across), Vec3T<F>{F(1), F(0), F(0)});
}

}  // namespace carom::inline CAROM_PRECISION
