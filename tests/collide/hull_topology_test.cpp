// Faces, edges and neighbours of hulls: closed forms for a box, and the properties of any convex polyhedron.
#include "geometry/hull_topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collide/convex_reference.h"

namespace carom {
namespace {

// Corners are the vertices that have edges, and lead along them. Others are inside of a face that was merged, raised by
// less than its tolerance, and lead to those around.
void expect_corners(const HullArrays& hull) {
  std::vector<int> edges(hull.vertex.size(), 0);
  for (const HullEdge& e : hull.edge) ++edges[e.tail], ++edges[e.head];
  for (std::size_t v = 0; v < edges.size(); ++v) {
    const int neighbors = hull.neighbor_start[v + 1] - hull.neighbor_start[v];
    if (edges[v] > 0) EXPECT_EQ(neighbors, edges[v]) << v;
    else EXPECT_GE(neighbors, 3) << v;
  }
  const auto corners = std::ranges::count_if(edges, [](int count) { return count > 0; });
  EXPECT_EQ(corners - std::ptrdiff_t(hull.edge.size()) + std::ptrdiff_t(hull.face.size()), 2);  // Euler
}

// Everything that holds for a convex polyhedron.
void expect_polyhedron(const HullArrays& hull) {
  expect_corners(hull);
  double size = 0;
  for (const Vec3& v : hull.vertex) size = std::max(size, test::length(test::Double3(v - hull.center)));
  const double rounding = (sizeof(Real) == 8 ? 2e-6 : 2e-5) * size;
  for (const HullFace& face : hull.face) {
    const test::Double3 n(face.normal);
    EXPECT_NEAR(test::length(n), 1, 1e-6);
    EXPECT_GT(double(face.offset), test::dot(n, test::Double3(hull.center)));
    for (const Vec3& v : hull.vertex) EXPECT_LE(test::dot(n, test::Double3(v)), double(face.offset) + rounding);
    test::Double3 turn;
    for (int k = 0; k < face.count; ++k) {
      const auto corner = [&](int i) {
        return test::Double3(hull.vertex[hull.face_vertex[face.first + i % face.count]]);
      };
      EXPECT_NEAR(test::dot(n, corner(k)), double(face.offset), rounding);
      turn = turn + test::cross(corner(k) - corner(0), corner(k + 1) - corner(0));
    }
    EXPECT_GT(test::dot(turn, n), 0);  // counter-clockwise
  }
  std::set<std::pair<int, int>> ends;
  for (const HullEdge& edge : hull.edge) {
    EXPECT_LT(edge.tail, edge.head);
    EXPECT_TRUE(ends.insert({edge.tail, edge.head}).second);
    const auto passes = [&](int f, int from, int to) {
      const HullFace& face = hull.face[f];
      for (int k = 0; k < face.count; ++k) {
        if (hull.face_vertex[face.first + k] != from) continue;
        return hull.face_vertex[face.first + (k + 1) % face.count] == to;
      }
      return false;
    };
    EXPECT_TRUE(passes(edge.left, edge.tail, edge.head));
    EXPECT_TRUE(passes(edge.right, edge.head, edge.tail));
    for (const auto& [from, to] : {std::pair(edge.tail, edge.head), std::pair(edge.head, edge.tail)}) {
      const auto first = hull.neighbor.begin() + hull.neighbor_start[from];
      EXPECT_TRUE(std::binary_search(first, hull.neighbor.begin() + hull.neighbor_start[from + 1], to));
    }
  }
}

// What the search for the axis of two hulls takes for granted: the edges of a face, the greatest angle between
// neighbours, and how far planes are above corners.
void expect_bounds(const HullArrays& hull) {
  const double close = sizeof(Real) == 8 ? 1e-14 : 1e-6;
  ASSERT_EQ(hull.face_edges.size(), hull.face.size());
  double half_cosine = 1, rise = 0;
  for (std::size_t e = 0; e < hull.edge.size(); ++e) {
    const HullEdge& edge = hull.edge[e];
    for (int f = 0; f < int(hull.face.size()); ++f) {
      const bool in_set = hull.face_edges[f].word[e / 64] >> e % 64 & 1;
      EXPECT_EQ(in_set, f == edge.left || f == edge.right);
    }
    const test::Double3 left(hull.face[edge.left].normal), right(hull.face[edge.right].normal);
    half_cosine = std::min(half_cosine, test::length(left + right) / 2);
  }
  for (const HullFace& face : hull.face) {
    for (int k = face.first; k < face.first + face.count; ++k) {
      const test::Double3 corner(hull.vertex[hull.face_vertex[k]]);
      rise = std::max(rise, double(face.offset) - test::dot(test::Double3(face.normal), corner));
    }
  }
  EXPECT_NEAR(hull.half_cosine, half_cosine, close);
  EXPECT_NEAR(hull.face_rise, rise, close * hull.outer_radius);
}

// Proves that the twelve triangles of a box become six rectangles with twelve edges, under any scale.
TEST(HullTopology, Box) {
  const Mesh box = convex_hull(make_box_mesh(1, 2, 3));
  for (const Vec3 scale : {Vec3{1, 1, 1}, Vec3{-1, 1, 1}, Vec3{Real(0.01), -5, 20}, Vec3{-1, -1, -1}}) {
    const HullArrays hull = build_hull_arrays(box, scale);
    EXPECT_EQ(hull.face.size(), 6u);
    EXPECT_EQ(hull.edge.size(), 12u);
    for (const HullFace& face : hull.face) EXPECT_EQ(face.count, 4);
    for (int v = 0; v < 8; ++v) EXPECT_EQ(hull.neighbor_start[v + 1] - hull.neighbor_start[v], 3);
    expect_polyhedron(hull);
    expect_bounds(hull);
  }
}

// Proves that a vertex raised from a face by less than the tolerance of its plane is no corner, and can be left by a
// walk.
TEST(HullTopology, VertexInAFace) {
  Mesh box = make_box_mesh(1, 1, 1);
  const int raised = int(box.vertices.size()), first = box.indices[0], second = box.indices[1], third = box.indices[2];
  const Vec3 middle = (box.vertices[first] + box.vertices[second] + box.vertices[third]) * Real(1.0 / 3);
  Vec3 outwards{};  // the triangle is half of a side
  for (int k = 0; k < 3; ++k)
    if (abs(middle[k]) > Real(0.9)) outwards[k] = middle[k];
  box.vertices.push_back(fma(outwards, Real(0.5 * kFlatFace), middle));
  box.indices[2] = raised;
  for (const int i : {second, third, raised, third, first, raised}) box.indices.push_back(i);
  const HullArrays hull = build_hull_arrays(box, {1, 1, 1});
  EXPECT_EQ(hull.face.size(), 6u);
  EXPECT_EQ(hull.neighbor_start[raised + 1] - hull.neighbor_start[raised], 3);
  expect_polyhedron(hull);
}

// Proves that a prism over a 24-gon has two faces of 24 corners and 24 of four, however thin it is.
TEST(HullTopology, Prism) {
  for (const Real height : {Real(0.01), Real(1)}) {
    std::vector<Vec3> points;
    for (int k = 0; k < 24; ++k) {
      const double angle = k * 3.14159265358979 / 12;
      for (const Real z : {-height, height}) points.push_back({Real(std::cos(angle)), Real(std::sin(angle)), z});
    }
    const HullArrays hull = build_hull_arrays(convex_hull(Mesh(points, {})), {1, 1, 1});
    EXPECT_EQ(hull.face.size(), 26u);
    EXPECT_EQ(std::ranges::count_if(hull.face, [](const HullFace& f) { return f.count == 24; }), 2);
    EXPECT_EQ(std::ranges::count_if(hull.face, [](const HullFace& f) { return f.count == 4; }), 24);
    expect_polyhedron(hull);
    expect_bounds(hull);
  }
}

// Proves the properties for hulls of random points, in general position and on a coarse grid, where many are coplanar.
TEST(HullTopology, RandomHulls) {
  test::RandomShapes random(1);
  for (int number = 0; number < 200; ++number) {
    std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 4 + number / 2; ++k) {
      Vec3 p = random.vector(1);
      if (number % 2) p = {Real(std::round(p.x * 2)), Real(std::round(p.y * 2)), Real(std::round(p.z * 2))};
      points.push_back(p);
    }
    const HullArrays hull = build_hull_arrays(convex_hull(Mesh(points, {})), {1, Real(-0.5), 2});
    expect_polyhedron(hull);
    expect_bounds(hull);
    if (HasFailure()) FAIL() << "hull " << number;
  }
}

}  // namespace
}  // namespace carom
