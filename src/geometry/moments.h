// Volume integrals of solids: 1, x and x x^T over a body, in double. They add and subtract, so a shell is the outer
// solid minus the inner one, and a polyhedron is a sum of tetrahedra (B. Mirtich, "Fast and accurate computation of
// polyhedral mass properties", 1996, has the same integrals by surface reduction).
#pragma once

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

using Vec3d = Vec3T<double>;
using Mat33d = Mat33T<double>;

inline Vec3d to_double(Vec3 v) { return {v.x, v.y, v.z}; }
inline Vec3 to_real(Vec3d v) { return {Real(v.x), Real(v.y), Real(v.z)}; }
inline Vec3d multiply_each(Vec3d a, Vec3d b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

struct Moments {
  double volume = 0;  // [m^3]
  Vec3d first;        // integral of x [m^4]
  Mat33d second;      // integral of x x^T [m^5]
};

inline Moments operator+(const Moments& a, const Moments& b) {
  return {a.volume + b.volume, a.first + b.first, a.second + b.second};
}
inline Moments operator-(const Moments& a, const Moments& b) {
  return {a.volume - b.volume, a.first - b.first, a.second - b.second};
}
inline Moments operator*(const Moments& m, double factor) {
  return {m.volume * factor, m.first * factor, m.second * factor};
}

// The same body moved by d.
inline Moments moved(const Moments& m, Vec3d d) {
  return {m.volume, m.first + d * m.volume, m.second + outer(m.first, d) + outer(d, m.first) + outer(d, d) * m.volume};
}

// Moments of a simplex of dimension n and given measure: the measure times mean of x, and of x x^T, which is
// (sum v v^T + s s^T) / ((n + 1) (n + 2)) with s the sum of the corners v.
inline Moments triangle_moments(Vec3d a, Vec3d b, Vec3d c) {
  const double area = 0.5 * length(cross(b - a, c - a));  // taken as the volume of a sheet one metre thick
  const Vec3d s = a + b + c;
  return {area, s * (area / 3), (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)) * (area / 12)};
}
// The volume is positive when a, b, c are counter-clockwise seen from the side away from d.
inline Moments tetrahedron_moments(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const double volume = -dot(cross(b - a, c - a), d - a) / 6;
  const Vec3d s = a + b + c + d;
  return {volume, s * (volume / 4),
          (outer(a, a) + outer(b, b) + outer(c, c) + outer(d, d) + outer(s, s)) * (volume / 20)};
}

// The solid inside of a closed mesh, and its surface one metre thick; the vertices multiplied by scale.
Moments mesh_moments(const Mesh& mesh, Vec3d scale);
Moments mesh_surface_moments(const Mesh& mesh, Vec3d scale);
// Where the distance is below level [m], inside of the grid. Linear in six tetrahedra per cell: the error is of second
// order in the spacing.
Moments sdf_moments(const SDF& sdf, double scale, double level);

}  // namespace carom::inline CAROM_PRECISION
