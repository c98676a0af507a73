// Convex hulls.
#include <algorithm>

#include "geometry/expect.h"
#include "tests/random.h"

namespace carom::inline CAROM_PRECISION {
namespace {

std::vector<Vec3> random_points(int count, unsigned seed) {
  SeededRandom random(seed);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const Real x = random.next(), y = random.next(), z = random.next();
    points.push_back({x, y, z});
  }
  return points;
}

// How far the point farthest outside of any face lies outside of it.
double greatest_excess(const Mesh& hull, const std::vector<Vec3>& points) {
  double greatest = 0;
  const auto vertex = [&](int i) { return Vec3T<double>{hull.vertices[i].x, hull.vertices[i].y, hull.vertices[i].z}; };
  for (std::size_t t = 0; t < hull.indices.size(); t += 3) {
    const Vec3T<double> a = vertex(hull.indices[t]);
    const Vec3T<double> normal = normalize(cross(vertex(hull.indices[t + 1]) - a, vertex(hull.indices[t + 2]) - a));
    for (const Vec3 p : points) greatest = std::max(greatest, dot(normal, Vec3T<double>{p.x, p.y, p.z} - a));
  }
  return greatest;
}

// Proves that the hull of random points is closed, faces outwards, uses input points and contains all of them.
TEST(ConvexHull, ContainsItsPoints) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Vec3> points = random_points(4 + 20 * int(seed), seed);
    const Mesh hull = convex_hull(Mesh(points, {}));
    EXPECT_TRUE(mesh_is_closed(hull));
    EXPECT_GT(mesh_volume(hull), 0);
    EXPECT_LE(greatest_excess(hull, points), 1e-12);
    EXPECT_EQ(hull.triangle_count(), 2 * int(hull.vertices.size()) - 4);  // Euler
    for (const Vec3 v : hull.vertices) EXPECT_NE(std::find(points.begin(), points.end(), v), points.end());
  }
}

// Proves that points inside, on faces and on edges of a cube, and repeated corners, leave its 8 corners alone.
TEST(ConvexHull, CubeFromAGridOfPoints) {
  std::vector<Vec3> points;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int i = 0; i < 125; ++i) points.push_back({Real(i % 5), Real(i / 5 % 5), Real(i / 25)});
  }
  const Mesh hull = convex_hull(Mesh(points, {}));
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.triangle_count(), 12);
  EXPECT_NEAR(mesh_volume(hull), 64, 64 * kRounding);
}

// Proves that known solids keep their volume: a convex mesh is its own hull.
TEST(ConvexHull, ConvexMeshIsItsOwnHull) {
  const Mesh sphere = make_sphere_mesh(1, 3);
  const Mesh hull = convex_hull(sphere);
  EXPECT_EQ(hull.vertices.size(), sphere.vertices.size());
  EXPECT_NEAR(mesh_volume(hull), mesh_volume(sphere), 4 * kRounding);
}

// Proves that a hull is the same each time, and has the same volume for another order of its points.
TEST(ConvexHull, IsRepeatable) {
  std::vector<Vec3> points = random_points(200, 7);
  const Real volume = mesh_volume(convex_hull(Mesh(points, {})));
  const Mesh first = convex_hull(Mesh(points, {})), second = convex_hull(Mesh(points, {}));
  EXPECT_EQ(first.indices, second.indices);
  std::reverse(points.begin(), points.end());
  EXPECT_NEAR(mesh_volume(convex_hull(Mesh(points, {}))), volume, 10 * kRounding);
}

// Proves that a thin needle and a flake still have hulls.
TEST(ConvexHull, ThinSolids) {
  for (const Vec3 scale : {Vec3{Real(1e-3), Real(1e-3), 1}, Vec3{1, 1, Real(1e-4)}}) {
    std::vector<Vec3> points = random_points(100, 3);
    for (Vec3& p : points) p = {p.x * scale.x, p.y * scale.y, p.z * scale.z};
    const Mesh hull = convex_hull(Mesh(points, {}));
    EXPECT_TRUE(mesh_is_closed(hull));
    EXPECT_LE(greatest_excess(hull, points), 1e-12);
  }
}

// Proves that input without a solid hull is refused, saying why, and that qhull's own words stay inside.
TEST(ConvexHull, DegenerateInputIsRefusedSilently) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  expect_error(
      [] {
        convex_hull(Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}));
      },
      {"at least 4 different points", "has 3"});
  expect_error(
      [] {
        convex_hull(Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}, {}));
      },
      {"5 points", "plane"});
  expect_error([] { convex_hull(Mesh({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, {})); }, {"4 points", "line"});
  expect_error([] { convex_hull(Mesh({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {})); }, {"has 1"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
