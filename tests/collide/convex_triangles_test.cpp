// Proves which sides of a heightfield's triangles count as convex: those where the two faces bend away from each other,
// however steep and thin the triangles are, and the border.
#include "collide/narrow/convex_triangles.kernel.h"

#include <gtest/gtest.h>

#include "geometry/test_shapes.h"
#include "tests/random.h"

namespace carom {
namespace {

using namespace testing_shapes;

using Corners = std::array<Vec3d, 3>;

Corners corners_of(const HeightfieldView& field, int triangle) {
  const TriangleCorners t = triangle_corners(field, triangle);
  return {to_double(t.corner[0]), to_double(t.corner[1]), to_double(t.corner[2])};
}
bool same(Vec3d a, Vec3d b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// The sine by which the surface bends at side k of a triangle, positive where it is convex, and 1 at the border; by the
// triangle that has the same side the other way round.
double bend_at(const HeightfieldView& field, int triangle, int k) {
  const Corners t = corners_of(field, triangle);
  const Vec3d a = t[k], b = t[(k + 1) % 3];
  for (int other = 0; other < 2 * (field.nrow - 1) * (field.ncol - 1); ++other) {
    const Corners o = corners_of(field, other);
    for (int m = 0; m < 3; ++m) {
      if (!same(o[m], b) || !same(o[(m + 1) % 3], a)) continue;
      const Vec3d n = normalize(cross(t[1] - t[0], t[2] - t[0])), across = normalize(cross(b - a, o[(m + 2) % 3] - a));
      return -dot(n, normalize(cross(across, b - a)));
    }
  }
  return 1;
}

TEST(ConvexTriangles, ConvexSidesOfHeightfields) {
  SeededRandom random(3);
  int convex = 0, concave = 0;
  for (const Real steepness : {Real(0.1), Real(1), Real(30), Real(1000)}) {
    std::vector<Real> heights(30);
    for (Real& h : heights) h = Real(random.uniform(-steepness, steepness));
    const HeightfieldArrays arrays(Heightfield(heights, 5, 6, 2, 2), {1, 1, 1});
    const HeightfieldView field = arrays.view();
    for (int triangle = 0; triangle < 40; ++triangle) {
      const int flags = convex_sides(field, triangle, triangle_corners(field, triangle));
      for (int k = 0; k < 3; ++k) {
        const double bend = bend_at(field, triangle, k);
        if (std::abs(bend) < 1e-3) continue;
        EXPECT_EQ((flags & kConvexSide0 << k) != 0, bend > 0) << steepness << ", " << triangle << ", side " << k;
        ++(bend > 0 ? convex : concave);
      }
    }
  }
  EXPECT_GT(convex, 150);
  EXPECT_GT(concave, 100);
}

}  // namespace
}  // namespace carom
