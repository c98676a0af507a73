// Support points of all convex shapes against the formulas written a second time, and lists by direction against scans.
#include <gtest/gtest.h>

#include <array>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

// Proves that a support point is as far as the reference's, and belongs to the shape.
TEST(Support, AllShapes) {
  RandomShapes random(1);
  for (const ShapeType type : kConvexTypes) {
    for (int number = 0; number < 300; ++number) {
      TestShape shape = random.shape(type, 1);
      const ConvexCore core = convex_core(shape.view());
      Vec3 d = number % 4 ? random.vector(1) : Vec3{};
      if (number % 4 == 0) d[number / 4 % 3] = number % 8 ? Real(-1) : Real(1);  // along an axis
      const SupportPoint found = core_support(core, d);
      const Double3 n = unit(Double3(d)), p = Double3(found.p) + n * double(core.radius);
      EXPECT_NEAR(dot(p, n), dot(shape.support(n), n), 1e-6) << shape_type_name(type);
      EXPECT_LT(shape.outside(p), 1e-6) << shape_type_name(type);
    }
  }
}

// Proves that the list of a direction has the vertex that a scan of all of them finds, bit for bit the first of equal
// ones, also along normals of faces, where several are equally far, along borders of cells, and of needles and discs.
TEST(Support, ListsOfDirectionsHaveTheFarthestVertex) {
  RandomShapes random(2);
  for (int number = 0; number < 30; ++number) {
    std::vector<Vec3> points;
    for (int k = 0; k < 60 + 40 * number; ++k) points.push_back(normalize(random.vector(1)));
    const std::array<Vec3, 3> scales{Vec3{1, 2, Real(0.1)}, Vec3{1, 1, 1}, Vec3{Real(0.01), Real(0.01), 1}};
    const HullArrays hull = build_hull_arrays(convex_hull(Mesh(points, {})), scales[number % 3]);
    const HullView view = hull.view();
    for (int k = 0; k < 200; ++k) {
      Vec3 d = k < 40 ? hull.face[k].normal : random.vector(1);
      if (k >= 180) d = {Real(k % 5 - 2), Real(k % 3 - 1), Real(k % 2)};
      int best = 0;
      for (int v = 1; v < view.vertex_count; ++v) best = dot(view.vertex[v], d) > dot(view.vertex[best], d) ? v : best;
      EXPECT_EQ(farthest_vertex(view, d), best);
      EXPECT_EQ(farthest_by_direction(view, d), best);
    }
  }
}

// Proves that A - B has the support of A along n less that of B along -n, in the frame of A.
TEST(Support, Differences) {
  RandomShapes random(3);
  for (int number = 0; number < 1000; ++number) {
    Posed a{random.shape(ShapeType::kBox, 1), {random.vector(1), random.rotation()}};
    Posed b{random.shape(ShapeType::kConvexHull, 1), {random.vector(1), random.rotation()}};
    const ConvexCore core_a = convex_core(a.shape.view()), core_b = convex_core(b.shape.view());
    const Vec3 n = normalize(random.vector(1));
    const DifferencePoint p = difference_support(core_pair(core_a, a.X, core_b, b.X), n);
    const double size = a.shape.size() + b.shape.size() + length(a.X.p) + length(b.X.p);  // of what is added up
    EXPECT_NEAR(dot(p.w, n), -separation(a, b, turn(a.X.q, Double3(n))), 8 * kRounding * size);
  }
}

}  // namespace
}  // namespace carom
