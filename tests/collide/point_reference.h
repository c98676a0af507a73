// Signed distances from a point to the shapes of the differential test, in double: closed forms, bisection, brute
// force.
#pragma once

#include "collide/differential_shapes.h"

namespace carom::test {

inline double nearest_distance(const std::vector<Triangle>& triangles, Double3 p) {
  double least = 1e300;
  for (const Triangle& t : triangles) least = std::min(least, length(p - t.nearest(p)));
  return least;
}

// The nearest point x of p has p_i = x_i (1 + t / e_i^2) with one t; |x_i / e_i| = 1 has its root between the bounds.
inline double ellipsoid_distance(Double3 p, const double* e) {
  const double q[3] = {std::abs(p.x), std::abs(p.y), std::abs(p.z)};
  const double least = std::min({e[0], e[1], e[2]});
  const auto at = [&](double t, int i) { return e[i] * e[i] * q[i] / std::max(t + e[i] * e[i], 1e-300); };
  const auto excess = [&](double t) {
    double sum = -1;
    for (int i = 0; i < 3; ++i) sum += at(t, i) / e[i] * (at(t, i) / e[i]);
    return sum;
  };
  double low = -least * least, high = length(p) * std::max({e[0], e[1], e[2]}) + least;
  for (int k = 0; k < 200 && high - low > 1e-15 * (std::abs(low) + std::abs(high)); ++k) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0 ? low : high) = middle;
  }
  double x[3], rest = 1;
  for (int i = 0; i < 3; ++i) x[i] = at(high, i), rest -= e[i] == least ? 0 : x[i] / e[i] * (x[i] / e[i]);
  // On the middle plane of the shortest axis the nearest point may lie off it.
  for (int i = 0; i < 3; ++i)
    if (e[i] == least && q[i] < 1e-12 * least && excess(-least * least * (1 - 1e-12)) < 0)
      x[i] = e[i] * std::sqrt(std::max(rest, 0.0));
  const double d = length({q[0] - x[0], q[1] - x[1], q[2] - x[2]});
  return excess(0) < 0 ? -d : d;
}

inline double cone_distance(double radial, double z, double r, double h) {
  const Triangle profile{{{0, h, 0}, {r, -h, 0}, {0, -h, 0}}};
  const Double3 p{radial, z, 0};
  const auto to_segment = [&](Double3 a, Double3 b) {
    return length(p - a - (b - a) * std::clamp(dot(p - a, b - a) / dot(b - a, b - a), 0.0, 1.0));
  };
  const double d =
      std::min(to_segment(profile.corner[0], profile.corner[1]), to_segment(profile.corner[1], profile.corner[2]));
  return z > -h && 2 * h * radial < r * (h - z) ? -d : d;
}

// p: in the frame of the shape. Planes are solid below, those with sides only between them.
inline double point_distance(const AnyShape& s, Double3 p) {
  const Vec3 scale = s.posed.shape.scale;
  const double e[3] = {double(scale.x), double(scale.y), double(scale.z)}, radial = std::hypot(p.x, p.y);
  switch (s.kind) {
    case Kind::kPlane: return p.z;
    case Kind::kRectangle: {
      const double x = std::max(std::abs(p.x) - e[0] / 2, 0.0), y = std::max(std::abs(p.y) - e[1] / 2, 0.0);
      return x == 0 && y == 0 ? p.z : length({x, y, p.z});
    }
    case Kind::kSphere: return length(p) - e[0];
    case Kind::kCapsule: return std::hypot(radial, std::max(std::abs(p.z) - e[1], 0.0)) - e[0];
    case Kind::kBox: {
      const double x = std::abs(p.x) - e[0], y = std::abs(p.y) - e[1], z = std::abs(p.z) - e[2];
      return std::min(std::max({x, y, z}), 0.0) + length({std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0)});
    }
    case Kind::kCylinder: {
      const double x = radial - e[0], z = std::abs(p.z) - e[1];
      return std::min(std::max(x, z), 0.0) + std::hypot(std::max(x, 0.0), std::max(z, 0.0));
    }
    case Kind::kCone: return cone_distance(radial, p.z, e[0], e[1]);
    case Kind::kEllipsoid: return ellipsoid_distance(p, e);
    case Kind::kHull: return nearest_distance(s.triangles, p) * (s.posed.shape.outside(p) < 0 ? -1 : 1);
    case Kind::kMesh: return nearest_distance(s.triangles, p) * (winds_around(s.faces, p) ? -1 : 1);
    case Kind::kField: return nearest_distance(s.triangles, p) * (p.z < height_at(s.triangles, p) ? -1 : 1);
    case Kind::kSdf: return field_value(*s.sdf, p);
  }
  return 0;
}

}  // namespace carom::test
