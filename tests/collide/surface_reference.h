// Surfaces of triangles and signed distance fields as the differential test sees them: brute force over every triangle,
// in double. Distances of a convex core come from the proven search of least_depth.h, triangle by triangle.
#pragma once

#include "collide/least_depth.h"
#include "geometry/test_shapes.h"

namespace carom::test {

struct Triangle {
  Double3 corner[3];

  Double3 normal() const { return unit(cross(corner[1] - corner[0], corner[2] - corner[0])); }
  Double3 middle() const { return (corner[0] + corner[1] + corner[2]) * (1.0 / 3); }
  double radius() const {
    const Double3 m = middle();
    return std::max({length(corner[0] - m), length(corner[1] - m), length(corner[2] - m)});
  }
  Double3 support(Double3 n) const {
    const double x = dot(corner[0], n), y = dot(corner[1], n), z = dot(corner[2], n);
    return x >= y ? (x >= z ? corner[0] : corner[2]) : (y >= z ? corner[1] : corner[2]);
  }
  // The sine of half the smallest angle.
  double sharpness() const {
    double least = 1;
    for (int k = 0; k < 3; ++k) {
      const Double3 u = unit(corner[(k + 1) % 3] - corner[k]), v = unit(corner[(k + 2) % 3] - corner[k]);
      least = std::min(least, 0.5 * length(u - v));
    }
    return least;
  }
  // How far a point is inside of the nearest side, seen along the normal, over the height of the triangle there.
  double inside(Double3 p) const {
    const Double3 n = normal();
    double least = 1e300;
    for (int k = 0; k < 3; ++k) {
      const Double3 a = corner[k], b = corner[(k + 1) % 3], c = corner[(k + 2) % 3];
      least = std::min(least, dot(cross(b - a, p - a), n) / dot(cross(b - a, c - a), n));
    }
    return least;
  }
  Double3 nearest(Double3 p) const {
    if (inside(p) >= 0) {
      const Double3 n = normal();
      return p - n * dot(p - corner[0], n);
    }
    Double3 best;
    double least = 1e300;
    for (int k = 0; k < 3; ++k) {
      const Double3 a = corner[k], e = corner[(k + 1) % 3] - a;
      const Double3 q = a + e * std::clamp(dot(p - a, e) / dot(e, e), 0.0, 1.0);
      if (length(p - q) < least) least = length(p - q), best = q;
    }
    return best;
  }
};

// Whether closed triangles wind around p.
inline bool winds_around(const std::vector<testing_shapes::Face3>& faces, Double3 p) {
  return testing_shapes::winding_number({p.x, p.y, p.z}, faces) > 0.5;
}

// The height of triangles that lie side by side over the xy plane; -1e300 beside them.
inline double height_at(const std::vector<Triangle>& field, Double3 p) {
  for (const Triangle& t : field) {
    const Double3 n = cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
    const auto left = [&](int k) {
      const Double3 a = t.corner[k], b = t.corner[(k + 1) % 3];
      return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) >= 0;
    };
    if (left(0) && left(1) && left(2))
      return t.corner[0].z - (n.x * (p.x - t.corner[0].x) + n.y * (p.y - t.corner[0].y)) / n.z;
  }
  return -1e300;
}

// The way from one segment, and from one triangle, to another that it does not cross.
inline void keep_shorter(Double3 way, Double3& best) {
  if (dot(way, way) < dot(best, best)) best = way;
}
inline Double3 way_between_segments(Double3 a, Double3 b, Double3 c, Double3 d) {
  const Double3 u = b - a, v = d - c, r = a - c;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
  const double across = uu * vv - uv * uv;
  double s = across > 1e-14 * uu * vv ? std::clamp((uv * vr - ur * vv) / across, 0.0, 1.0) : 0;
  double t = std::clamp((uv * s + vr) / vv, 0.0, 1.0);
  s = std::clamp((uv * t - ur) / uu, 0.0, 1.0);
  Double3 best = c + v * t - a - u * s;
  for (const Double3 p : {a, b}) keep_shorter(c + v * std::clamp(dot(p - c, v) / vv, 0.0, 1.0) - p, best);
  return best;
}
inline Double3 way_between(const Triangle& a, const Triangle& b) {
  Double3 best{1e150, 0, 0};
  for (int i = 0; i < 3; ++i) {
    keep_shorter(b.nearest(a.corner[i]) - a.corner[i], best);
    keep_shorter(b.corner[i] - a.nearest(b.corner[i]), best);
    for (int k = 0; k < 3; ++k)
      keep_shorter(way_between_segments(a.corner[i], a.corner[(i + 1) % 3], b.corner[k], b.corner[(k + 1) % 3]), best);
  }
  return best;
}
// Whether a side of one goes through the other: both of its ends and the rim of the other are farther from where it
// does than `by`.
inline bool crosses(const Triangle& a, const Triangle& b, double by) {
  const Double3 n = b.normal();
  for (int k = 0; k < 3; ++k) {
    const Double3 p = a.corner[k], e = a.corner[(k + 1) % 3] - p;
    const double from = dot(p - b.corner[0], n), to = from + dot(e, n);
    if (from * to >= 0 || std::min(std::abs(from), std::abs(to)) <= by) continue;
    const Double3 at = p + e * (from / (from - to));
    double to_rim = 1e300;
    for (int m = 0; m < 3; ++m) {
      const Double3 side = b.corner[(m + 1) % 3] - b.corner[m];
      to_rim = std::min(to_rim, dot(cross(side, at - b.corner[m]), n) / length(side));
    }
    if (to_rim > by) return true;
  }
  return false;
}

// -- A convex core and triangles, all relative to the place of the core.

struct SurfaceDistance {
  double distance = 1e300;  // of the nearest triangle; negative where one is cut by the core
  Double3 normal;           // from the core to the triangle
  int triangle = -1;
  bool unique = true, certain = true;
};

inline LeastDepth core_to_triangle(const TurnedCore& core, const Triangle& t, const std::vector<Double3>& hints,
                                   const DepthLimits& limits) {
  const auto support = [&](Double3 n) { return core.support(n) - t.support(n * -1); };
  DepthSearch search(support, limits);
  const Double3 near = t.nearest({});
  if (length(near) > 0) search.hint(unit(near));
  for (const Double3& n : hints) search.hint(n);
  return search.run();
}

// The triangle nearest to the core; once one is cut, no further ones are looked at.
inline SurfaceDistance nearest_triangle_of(const TurnedCore& core, double core_size, const std::vector<Triangle>& all,
                                           double size, const std::vector<Double3>& hints) {
  std::vector<std::pair<double, int>> order;
  double large = core_size;
  for (std::size_t i = 0; i < all.size(); ++i) order.push_back({length(all[i].nearest({})) - core_size, int(i)});
  std::sort(order.begin(), order.end());
  const double clear = kUniqueBy * size;
  SurfaceDistance best;
  std::vector<SurfaceDistance> rivals;
  for (const auto& [least, i] : order) {
    if (least > best.distance + clear || best.distance < 0) break;
    large = std::max(large, length(all[i].corner[0]));
    std::vector<Double3> directions = hints;
    if (best.triangle >= 0) directions.push_back(best.normal);
    const double enough = -(best.distance + clear + core.radius);
    const LeastDepth found = core_to_triangle(
        core, all[i], directions, {.epsilon = std::max(1e-7 * size, 1e-14 * large), .clear = clear, .enough = enough});
    best.certain = best.certain && found.certain;
    const double distance = -found.depth - core.radius;
    if (distance > best.distance + clear) continue;
    rivals.push_back({distance, found.normal, i, found.unique, true});
    if (distance < best.distance) best = {distance, found.normal, i, true, best.certain};
  }
  for (const SurfaceDistance& r : rivals) {
    if (r.distance < best.distance + clear && (!r.unique || dot(r.normal, best.normal) < std::cos(kApart)))
      best.unique = false;
  }
  return best;
}

// The greatest depth of the shape below a face, by what docs/collisions.md says: along the normal of a face that its
// core cuts, its centre before it, where its farthest point lies over the face and no other way out of the triangle is
// less than half as long: that one would lead over a side, to a face which is cut less. 0 where there is none.
inline double depth_below_faces(const TurnedCore& core, Double3 center, const std::vector<Triangle>& all, double size) {
  double most = 0;
  for (const Triangle& t : all) {
    const Double3 n = t.normal(), farthest = core.support(n * -1) - n * core.radius;
    const double depth = dot(t.corner[0] - farthest, n);
    if (depth <= most || t.inside(farthest) < 1e-3 || dot(center - t.corner[0], n) < 1e-3 * size) continue;
    const LeastDepth cut = core_to_triangle(core, t, {n * -1}, {.epsilon = 1e-6 * size, .clear = 0, .enough = 0});
    if (cut.depth > std::max(1e-4 * size, 0.501 * (depth - core.radius))) most = depth;
  }
  return most;
}

// -- Signed distance fields: trilinear, beyond the grid the distance to it is added.
inline double field_value(const SdfArrays& sdf, Double3 p) {
  const double at[3] = {p.x, p.y, p.z};
  const int count[3] = {sdf.nx, sdf.ny, sdf.nz};
  int cell[3];
  double part[3], beyond = 0;
  for (int i = 0; i < 3; ++i) {
    const double u = (at[i] - double(sdf.origin[i])) / double(sdf.spacing),
                 v = std::clamp(u, 0.0, double(count[i] - 1));
    cell[i] = std::min(int(v), count[i] - 2);
    part[i] = v - cell[i];
    beyond += (u - v) * (u - v);
  }
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    const int i = k & 1, j = k >> 1 & 1, l = k >> 2;
    const double weight = (i ? part[0] : 1 - part[0]) * (j ? part[1] : 1 - part[1]) * (l ? part[2] : 1 - part[2]);
    sum += weight * double(sdf.value[(std::size_t(cell[2] + l) * sdf.ny + cell[1] + j) * sdf.nx + cell[0] + i]);
  }
  return sum + std::sqrt(beyond) * double(sdf.spacing);
}

}  // namespace carom::test
