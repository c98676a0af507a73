// Which meshes are taken for hulls that need not be made again.
#include "geometry/finished_hull.h"

#include <algorithm>
#include <array>

#include "geometry/expect.h"
#include "tests/random.h"

namespace carom::inline CAROM_PRECISION {
namespace {

Mesh random_hull(int count, unsigned seed) {
  SeededRandom random(seed);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const Real x = random.next(), y = random.next(), z = random.next();
    points.push_back({x, y, z});
  }
  return convex_hull(Mesh(points, {}));
}

// Triangles from their lowest corner on, in rising order.
Mesh in_order(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> triangles) {
  for (std::array<int, 3>& t : triangles) std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  std::sort(triangles.begin(), triangles.end());
  std::vector<int> indices;
  for (const std::array<int, 3>& t : triangles) indices.insert(indices.end(), t.begin(), t.end());
  return Mesh(std::move(vertices), std::move(indices));
}

// Proves that what convex_hull() makes is a finished hull, also when it was turned and rounded to single precision, and
// that its hull is itself to the bit.
TEST(FinishedHull, HullsAreFinished) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Mesh hull = random_hull(8 + 30 * int(seed), seed);
    ASSERT_TRUE(is_finished_hull(hull));
    SeededRandom random(100 + seed);
    const Real x = random.next(), y = random.next(), z = random.next(), w = random.next();
    const Quat turn = normalize(Quat{x, y, z, w + Real(1.5)});
    for (Vec3& v : hull.vertices) {
      v = rotate(turn, v);
      v = {Real(float(v.x)), Real(float(v.y)), Real(float(v.z))};
    }
    EXPECT_TRUE(is_finished_hull(hull));
    const Mesh again = convex_hull(hull);
    EXPECT_EQ(again.vertices, hull.vertices);
    EXPECT_EQ(again.indices, hull.indices);
  }
}

// Proves that faces of many triangles, which lie in a plane but for rounding, do not matter: a grid on a turned cube.
TEST(FinishedHull, FlatFacesAreFine) {
  const Quat turn = normalize(Quat{Real(0.3), Real(-0.2), Real(0.5), 1});
  std::vector<Vec3> points;
  for (int i = 0; i < 24; ++i) {  // a prism with 24 sides: two faces of 24 corners
    const double angle = 2 * 3.14159265358979 * i / 24;
    for (const Real z : {Real(-1), Real(1)})
      points.push_back(rotate(turn, Vec3{Real(std::cos(angle)), Real(std::sin(angle)), z}));
  }
  const Mesh hull = convex_hull(Mesh(points, {}));
  ASSERT_EQ(hull.vertices.size(), 48u);
  EXPECT_TRUE(is_finished_hull(hull));
}

// Proves that a dent, a hole, a vertex that is not used, triangles in another order or turned inside out are noticed.
TEST(FinishedHull, OtherMeshesAreNot) {
  const Mesh hull = random_hull(60, 7);
  Mesh dented = hull;
  dented.vertices[3] = dented.vertices[3] * Real(0.7);
  EXPECT_FALSE(is_finished_hull(dented));
  Mesh open = hull;
  open.indices.resize(open.indices.size() - 3);
  EXPECT_FALSE(is_finished_hull(open));
  Mesh unused = hull;
  unused.vertices.push_back({0, 0, 0});
  EXPECT_FALSE(is_finished_hull(unused));
  Mesh swapped = hull;
  std::swap_ranges(swapped.indices.begin(), swapped.indices.begin() + 3, swapped.indices.begin() + 3);
  EXPECT_FALSE(is_finished_hull(swapped));
  std::vector<std::array<int, 3>> inside_out;
  for (std::size_t t = 0; t < hull.indices.size(); t += 3)
    inside_out.push_back({hull.indices[t], hull.indices[t + 2], hull.indices[t + 1]});
  EXPECT_FALSE(is_finished_hull(in_order(hull.vertices, inside_out)));
  EXPECT_FALSE(is_finished_hull(Mesh(hull.vertices, {})));
  EXPECT_TRUE(is_finished_hull(hull));
}

// Proves that a star is none: the great icosahedron is closed, bends outwards at each edge and has the counts of a
// sphere, but goes round its middle seven times. Its triangles join corners that are two edges apart.
TEST(FinishedHull, AStarIsNone) {
  const Real g = Real(1.6180339887498949);
  std::vector<Vec3> corners;
  for (const int a : {-1, 1})
    for (const int b : {-1, 1}) {
      corners.push_back({0, Real(a), b * g});
      corners.push_back({Real(a), b * g, 0});
      corners.push_back({b * g, 0, Real(a)});
    }
  const auto far = [&](int i, int j) { return std::abs(length(corners[i] - corners[j]) - 2 * g) < Real(0.01); };
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < 12; ++i)
    for (int j = i + 1; j < 12; ++j)
      for (int k = j + 1; k < 12; ++k) {
        if (!far(i, j) || !far(j, k) || !far(i, k)) continue;
        const bool outwards = dot(cross(corners[j] - corners[i], corners[k] - corners[i]), corners[i]) > 0;
        triangles.push_back(outwards ? std::array<int, 3>{i, j, k} : std::array<int, 3>{i, k, j});
      }
  ASSERT_EQ(triangles.size(), 20u);
  const Mesh star = in_order(corners, triangles);
  ASSERT_TRUE(mesh_is_closed(star));
  EXPECT_FALSE(is_finished_hull(star));
  EXPECT_NEAR(double(mesh_volume(convex_hull(star))), 5.0 / 12 * (3 + std::sqrt(5.0)) * 8, 1e-3);  // edges of 2
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
