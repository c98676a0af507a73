// The point of a shape's surface that is nearest to a given one: what the functions of this folder find, all of them in
// the frame of the shape.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct SurfacePoint {
  Vec3 point;     // on the surface [m]
  Vec3 normal;    // unit, outwards: the gradient of the distance, also on the surface and in the solid
  Real distance;  // from the surface, negative in the solid [m]
  int feature;    // which part of the surface; numbers are explained with each shape
};

// Squares of lengths below 1e-15 m are near the end of float's range: they have no direction.
inline constexpr Real kNoLengthSquared = Real(1e-30);

CAROM_HD Vec3 unit_or(Vec3 v, Vec3 otherwise) {
  return length_squared(v) > kNoLengthSquared ? normalize(v) : otherwise;
}

// Points that are nearer to the surface than rounding of their coordinates have no direction to it.
CAROM_HD bool is_on_surface(Vec3 p, Vec3 surface, Real distance_squared) {
  constexpr Real kRounding = sizeof(Real) == 4 ? Real(1e-6) : Real(2e-15);
  const Vec3 size = max(abs(p), abs(surface));
  const Real noise = kRounding * max(size.x, max(size.y, size.z));
  return distance_squared <= max(noise * noise, kNoLengthSquared);
}

// Solids of revolution about z are solved in the half plane of the axis, radius and height; `outward` is where p lies.
struct HalfPlane {
  Vec3 outward;  // unit, across z; x for points on the axis
  Real radius;   // of p [m]

  CAROM_HD explicit HalfPlane(Vec3 p) {
    radius = sqrt(fma(p.x, p.x, p.y * p.y));
    const bool off_axis = radius * radius > kNoLengthSquared;
    const Real inv = Real(1) / (off_axis ? radius : Real(1));
    outward = off_axis ? Vec3{p.x * inv, p.y * inv, 0} : Vec3{1, 0, 0};
  }
  CAROM_HD Vec3 at(Real r, Real z) const { return {outward.x * r, outward.y * r, z}; }
};

CAROM_HD Real sign_of(Real a) { return a < 0 ? Real(-1) : Real(1); }

}  // namespace carom::inline CAROM_PRECISION
