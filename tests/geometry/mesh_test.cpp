// Meshes: checks of the input, closedness, volume, the box and the sphere.
#include <limits>

#include "geometry/expect.h"

namespace carom::inline CAROM_PRECISION {
namespace {

// Proves that every kind of wrong input is refused with its number.
TEST(Mesh, WrongInputIsRefused) {
  const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  expect_error([] { Mesh({}, {}); }, {"no vertices"});
  expect_error([&] { Mesh(corners, {0, 1, 2, 0}); }, {"4 indices", "three per triangle"});
  expect_error([&] { Mesh(corners, {0, 1, 2, 0, 1, 3}); }, {"triangle 1", "index 3", "from 0 to 2"});
  expect_error([&] { Mesh(corners, {-1, 1, 2}); }, {"triangle 0", "index -1"});
  expect_error([&] { Mesh({{0, 0, 0}, {0, nan, 0}}, {}); }, {"vertex 1", "not finite"});
}

// Proves that closedness needs every edge once in each direction.
TEST(Mesh, ClosedMeansNoBorder) {
  const Mesh cube = make_box_mesh(1, 2, 3);
  EXPECT_TRUE(mesh_is_closed(cube));
  Mesh open = cube;
  open.indices.resize(33);
  EXPECT_FALSE(mesh_is_closed(open));
  Mesh flipped = cube;  // one triangle turned over: every edge is still there twice
  std::swap(flipped.indices[0], flipped.indices[1]);
  EXPECT_FALSE(mesh_is_closed(flipped));
}

// Proves that a mesh that repeats its vertices for each triangle, as STL files do, is closed too.
TEST(Mesh, RepeatedVerticesAreOne) {
  const Mesh cube = make_box_mesh(1, 2, 3);
  std::vector<Vec3> vertices;
  std::vector<int> indices;
  for (const int i : cube.indices) {
    indices.push_back(int(vertices.size()));
    vertices.push_back(cube.vertices[i]);
  }
  EXPECT_TRUE(mesh_is_closed(Mesh(vertices, indices)));
}

// Proves that the box mesh faces outwards and has the volume of the box.
TEST(Mesh, BoxVolume) { EXPECT_NEAR(mesh_volume(make_box_mesh(1, 2, 3)), 48, 48 * kRounding); }

// Proves that sphere meshes are closed, have all vertices on the sphere, and come 4 times nearer to its volume per
// level.
TEST(Mesh, SphereApproachesTheSphere) {
  const double exact = 4.0 / 3 * kPi * 8;
  double last_gap = exact;
  for (int level = 0; level < 5; ++level) {
    const Mesh sphere = make_sphere_mesh(2, level);
    EXPECT_TRUE(mesh_is_closed(sphere));
    EXPECT_EQ(sphere.triangle_count(), 20 << 2 * level);
    EXPECT_EQ(int(sphere.vertices.size()), 2 + (10 << 2 * level));
    for (const Vec3 v : sphere.vertices) EXPECT_NEAR(length(v), 2, 4 * kRounding);
    const double gap = exact - mesh_volume(sphere);
    EXPECT_GT(gap, 0);
    if (level > 1) {
      EXPECT_NEAR(last_gap / gap, 4, 0.35);
    }
    last_gap = gap;
  }
}

// Proves that the makers refuse sizes without meaning.
TEST(Mesh, MakersCheckTheirSizes) {
  expect_error([] { make_box_mesh(1, -1, 1); }, {"hy", "-1"});
  expect_error([] { make_sphere_mesh(0, 2); }, {"radius", "0"});
  expect_error([] { make_sphere_mesh(1, 11); }, {"subdivisions", "11"});
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
