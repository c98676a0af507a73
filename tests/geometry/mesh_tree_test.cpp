// Proves that meshes made ready for kernels are what shape_view.h says: the tree holds every triangle once, within its
// boxes and its depth; sides are convex where the surface bends away; scale mirrors without turning the inside out.
#include "geometry/mesh_tree.h"

#include <gtest/gtest.h>

#include <set>

#include "geometry/point/shape.kernel.h"
#include "geometry/ray/shape.kernel.h"
#include "geometry/test_shapes.h"

namespace carom {
namespace {

using namespace testing_shapes;

bool contains(const BvhNode& outer, Vec3 lower, Vec3 upper) {
  return min(outer.lower, lower) == outer.lower && max(outer.upper, upper) == outer.upper;
}

// Checks the tree below a node, gathers its triangles and returns its depth.
int check_tree(const MeshView& mesh, int number, std::multiset<int>& triangles) {
  const BvhNode& node = mesh.node[number];
  if (node.count > 0) {
    EXPECT_LE(node.count, kMeshTreeLeaf);
    for (int i = 0; i < node.count; ++i) {
      const int t = mesh.bvh_triangle[node.first + i];
      triangles.insert(t);
      for (const int v : mesh.triangle[t]) EXPECT_TRUE(contains(node, mesh.vertex[v], mesh.vertex[v]));
    }
    return 0;
  }
  int depth = 0;
  for (int child = node.first; child < node.first + 2; ++child) {
    EXPECT_GT(child, number);
    EXPECT_LT(child, mesh.node_count);
    EXPECT_TRUE(contains(node, mesh.node[child].lower, mesh.node[child].upper));
    depth = std::max(depth, check_tree(mesh, child, triangles));
  }
  return depth + 1;
}

int check_tree(const MeshArrays& arrays) {
  std::multiset<int> triangles;
  const int depth = check_tree(arrays.view(), 0, triangles);
  EXPECT_EQ(triangles, std::multiset<int>(arrays.bvh_triangle.begin(), arrays.bvh_triangle.end()));
  EXPECT_EQ(std::set<int>(triangles.begin(), triangles.end()).size(), triangles.size());
  EXPECT_EQ(int(triangles.size()) + arrays.degenerate_count, int(arrays.triangle.size()));
  EXPECT_LE(depth, kMeshTreeDepth);
  return depth;
}

// Meshes in which one triangle after the other is much smaller, or all are in one place, tempt the heuristic to trees
// without bound.
TEST(MeshTree, HoldsEveryTriangleOnce) {
  EXPECT_LT(check_tree(MeshArrays(make_sphere_mesh(1, 4), {1, 1, 1})), 20);
  check_tree(MeshArrays(ring_mesh(50), {1, 2, 3}));
  std::vector<Vec3> shrinking, same;
  std::vector<int> indices;
  for (int i = 0; i < 1000; ++i) {
    const Real s = Real(std::pow(0.95, i));
    for (const Vec3 v : {Vec3{1, 0, 0}, Vec3{2, 0, 0}, Vec3{1, 1, 0}}) shrinking.push_back(v * s), same.push_back(v);
  }
  for (int i = 0; i < 3000; ++i) indices.push_back(i);
  check_tree(MeshArrays(Mesh(shrinking, indices), {1, 1, 1}));
  EXPECT_EQ(check_tree(MeshArrays(Mesh(same, indices), {1, 1, 1})), 8);  // halves: 1000 / 2^8 < 4
}

TEST(MeshTree, IsTheSameEveryTime) {
  const Mesh mesh = make_sphere_mesh(1, 3);
  const MeshArrays a(mesh, {1, 2, 3}), b(mesh, {1, 2, 3});
  EXPECT_EQ(a.bvh_triangle, b.bvh_triangle);
  ASSERT_EQ(a.node.size(), b.node.size());
  for (std::size_t i = 0; i < a.node.size(); ++i) EXPECT_EQ(a.node[i].first, b.node[i].first);
}

// Of a box's triangles, the two sides on edges are convex and the diagonal is flat; also when no vertex is shared.
TEST(MeshTree, ConvexSidesOfABox) {
  const Mesh box = make_box_mesh(1, 2, 3);
  std::vector<Vec3> vertices;
  std::vector<int> indices;
  for (const int i : box.indices) {
    indices.push_back(int(vertices.size()));
    vertices.push_back(box.vertices[i]);
  }
  for (const Mesh& mesh : {box, Mesh(vertices, indices)}) {
    for (const Vec3 scale : {Vec3{1, 1, 1}, Vec3{-1, 1, 1}, Vec3{-2, -3, -1}, Vec3{Real(1e-3), 1000, 1}}) {
      const MeshArrays arrays(mesh, scale);
      EXPECT_TRUE(arrays.closed);
      for (int t = 0; t < 12; ++t) {
        for (int k = 0; k < 3; ++k) {
          const Vec3 a = arrays.vertex[arrays.triangle[t][k]], b = arrays.vertex[arrays.triangle[t][(k + 1) % 3]];
          const int changes = (a.x != b.x) + (a.y != b.y) + (a.z != b.z);
          EXPECT_EQ(arrays.triangle_flags[t] >> k & 1, changes == 1 ? 1 : 0);
        }
      }
    }
  }
}

// In the hole of a ring the upright sides are concave, around it convex, and all that lies in top and bottom is flat.
TEST(MeshTree, ConvexSidesOfARing) {
  const MeshArrays ring(ring_mesh(8), {1, 1, 1});
  EXPECT_TRUE(ring.closed);
  for (std::size_t t = 0; t < ring.triangle.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = ring.vertex[ring.triangle[t][k]], b = ring.vertex[ring.triangle[t][(k + 1) % 3]];
      const auto outer = [](Vec3 v) { return std::hypot(v.x, v.y) > Real(0.8); };
      const bool same_ring = a.z == b.z && outer(a) == outer(b);  // along a rim
      const bool upright = length(Vec3{a.x - b.x, a.y - b.y, 0}) < Real(1e-3);
      EXPECT_EQ(ring.triangle_flags[t] >> k & 1, same_ring || (upright && outer(a)) ? 1 : 0);
    }
  }
}

// The border of an open mesh is convex; sides of more than two triangles are, too.
TEST(MeshTree, Borders) {
  const MeshArrays sheet(Mesh({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {0, 1, 2, 0, 2, 3}), {1, 1, 1});
  EXPECT_FALSE(sheet.closed);
  EXPECT_EQ(sheet.triangle_flags, (std::vector<int>{kConvexSide0 | kConvexSide1, kConvexSide1 | kConvexSide2}));
  const MeshArrays fan(Mesh({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}}, {0, 1, 2, 0, 1, 3, 1, 0, 4}),
                       {1, 1, 1});
  EXPECT_EQ(fan.triangle_flags, std::vector<int>(3, 7));
}

// Only what has an inside is closed.
TEST(MeshTree, Closed) {
  Mesh inside_out = make_box_mesh(1, 1, 1);
  for (std::size_t i = 0; i < inside_out.indices.size(); i += 3)
    std::swap(inside_out.indices[i], inside_out.indices[i + 1]);
  EXPECT_FALSE(MeshArrays(inside_out, {1, 1, 1}).closed);
  EXPECT_FALSE(MeshArrays(Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, 2, 0, 2, 1}), {1, 1, 1}).closed);
  EXPECT_TRUE(MeshArrays(make_sphere_mesh(1, 2), {1, -2, Real(0.01)}).closed);
}

// Triangles without area are left out, and a mesh of nothing else is touched by nothing.
TEST(MeshTree, DegenerateTriangles) {
  const Mesh needle({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 1, 0}}, {0, 1, 2, 0, 0, 3, 0, 1, 3});
  EXPECT_EQ(MeshArrays(needle, {1, 1, 1}).degenerate_count, 2);
  check_tree(MeshArrays(needle, {1, 1, 1}));
  const MeshArrays empty(Mesh({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {0, 1, 2}), {1, 1, 1});
  EXPECT_EQ(empty.view().node_count, 0);
  GeometryView geometry{};
  geometry.mesh = empty.view();
  EXPECT_EQ(surface_point({ShapeType::kMesh, {}, &geometry}, {1, 1, 1}, 5).distance, 5);
  EXPECT_FALSE(is_hit(ray_shape({ShapeType::kMesh, {}, &geometry}, {1, 1, 5}, {0, 0, -1}, 9)));
}

// A ball of 20480 triangles: distances and hits through the tree are those of a sphere, up to its facets.
TEST(MeshTree, LargeMesh) {
  const TestShape ball = of_mesh("ball", make_sphere_mesh(1, 5), {1, 1, 1});
  Random random(51);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = to_real(random.in_box(2));
    EXPECT_NEAR(surface_point(ball.view, p, kUnbounded).distance, length(p) - 1, 1e-3);
    const RayHit hit = ray_shape(ball.view, p * Real(2), p * Real(-2), 1);
    const Real expected = 1 - 1 / length(p * Real(2));
    EXPECT_NEAR(hit.t, length(p) > Real(0.6) ? expected : hit.t, 1e-3);
  }
}

// Fields: heights and distances scale with the shape, negative factors mirror.
TEST(FieldArrays, Scale) {
  const HeightfieldArrays field(Heightfield({0, 1, 2, 3, 4, 7}, 2, 3, 5, 6), {-2, -1, Real(0.5)});
  EXPECT_EQ(field.height, (std::vector<Real>{Real(3.5), 2, Real(1.5), 1, Real(0.5), 0}));
  EXPECT_EQ(field.view().hx, 10);
  EXPECT_EQ(field.view().hy, 6);
  EXPECT_EQ(field.view().max_z, Real(3.5));
  const SdfArrays sdf(SDF({0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2, {1, 2, 3}, Real(0.25)), 4);
  EXPECT_EQ(sdf.view().value[7], 28);
  EXPECT_EQ(sdf.view().spacing, 1);
  EXPECT_EQ(sdf.view().origin, (Vec3{4, 8, 12}));
}

}  // namespace
}  // namespace carom
