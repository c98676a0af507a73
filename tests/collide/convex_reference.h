// Convex shapes as the tests of the narrow phase see them: support functions and containment written a second time, in
// double and in the world, a search for the least depth that knows no algorithm, and random pairs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "collide/narrow/convex_convex.kernel.h"
#include "double3.h"
#include "geometry/hull_topology.h"
#include "tests/random.h"

namespace carom::test {

inline Double3 turn(Quat q, Double3 v) {  // by a quaternion that need not have length 1 exactly
  const Double3 u{q.x, q.y, q.z}, t = cross(u, v) * 2;
  return v + t * double(q.w) + cross(u, t);
}
inline Double3 turn_back(Quat q, Double3 v) { return turn(conjugate(q), v); }

struct TestShape {
  ShapeType type = ShapeType::kSphere;
  Vec3 scale;
  HullArrays hull;
  GeometryView geometry{};

  ShapeView view() {
    if (type == ShapeType::kConvexHull) geometry.hull = hull.view();
    return {type, scale, type == ShapeType::kConvexHull ? &geometry : nullptr};
  }
  double size() const {
    double reach = std::max({scale.x, scale.y, scale.z});
    for (const Vec3& v : hull.vertex) reach = std::max(reach, length(Double3(v)));
    return reach;
  }

  // What merged faces of a hull may change of a distance [m].
  double flatness() const { return type == ShapeType::kConvexHull ? kFlatFace * size() : 0; }

  // The farthest point along d, in the shape's frame.
  Double3 support(Double3 d) const {
    const double x = scale.x, y = scale.y, z = scale.z, radial = std::sqrt(d.x * d.x + d.y * d.y);
    const auto sign = [](double v) { return v < 0 ? -1.0 : 1.0; };
    const auto rim = [&](double h) {
      return radial > 0 ? Double3{x * d.x / radial, x * d.y / radial, h} : Double3{0, 0, h};
    };
    switch (type) {
      case ShapeType::kSphere: return d * (x / length(d));
      case ShapeType::kCapsule: return d * (x / length(d)) + Double3{0, 0, y * sign(d.z)};
      case ShapeType::kEllipsoid:
        return Double3{x * x * d.x, y * y * d.y, z * z * d.z} * (1 / length({x * d.x, y * d.y, z * d.z}));
      case ShapeType::kCylinder: return rim(y * sign(d.z));
      case ShapeType::kBox: return {x * sign(d.x), y * sign(d.y), z * sign(d.z)};
      case ShapeType::kPlane: return {x / 2 * sign(d.x), y / 2 * sign(d.y), 0};
      case ShapeType::kCone: return dot(rim(-y), d) > y * d.z ? rim(-y) : Double3{0, 0, y};
      default: {
        double most = -std::numeric_limits<double>::infinity();
        Double3 farthest;
        for (const Vec3& v : hull.vertex) {
          const double along = dot(Double3(v), d);
          if (along > most) most = along, farthest = Double3(v);
        }
        return farthest;
      }
    }
  }

  // How far a point is outside, about; negative inside.
  double outside(Double3 p) const {
    const double x = scale.x, y = scale.y, z = scale.z, radial = std::hypot(p.x, p.y);
    switch (type) {
      case ShapeType::kSphere: return length(p) - x;
      case ShapeType::kCapsule: return std::hypot(radial, std::max(std::abs(p.z) - y, 0.0)) - x;
      case ShapeType::kEllipsoid: return (std::hypot(p.x / x, p.y / y, p.z / z) - 1) * std::min({x, y, z});
      case ShapeType::kCylinder: return std::max(radial - x, std::abs(p.z) - y);
      case ShapeType::kBox: return std::max({std::abs(p.x) - x, std::abs(p.y) - y, std::abs(p.z) - z});
      case ShapeType::kPlane: return std::max({std::abs(p.x) - x / 2, std::abs(p.y) - y / 2, std::abs(p.z)});
      case ShapeType::kCone: return std::max(-y - p.z, (2 * y * radial - x * (y - p.z)) / std::hypot(x, 2 * y));
      default: {
        double most = -1e30;
        for (const HullFace& f : hull.face) most = std::max(most, dot(Double3(f.normal), p) - double(f.offset));
        return most;
      }
    }
  }

  // Directions where the search should look: normals of flat parts, and directions of edges.
  std::vector<Double3> normals() const {
    if (type == ShapeType::kBox || type == ShapeType::kPlane) return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (type == ShapeType::kCylinder || type == ShapeType::kCone) return {{0, 0, 1}};
    std::vector<Double3> all;
    for (const HullFace& f : hull.face) all.push_back(Double3(f.normal));
    return all;
  }
  std::vector<Double3> edges() const {
    if (type == ShapeType::kConvexHull) {
      std::vector<Double3> all;
      for (const HullEdge& e : hull.edge) all.push_back(Double3(hull.vertex[e.head]) - Double3(hull.vertex[e.tail]));
      return all;
    }
    if (type == ShapeType::kCapsule) return {{0, 0, 1}};
    return normals();
  }
};

struct Posed {
  TestShape shape;
  Transform X;

  Double3 support(Double3 d) const { return Double3(X.p) + turn(X.q, shape.support(turn_back(X.q, d))); }
  double outside(Double3 p) const { return shape.outside(turn_back(X.q, p - Double3(X.p))); }
};

// How far apart two shapes are along a unit vector. The greatest of all directions is the signed distance.
inline double separation(const Posed& a, const Posed& b, Double3 n) { return dot(b.support(n * -1) - a.support(n), n); }

// The greatest separation that a search finds: never more than the signed distance.
inline double searched_distance(const Posed& a, const Posed& b, FixedRandom& random) {
  std::vector<Double3> directions;
  const auto add = [&](Double3 d) {
    if (length(d) > 1e-9) directions.push_back(unit(d)), directions.push_back(unit(d) * -1);
  };
  for (int i = 0; i < 60; ++i) add({random.normal(), random.normal(), random.normal()});
  for (const Double3& n : a.shape.normals()) add(turn(a.X.q, n));
  for (const Double3& n : b.shape.normals()) add(turn(b.X.q, n));
  const std::vector<Double3> edges_a = a.shape.edges(), edges_b = b.shape.edges();
  const std::size_t crossings = edges_a.size() * edges_b.size(), stride = 1 + crossings / 4000;  // of large hulls, some
  for (std::size_t i = random.next_bits() % stride; i < crossings; i += stride) {
    add(cross(turn(a.X.q, edges_a[i % edges_a.size()]), turn(b.X.q, edges_b[i / edges_a.size()])));
  }
  add(Double3(b.X.p) - Double3(a.X.p));
  Double3 best = directions[0];
  double most = -std::numeric_limits<double>::infinity();
  for (const Double3& d : directions) {
    const double s = separation(a, b, d);
    if (s > most) most = s, best = d;
  }
  double step = 0.2;  // a random walk uphill
  for (int i = 0; i < 200; ++i) {
    const Double3 d = unit(best + Double3{random.normal(), random.normal(), random.normal()} * step);
    const double s = separation(a, b, d);
    if (s > most) most = s, best = d;
    else step = std::max(step * 0.93, 1e-8);
  }
  return most;
}

// -- Random shapes

constexpr ShapeType kConvexTypes[] = {ShapeType::kSphere,     ShapeType::kCapsule, ShapeType::kEllipsoid,
                                      ShapeType::kCylinder,   ShapeType::kBox,     ShapeType::kCone,
                                      ShapeType::kConvexHull, ShapeType::kPlane};

class RandomShapes {
 public:
  explicit RandomShapes(std::uint64_t seed) : random(seed) {}

  double uniform(double low, double high) { return random.uniform(low, high); }
  int integer(int count) { return random.below(count); }
  Vec3 vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return {Real(x), Real(y), Real(z)};
  }
  Quat rotation() {
    const double x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1), w = uniform(-1, 1);
    return normalize(Quat{Real(x), Real(y), Real(z), Real(w)});
  }
  // One of 24 rotations that map axes onto axes.
  Quat aligned() {
    const Real h = Real(std::sqrt(0.5));
    const Quat turns[] = {{0, 0, 0, 1}, {h, 0, 0, h}, {0, h, 0, h}, {0, 0, h, h}};
    const int i = integer(4), j = integer(4), k = integer(4);
    return normalize(turns[i] * turns[j] * turns[k]);
  }

  TestShape shape(ShapeType type, double size) {
    TestShape s;
    s.type = type;
    const double x = uniform(0.2, 1), y = uniform(0.2, 1), z = uniform(0.2, 1);
    s.scale = {Real(size * x), Real(size * y), Real(size * z)};
    if (type == ShapeType::kConvexHull) {
      std::vector<Vec3> points;
      const int count = integer(8) ? 4 + integer(30) : 100;
      for (int i = 0; i < count + 4; ++i) points.push_back(vector(1));
      s.hull = build_hull_arrays(convex_hull(Mesh(points, {})), s.scale);
    }
    return s;
  }

  // Two shapes of sizes 1e-3 ... 1e3, some far from the origin, some with parallel axes: deep, shallow, touching,
  // apart.
  struct Pair {
    Posed a, b;
    double scale;  // the larger size, and in float the coordinates, which have its rounding [m]
  };
  Pair pair(ShapeType type_a, ShapeType type_b, int number) {
    const double size = random.log_uniform(1e-3, 1e3), ratio = number % 5 == 0 ? random.log_uniform(0.1, 10) : 1;
    const bool parallel = number % 3 == 0;
    Pair p{{shape(type_a, size), {}}, {shape(type_b, size * ratio), {}}, 0};
    const double sum = p.a.shape.size() + p.b.shape.size(), apart[] = {0.1, 0.6, 1.0, 1.5};
    const Vec3 offset = vector(sum * apart[number % 4] * 0.7);
    p.a.X = {vector(number % 7 == 0 ? 10 * size : 0), parallel ? aligned() : rotation()};
    p.b.X = {p.a.X.p + offset, parallel ? aligned() : rotation()};
    if (number % 6 == 0) p.b.X.p = p.a.X.p + Vec3{0, 0, abs(offset.z)};
    if (number % 11 == 5) p.b.X.p.z -= Real(separation(p.a, p.b, {0, 0, 1}));
    p.scale = std::max(p.a.shape.size(), p.b.shape.size());
    if (sizeof(Real) == 4) p.scale += length(Double3(p.a.X.p));
    return p;
  }

  SeededRandom random;
};

// What the narrow phase may err by, relative to the size of the shapes.
constexpr double kDistanceError = sizeof(Real) == 8 ? 1e-7 : 2e-5;

inline ConvexDistance distance_of(Posed& a, Posed& b) {
  return convex_distance(a.shape.view(), a.X, b.shape.view(), b.X);
}
inline Posed primitive(ShapeType type, Vec3 scale, Transform X) { return {{type, scale, {}, {}}, X}; }

}  // namespace carom::test
