// Shapes for tests of kernels, each with independent knowledge of itself in double: a function that is negative in the
// solid and zero on the surface, and points of the surface.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "geometry/field_arrays.h"
#include "geometry/mesh_tree.h"
#include "geometry/moments.h"
#include "geometry/shape_view.h"
#include "tests/random.h"

namespace carom::inline CAROM_PRECISION::testing_shapes {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

// -- Triangles, the slow way.

struct Face3 {
  Vec3d a, b, c;
};

inline double segment_distance(Vec3d p, Vec3d a, Vec3d b) {
  const double t = std::clamp(dot(p - a, b - a) / length_squared(b - a), 0.0, 1.0);
  return length(p - (a + (b - a) * t));
}

inline double triangle_distance(Vec3d p, const Face3& f) {
  const Vec3d n = normalize(cross(f.b - f.a, f.c - f.a));
  const auto left_of = [&](Vec3d a, Vec3d b) { return dot(cross(b - a, p - a), n) >= 0; };
  if (left_of(f.a, f.b) && left_of(f.b, f.c) && left_of(f.c, f.a)) return std::abs(dot(p - f.a, n));
  return std::min({segment_distance(p, f.a, f.b), segment_distance(p, f.b, f.c), segment_distance(p, f.c, f.a)});
}

inline double nearest_distance(Vec3d p, const std::vector<Face3>& faces) {
  double least = std::numeric_limits<double>::infinity();
  for (const Face3& f : faces) least = std::min(least, triangle_distance(p, f));
  return least;
}

// How often closed triangles wind around p, by solid angles (A. van Oosterom, J. Strackee, 1983): 1 inside, 0 outside.
inline double winding_number(Vec3d p, const std::vector<Face3>& faces) {
  double sum = 0;
  for (const Face3& f : faces) {
    const Vec3d a = f.a - p, b = f.b - p, c = f.c - p;
    const double la = length(a), lb = length(b), lc = length(c);
    sum += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * 3.14159265358979323846);
}

inline std::vector<Face3> faces_of(const MeshView& mesh) {
  std::vector<Face3> faces;
  for (int t = 0; t < mesh.triangle_count; ++t) {
    const auto corner = [&](int k) { return to_double(mesh.vertex[mesh.triangle[t][k]]); };
    faces.push_back({corner(0), corner(1), corner(2)});
  }
  return faces;
}

// -- Hulls from polygons.

struct HandmadeHull {
  std::vector<Vec3> vertex;
  std::vector<HullFace> face;
  std::vector<int> face_vertex, neighbor_start, neighbor;
  std::vector<HullEdge> edge;

  HandmadeHull(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& polygons)
      : vertex(std::move(vertices)) {
    std::vector<std::vector<int>> joined(vertex.size());
    for (const std::vector<int>& polygon : polygons) {
      const Vec3d a = to_double(vertex[polygon[0]]), b = to_double(vertex[polygon[1]]),
                  c = to_double(vertex[polygon[2]]);
      const Vec3d n = normalize(cross(b - a, c - a));
      face.push_back({to_real(n), Real(dot(n, a)), int(face_vertex.size()), int(polygon.size())});
      for (std::size_t k = 0; k < polygon.size(); ++k) {
        face_vertex.push_back(polygon[k]);
        const int from = polygon[k], to = polygon[(k + 1) % polygon.size()];
        joined[from].push_back(to);
        if (from < to) edge.push_back({from, to, int(face.size()) - 1, -1});
      }
    }
    for (std::size_t f = 0; f < polygons.size(); ++f) {
      for (std::size_t k = 0; k < polygons[f].size(); ++k) {
        const int from = polygons[f][k], to = polygons[f][(k + 1) % polygons[f].size()];
        for (HullEdge& e : edge) {
          if (e.tail == to && e.head == from) e.right = int(f);
        }
      }
    }
    for (std::vector<int>& others : joined) {
      std::sort(others.begin(), others.end());
      neighbor_start.push_back(int(neighbor.size()));
      neighbor.insert(neighbor.end(), others.begin(), others.end());
    }
    neighbor_start.push_back(int(neighbor.size()));
  }

  HullView view() const {
    Vec3 center{};
    for (const Vec3 v : vertex) center += v * (Real(1) / Real(vertex.size()));
    return {.vertex = vertex.data(),
            .face = face.data(),
            .face_vertex = face_vertex.data(),
            .edge = edge.data(),
            .edge_parts = nullptr,
            .face_edges = nullptr,
            .neighbor_start = neighbor_start.data(),
            .neighbor = neighbor.data(),
            .vertex_count = int(vertex.size()),
            .face_count = int(face.size()),
            .edge_count = int(edge.size()),
            .center = center,
            .inner_radius = 0,
            .outer_radius = 0,
            .face_rise = 0,
            .half_cosine = 0,
            .rows = {},
            .directions = {}};
  }
  std::vector<Face3> faces() const {
    std::vector<Face3> all;
    for (const HullFace& f : face) {
      const auto corner = [&](int k) { return to_double(vertex[face_vertex[f.first + k]]); };
      for (int k = 1; k + 1 < f.count; ++k) all.push_back({corner(0), corner(k), corner(k + 1)});
    }
    return all;
  }
};

inline HandmadeHull box_hull(Vec3 h) {
  std::vector<Vec3> v;
  for (int i = 0; i < 8; ++i) v.push_back({i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z});
  return HandmadeHull(v, {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}
// A prism over a regular polygon with a corner at +x, from z = -half to z = half.
inline HandmadeHull prism_hull(int sides, Real radius, Real half) {
  std::vector<Vec3> v;
  std::vector<std::vector<int>> polygons(2);
  for (int i = 0; i < 2 * sides; ++i) {
    const double angle = 2 * 3.14159265358979323846 * (i / 2) / sides;
    v.push_back({Real(radius * std::cos(angle)), Real(radius * std::sin(angle)), i % 2 == 0 ? -half : half});
  }
  for (int i = 0; i < sides; ++i) {
    const int j = (i + 1) % sides;
    polygons[0].insert(polygons[0].begin(), 2 * i);
    polygons[1].push_back(2 * i + 1);
    polygons.push_back({2 * i, 2 * j, 2 * j + 1, 2 * i + 1});
  }
  return HandmadeHull(v, polygons);
}

// -- Shapes.

struct TestShape {
  std::string name;
  ShapeView view;
  double size;                            // about the radius of its bounds [m]
  std::function<double(Vec3d)> implicit;  // negative in the solid, zero on the surface, about a distance near it
  std::vector<Vec3d> surface;             // points of the surface
  std::vector<Face3> faces;               // where the shape is made of triangles
  std::shared_ptr<GeometryView> geometry;
  std::vector<std::shared_ptr<void>> owned;
};

class Random : public SeededRandom {
 public:
  using SeededRandom::SeededRandom;
  double operator()(double low, double high) { return uniform(low, high); }
  Vec3d in_box(double half) { return {(*this)(-half, half), (*this)(-half, half), (*this)(-half, half)}; }
  Vec3d direction() {
    for (;;) {
      const Vec3d v = in_box(1);
      if (length_squared(v) < 1 && length_squared(v) > 0.01) return normalize(v);
    }
  }
  Quat rotation() {
    const Vec3d axis = in_box(1);
    return normalize(Quat{Real(axis.x), Real(axis.y), Real(axis.z), Real(uniform(0.1, 1))});
  }
};

constexpr int kSamples = 6000;

inline TestShape analytic(std::string name, ShapeType type, Vec3 scale, double size, std::function<double(Vec3d)> f,
                          const std::function<Vec3d(Random&)>& sample) {
  TestShape s{std::move(name), {type, scale, nullptr}, size, std::move(f), {}, {}, nullptr, {}};
  Random random(11);
  for (int i = 0; i < kSamples; ++i) s.surface.push_back(sample(random));
  return s;
}

// Samples of the triangles; the implicit function is the exact distance, by brute force.
inline TestShape of_triangles(std::string name, ShapeType type, std::vector<Face3> faces, bool closed) {
  TestShape s{std::move(name), {type, {1, 1, 1}, nullptr}, 0, {}, {}, std::move(faces), {}, {}};
  s.geometry = std::make_shared<GeometryView>();
  s.view.geometry = s.geometry.get();
  Random random(12);
  for (const Face3& f : s.faces) s.size = std::max({s.size, length(f.a), length(f.b), length(f.c)});
  for (int i = 0; i < kSamples; ++i) {
    const Face3& f = s.faces[random.below(int(s.faces.size()))];
    double u = random(0, 1), v = random(0, 1);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    s.surface.push_back(f.a + (f.b - f.a) * u + (f.c - f.a) * v);
  }
  if (closed) {
    const std::vector<Face3> all = s.faces;
    s.implicit = [all](Vec3d p) { return nearest_distance(p, all) * (winding_number(p, all) > 0.5 ? -1.0 : 1.0); };
  }
  return s;
}

inline TestShape of_hull(std::string name, const HandmadeHull& hull) {
  const auto owned = std::make_shared<HandmadeHull>(hull);
  TestShape s = of_triangles(std::move(name), ShapeType::kConvexHull, owned->faces(), true);
  s.geometry->hull = owned->view();
  s.owned.push_back(owned);
  return s;
}

inline TestShape of_mesh(std::string name, const Mesh& mesh, Vec3 scale) {
  const auto owned = std::make_shared<MeshArrays>(mesh, scale);
  TestShape s = of_triangles(std::move(name), ShapeType::kMesh, faces_of(owned->view()), owned->closed);
  s.geometry->mesh = owned->view();
  s.owned.push_back(owned);
  return s;
}

inline double radius_of(Vec3d p) { return std::hypot(p.x, p.y); }
inline Vec3d on_circle(Random& random, double radius, double z) {
  const double angle = random(0, 2 * 3.14159265358979323846);
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

// A torus-like ring with a square profile, so that there are convex, concave and flat edges and saddle corners.
inline Mesh ring_mesh(int sides) {
  std::vector<Vec3> v;
  std::vector<int> indices;
  const double profile[4][2] = {{1.0, -0.3}, {1.0, 0.3}, {0.5, 0.3}, {0.5, -0.3}};
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * 3.14159265358979323846 * i / sides;
    for (const auto& [r, z] : profile) v.push_back({Real(r * std::cos(angle)), Real(r * std::sin(angle)), Real(z)});
  }
  for (int i = 0; i < sides; ++i) {
    for (int k = 0; k < 4; ++k) {
      const int a = 4 * i + k, b = 4 * ((i + 1) % sides) + k, c = 4 * ((i + 1) % sides) + (k + 1) % 4;
      const int d = 4 * i + (k + 1) % 4;
      indices.insert(indices.end(), {a, b, c, a, c, d});
    }
  }
  return Mesh(v, indices);
}

inline std::vector<TestShape> round_shapes(Real s) {
  const double d = s;
  std::vector<TestShape> all;
  all.push_back(analytic(
      "sphere", ShapeType::kSphere, {s, 0, 0}, d, [=](Vec3d p) { return length(p) - d; },
      [=](Random& r) { return r.direction() * d; }));
  const double cr = Real(s * Real(0.4)), ch = Real(s * Real(0.7));
  const Vec3 round = {Real(cr), Real(ch), 0};
  all.push_back(analytic(
      "capsule", ShapeType::kCapsule, round, cr + ch,
      [=](Vec3d p) {
        return length(p - Vec3d{0, 0, std::clamp(p.z, -ch, ch)}) - cr;
      },
      [=](Random& r) {
        const Vec3d n = r.direction() * cr;
        return r.below(2) ? on_circle(r, cr, r(-ch, ch)) : n + Vec3d{0, 0, n.z < 0 ? -ch : ch};
      }));
  const Vec3 e = {s * Real(0.8), s * Real(0.3), s * Real(1.2)};
  const Vec3d ed = to_double(e);
  all.push_back(analytic(
      "ellipsoid", ShapeType::kEllipsoid, e, ed.z,
      [=](Vec3d p) {
        return (length(Vec3d{p.x / ed.x, p.y / ed.y, p.z / ed.z}) - 1) * ed.y;
      },
      [=](Random& r) { return multiply_each(r.direction(), ed); }));
  all.push_back(analytic(
      "cylinder", ShapeType::kCylinder, round, cr + ch,
      [=](Vec3d p) { return std::max(radius_of(p) - cr, std::abs(p.z) - ch); },
      [=](Random& r) {
        if (r.below(2)) return on_circle(r, cr, r(-ch, ch));
        const double radius = cr * std::sqrt(r(0, 1));
        return on_circle(r, radius, r.below(2) ? ch : -ch);
      }));
  all.push_back(analytic(
      "cone", ShapeType::kCone, round, cr + ch,
      [=](Vec3d p) {
        const double slope = std::hypot(cr, 2 * ch);
        return std::max((radius_of(p) * 2 * ch + (p.z - ch) * cr) / slope, -ch - p.z);
      },
      [=](Random& r) {
        const double part = r.below(3) ? std::sqrt(r(0, 1)) : r.below(2);  // many on the rim and in the apex
        return on_circle(r, cr * part, r.below(2) ? -ch : ch - 2 * ch * part);
      }));
  return all;
}

// Every solid type at one scale. s multiplies all sizes.
inline std::vector<TestShape> solid_shapes(Real s) {
  std::vector<TestShape> all = round_shapes(s);
  const Vec3 h = {s * Real(0.5), s * Real(0.3), s * Real(0.8)};
  const HandmadeHull box = box_hull(h);
  TestShape box_shape = of_triangles("box", ShapeType::kBox, box.faces(), true);
  box_shape.view = {ShapeType::kBox, h, nullptr};
  all.push_back(box_shape);
  all.push_back(of_hull("box hull", box));
  all.push_back(of_hull("prism hull", prism_hull(7, s, s * Real(0.4))));
  all.push_back(of_hull("tetrahedron hull", HandmadeHull({{-s, -s, -s}, {s, -s, -s}, {0, s, -s}, {0, 0, s}},
                                                         {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}})));
  all.push_back(of_mesh("box mesh", make_box_mesh(Real(0.5), Real(0.3), Real(0.8)), {s, s, s}));
  all.push_back(of_mesh("ball mesh", make_sphere_mesh(1, 2), {s, s * Real(0.5), -s}));
  all.push_back(of_mesh("ring mesh", ring_mesh(12), {s, s, s}));
  return all;
}

// Waves over [-3, 3] x [-2, 2]; `pace` is how far they turn from node to node [rad].
inline Heightfield hills(int nrow, int ncol, double pace) {
  std::vector<Real> data;
  for (int r = 0; r < nrow; ++r)
    for (int c = 0; c < ncol; ++c)
      data.push_back(Real(0.5 * std::sin(pace * c) * std::cos(1.5 * pace * r) + 0.05 * pace * c));
  return Heightfield(data, nrow, ncol, 3, 2);
}

}  // namespace carom::inline CAROM_PRECISION::testing_shapes
